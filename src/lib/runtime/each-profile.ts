// Several `--profile` flags: the command runs for one profile after another, and the results are combined.
import { Readable } from 'node:stream';
import { exitOf, fail } from '../errors/fail.ts';
import type { Command } from 'commander';
import { KnownError, type Issue, usageError, type Hint } from '../kernel/errors.ts';
import { EXIT, type ExitName } from '../errors/entry.ts';
import { bugError } from '../render/failure.ts';
import type { CellValue, Column, DocumentView } from '../render/view.ts';
import type { Context, GlobalFlags, Io, Output } from './context.ts';
import { flagName } from './command-line/define-command.ts';
import { helpOf } from './command-line/help.ts';
import { lastingAddress, readOnly } from './target.ts';
import { shellWord } from '../kernel/words.ts';
import { type AnyView, listOf, markdownText, nameText } from './output/result-text.ts';

interface Part {
  profile: string;
  result?: { data: unknown; view: AnyView };
  error?: KnownError;
  advice?: Output['advice'];
}

interface LabeledRow {
  profile: string;
  row: unknown;
  columns: Column<unknown>[];
}

/** Throws KnownError usage (2) for a command, a flag or a format that allows only one profile. */
export function checkSeveralProfiles(command: Command, { output }: GlobalFlags): void {
  const help = helpOf(command);
  const flags = command.opts<Record<string, unknown>>();
  const only = (help?.reads === true ? ['watch'] : help?.severalProfiles)?.filter((name) => flags[name] !== undefined);
  if (only?.length !== 0) {
    const named = (only ?? []).map(flagName).join(' and ');
    throw usageError(
      `This command accepts only one --profile${named && ` with ${named}`}.`,
      'Only commands that read and then exit, and `dsr submit` for a single request, accept several. Run this command once for each profile.',
    );
  }
  if (output === 'html') throw usageError('-o html can show only one profile.', 'Pass --profile once.');
}

/** Emits `{profile, data}` or `{profile, error}` per profile. After a failure, throws partial (3) or the worst code. */
export async function runForEachProfile(
  ctx: Context,
  isWrite: boolean,
  once: (flags: GlobalFlags, output: (out: Output) => Output, io: Io) => Promise<ExitName>,
): Promise<ExitName> {
  const { flags } = ctx;
  if (isWrite) await checkWrites(ctx);
  const parts: Part[] = [];
  const nextIo = repeatInput(ctx.io);
  let ending: ExitName = 'ok';
  for (const profile of flags.profiles) {
    const part: Part = { profile };
    parts.push(part);
    // Flags for the combined result do not apply to a part: `--out`, `--query`, `--summary`.
    const own = { ...flags, profile, profiles: [profile], out: undefined, query: undefined, summary: false };
    try {
      const exit = await once(own, (out) => collecting(out, part), nextIo());
      ending = worse(ending, exit);
    } catch (error) {
      if (ctx.signal.aborted && !(error instanceof KnownError)) throw error;
      part.error = error instanceof KnownError ? error : bugError(error, flags.debug);
      if (!ctx.signal.aborted) continue;
      // The results of finished writes must not be lost.
      if (parts.some(({ result }) => isWrite && result)) await emitParts(ctx, parts);
      // A hint about this profile's write must not get another profile's flags.
      throw part.error.with(hintOf(part.error, part.advice));
    }
  }
  // A printed curl command, or a dry run without a result, needs no other output.
  if (parts.some(({ result, error }) => result ?? error)) await emitParts(ctx, parts);
  const failed = parts.filter(({ error }) => error !== undefined);
  if (failed.length > 0) throw failureOf(failed, parts.length, isWrite && failed.length < parts.length);
  return ending;
}

/** The returned function creates an Io that replays the input, read only as far as needed. A terminal is shared. */
function repeatInput(io: Io): () => Io {
  if (io.tty.stdin) return () => io;
  const chunks: Promise<IteratorResult<unknown>>[] = [];
  let source: AsyncIterator<unknown> | undefined;
  async function* replay() {
    for (let index = 0; ; index++) {
      const next = await (chunks[index] ??= (source ??= io.stdin[Symbol.asyncIterator]()).next());
      if (next.done === true) return;
      yield next.value;
    }
  }
  return () => Object.create(io, { stdin: { value: Readable.from(replay()) } }) as Io;
}

/**
 * Checks all profiles before the first write. Throws usage (2) if one is unknown, or if two have the same workspace,
 * because the second request would be a duplicate. Throws guard (12) if one is read-only or needs a confirmation.
 */
async function checkWrites(ctx: Context): Promise<void> {
  const { resolveFor } = await import('./connect.ts');
  const { confirm, curl, dryRun, profiles, workspace } = ctx.flags;
  const known = new Map<string, string>();
  for (const name of profiles) {
    const settings = await resolveFor(ctx, name, '--profile');
    if (settings.get('dsr_base_url')) {
      const place = [workspace ?? settings.get('workspace_id')?.value, lastingAddress(settings, 'dsr_base_url')].join(
        ' ',
      );
      const other = known.get(place);
      if (other !== undefined)
        throw usageError(
          `Profiles \`${other}\` and \`${name}\` have the same workspace and address. Nothing was sent.`,
          'Pass only one of them.',
        );
      known.set(place, name);
    }
    if (dryRun || curl) continue;
    if (settings.access === 'read') throw readOnly(settings);
    if (!settings.protected || ctx.prompt.possible || confirm.includes(name)) continue;
    throw fail('guard.confirm', {
      message: `Profile \`${name}\` is protected. Nothing was sent to any profile.`,
      hint: `To write to it, add --confirm ${name}.`,
    });
  }
}

/** Returns an output that keeps a part's result, and prefixes its messages with the profile. */
function collecting(out: Output, part: Part): Output {
  const said = (text: string): string => `${part.profile}: ${text}`;
  const advised = (hint: string | Hint): string | Hint =>
    typeof hint === 'string' ? said(hint) : { ...hint, text: said(hint.text) };
  part.advice = out.advice;
  return {
    ...out,
    emit: (data, view) => {
      part.result = { data, view: view as unknown as AnyView };
      return Promise.resolve();
    },
    note: (hint) => out.note(advised(hint)),
    warn: (about) =>
      out.warn(typeof about === 'object' && 'path' in about ? { ...about, path: said(about.path) } : advised(about)),
    verbose: (text) => out.verbose(said(text)),
  };
}

async function emitParts({ flags, out }: Context, parts: Part[]): Promise<void> {
  const data = parts.map(({ advice, error, profile, result }) =>
    error
      ? { profile, error: { code: error.code, message: error.message, ...hintOf(error, advice) } }
      : { profile, data: result?.data },
  );
  const shown = parts.flatMap(({ profile, result }) => (result ? [{ profile, ...result }] : []));
  if (flags.output === 'name' && flags.query === undefined) {
    const lines = shown.flatMap(({ data, profile, view }) =>
      nameText(data, view)
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [`${profile}\t${line}\n`])),
    );
    return await out.emitText(lines.join(''));
  }
  const isTabular = shown.every(({ view }) => view.kind !== 'document');
  const isDrawn = flags.output === 'table' || flags.output === 'markdown' || flags.output === 'csv';
  if (isDrawn && flags.query === undefined && shown.length > 0 && (isTabular || flags.output === 'csv')) {
    const rows = shown.flatMap(({ data, profile, view }): LabeledRow[] => {
      const { rows, columns } = listOf(data, view, 'csv');
      return rows.map((row) => ({ profile, row, columns }));
    });
    const columns = columnsOf(shown, rows);
    const [first] = shown;
    const empty = first?.view.kind === 'list' ? first.view.empty : '';
    return await out.emit<LabeledRow[]>(rows, { kind: 'list', columns, empty });
  }
  const view: DocumentView<typeof data> = {
    kind: 'document',
    text: (_data, style, width) =>
      shown
        .map((one) => {
          const text = one.view.kind === 'document' ? one.view.text(one.data, style, width).trimEnd() : '';
          return `${style.bold(`profile ${one.profile}`)}\n${text}`;
        })
        .join('\n\n'),
    markdown: () =>
      shown.map((one) => `## ${one.profile}\n\n${markdownText(one.data, one.view, flags).trimEnd()}\n`).join('\n'),
  };
  await out.emit(data, view);
}

/** Returns `profile`, then the columns of all parts. If a part lacks a column, its cells in that column are empty. */
function columnsOf(shown: readonly { view: AnyView }[], rows: readonly LabeledRow[]): Column<LabeledRow>[] {
  const known = new Map<string, Column<unknown>>();
  const lists = shown.flatMap(({ view }) => (view.kind === 'document' ? [] : [view.columns]));
  for (const columns of [...lists, ...rows.map((row) => row.columns)])
    for (const column of columns) if (!known.has(column.key)) known.set(column.key, column);
  const labeled = [...known.values()].map((column): Column<LabeledRow> => {
    const own = (row: LabeledRow) => row.columns.find(({ key }) => key === column.key);
    return {
      ...column,
      value: (row): CellValue => own(row)?.value(row.row),
      paint: (text, row, style) => own(row)?.paint?.(text, row.row, style) ?? text,
    };
  });
  return [
    { key: 'profile', id: true, value: ({ profile }) => profile },
    ...labeled.filter(({ key }) => key !== 'profile'),
  ];
}

function hintOf(error: KnownError, advice: Part['advice']): { hint?: string } {
  const text = error.hints.length > 0 ? (advice?.(error.hints) ?? error.hint) : undefined;
  return text === undefined ? {} : { hint: text.replaceAll('\n', ' ') };
}

function worse(one: ExitName, other: ExitName): ExitName {
  return EXIT[other] > EXIT[one] ? other : one;
}

function failureOf(failed: readonly Part[], count: number, isPartial: boolean): KnownError {
  const errors = failed.map((part) => ({ ...part, error: part.error as KnownError }));
  const issues = errors.flatMap(({ advice, error, profile }): Issue[] => {
    const { hint } = hintOf(error, advice);
    const own = { path: profile, message: hint === undefined ? error.message : `${error.message} ${hint}` };
    return [own, ...error.issues.map((issue) => ({ ...issue, path: `${profile}: ${issue.path}` }))];
  });
  return fail('profiles.failed', {
    message: `The command failed for ${failed.length} of ${count} profiles.`,
    ...(isPartial && {
      hint: `To continue, run the command again with only ${failed.map(({ profile }) => `--profile ${shellWord(profile)}`).join(' ')}.`,
    }),
    issues,
    issuesOmitted: errors.reduce((sum, { error }) => sum + error.issuesOmitted, 0),
    exit: isPartial ? 'partial' : errors.map(({ error }) => exitOf(error)).reduce(worse, 'failed'),
  });
}
