// `seed results` and `dsr bulk-results`: joins the JSON results of the parts of a bulk run, as if they had been one run.
import { array, type infer as Infer, int, number, object, string, type ZodMiniType } from 'zod/mini';
import { exitOf } from '../lib/errors/fail.ts';
import { invalidInput, type Issue, KnownError } from '../lib/kernel/errors.ts';
import { isRecord, readRecord } from '../lib/kernel/json.ts';
import { counted, shellLine } from '../lib/kernel/words.ts';
import type { RecordView } from '../lib/render/view.ts';
import type { Context } from '../lib/runtime/context.ts';
import { inputFlags, openBulkInputs } from './bulk-flags.ts';
import type { workspaceTarget } from './results.ts';
import { largest } from '../lib/kernel/numbers.ts';

/** The result of one part, as its run printed it. */
interface Part {
  seconds: number;
  /** The arguments of the command that runs it again. */
  argv: string[];
}

/** A part that no other part with the same number or content replaces. */
export interface Report<Result> {
  /** Where it was read. */
  file: string;
  line: number;
  result: Result;
  /** The code of the error that ended the part early. */
  error: string | undefined;
}

/** What differs between the two kinds of bulk runs. */
export interface Joining<Result extends Part, Label extends string | number> {
  /** Fields that are added up. */
  counts: readonly string[];
  /** Counts of rows that make the combined result partial. */
  partial: readonly string[];
  /** The names of these fields in the result. */
  names: { parts: string; missing: string; failed: string; files: string };
  label: () => ZodMiniType<Label>;
  /** Additional fields of the result. */
  more?: () => Record<string, ZodMiniType>;
  part: () => ZodMiniType<Result>;
  /** Identifies the part: a later result of the same part replaces this one. */
  keyOf(result: Result): string;
  /** For messages; the same for all parts of one run. */
  runOf(result: Result): string;
  /** The name of the part in the result. */
  labelOf(result: Result): Label;
  /** The flag that differs between the parts, and its value for one part. */
  flag: string;
  valueOf(label: Label, like: Result): string;
}

/** The schema of the joined result. */
export function joinedResult<Label extends string | number>({
  counts,
  label,
  more,
  names,
}: Pick<Joining<Part, Label>, 'counts' | 'label' | 'more' | 'names'>) {
  return object({
    ...Object.fromEntries(counts.map((key) => [key, int()])),
    /** The time of the slowest part. */
    seconds: number(),
    [names.parts]: int(),
    complete: int(),
    [names.missing]: array(label()),
    /** Parts that ended with an error. */
    [names.failed]: array(label()),
    /** Commands that run the missing and failed parts again. */
    again: array(string()),
    [names.files]: array(string()),
    ...more?.(),
  });
}

export function joinedView({
  counts,
  names,
}: Pick<Joining<Part, string>, 'counts' | 'names'>): RecordView<Record<string, unknown>> {
  const listed = (value: unknown): unknown => (Array.isArray(value) ? value.join(', ') || 'none' : value);
  const keys = [...counts, 'seconds', names.parts, 'complete', names.missing, names.failed, names.files];
  return { kind: 'record', columns: keys.map((key) => ({ key, value: (it) => listed(it[key]) as string })) };
}

export const resultArgs = {
  file: { many: true, optional: true, help: 'results and errors of the parts as JSON; folders or patterns' },
} as const;
export const resultFlags = { filesFrom: inputFlags.filesFrom } as const;

/** For messages: where a run went. */
export function placeOf({ address, environment, workspace_id: workspace }: Infer<ReturnType<typeof workspaceTarget>>) {
  return `workspace ${workspace} (${environment}) at ${address}`;
}

/**
 * Prints the joined result of the reports; `missing` are parts without one. Sets the exit code that a single run would
 * have, and shows how to rerun missing parts. decision: D291
 */
export async function emitJoined<Result extends Part, Label extends string | number>(
  ctx: Context,
  joining: Joining<Result, Label>,
  reports: readonly Report<Result>[],
  missing: readonly Label[],
  more: { files: readonly string[] } & Record<string, unknown>,
): Promise<void> {
  const { counts, flag, labelOf, names, partial, valueOf } = joining;
  const results = reports.map(({ result }) => result);
  const [first] = results as [Result];
  const failed = reports.filter(({ error }) => error !== undefined);
  const again = [
    ...failed.map(({ result }) => result.argv),
    ...missing.map((label) => withFlag(first.argv, flag, valueOf(label, first))),
  ].map(shellLine);
  const sums = Object.fromEntries(
    counts.map((key) => [key, results.reduce((sum, one) => sum + numberIn(one, key), 0)]),
  );
  const { files, ...others } = more;
  const data = {
    ...sums,
    seconds: largest(results.map(({ seconds }) => seconds)),
    [names.parts]: reports.length + missing.length,
    complete: reports.length - failed.length,
    [names.missing]: missing,
    [names.failed]: failed.map(({ result }) => labelOf(result)),
    again,
    [names.files]: files,
    ...others,
  };
  await ctx.out.emit(data, joinedView(joining));
  const [only, other] = new Set(failed.map(({ error = '' }) => exitOf(new KnownError({ code: error, message: '' }))));
  if (missing.length > 0 || other !== undefined) ctx.setExit('failed');
  else if (only !== undefined) ctx.setExit(only);
  else if (partial.some((key) => (sums[key] ?? 0) > 0)) ctx.setExit('partial');
  for (const [index, command] of again.slice(0, SHOWN_COMMANDS).entries())
    ctx.out.note({ text: index === 0 ? 'To run what is missing:' : '', command });
  const hidden = again.length - SHOWN_COMMANDS;
  if (hidden > 0) ctx.out.note(`${counted(hidden, 'more command')}: see \`again\` of the JSON result.`);
}

/** Maximum number of commands shown; `again` in the result lists all. */
const SHOWN_COMMANDS = 10;

const numberIn = (result: object, key: string): number => Number((result as Record<string, unknown>)[key] ?? 0);

/** The arguments with one value for a flag instead of all its values. */
function withFlag(words: readonly string[], flag: string, value: string): string[] {
  const at = words.indexOf(flag);
  return words.flatMap((word, index) =>
    index === at ? [flag, value] : word === flag || words[index - 1] === flag ? [] : [word],
  );
}

/** The values of a repeated flag. */
export function valuesOf(words: readonly string[], flag: string): string[] {
  return words.filter((_word, index) => words[index - 1] === flag);
}

/**
 * Reads the last report of each part; a complete one replaces an error. Other lines of a log are ignored, so a part
 * with a damaged report counts as missing. Throws usage (2) without files, and invalid input (9) for results of
 * different runs, or for none at all.
 */
export async function readReports<Result extends Part, Label extends string | number>(
  ctx: Context,
  files: string[],
  filesFrom: string | undefined,
  { keyOf, part, runOf }: Joining<Result, Label>,
): Promise<Report<Result>[]> {
  const schema = part();
  const inputs = await openBulkInputs(ctx, files, { filesFrom, format: 'json' });
  const { decoded, linesOf } = await import('../lib/files/text-chunks.ts');
  const reports = new Map<string, Report<Result>>();
  const issues: Issue[] = [];
  let first: Report<Result> | undefined;
  for (const { chunks, name: file } of inputs) {
    for await (const { line, value } of documentsIn(linesOf(decoded(chunks(), file)))) {
      const error = isRecord(value['error']) ? value['error'] : undefined;
      const { data: result } = schema.safeParse(error === undefined ? value : error['progress']);
      if (result === undefined) {
        if (error !== undefined) ctx.out.warn(`${file}: ${String(error['message'])}`);
        continue;
      }
      const code = error === undefined ? undefined : String(error['code']);
      const report = { file, line, result, error: code };
      first ??= report;
      const [run, wanted] = [runOf(result), runOf(first.result)];
      if (run !== wanted) {
        const message = `is of ${run}, but ${first.file} is of ${wanted}`;
        issues.push({ file, line, column: 1, path: '', message });
        continue;
      }
      const known = reports.get(keyOf(result));
      if (code === undefined || known === undefined || known.error !== undefined) reports.set(keyOf(result), report);
    }
  }
  if (first === undefined)
    issues.push({ file: inputs[0].name, line: 1, column: 1, path: '', message: 'has no result' });
  if (issues.length > 0) throw invalidInput('These results are not from one bulk run.', issues, RESULTS_HINT);
  return [...reports.values()];
}

const RESULTS_HINT = 'Run each part with -o json, and keep its standard output and its standard error.';

/** The JSON objects among the lines of a log: on one line, or from a line `{` to a line `}`. */
async function* documentsIn(
  lines: AsyncIterable<string[]>,
): AsyncGenerator<{ line: number; value: Record<string, unknown> }> {
  let number = 0;
  let open: string[] = [];
  for await (const group of lines) {
    for (const text of group.map((one) => one.trimEnd())) {
      number++;
      if (text.startsWith('{')) open = [];
      else if (open.length === 0) continue;
      open.push(text);
      if (text !== '}' && (open.length > 1 || !text.endsWith('}'))) continue;
      const value = readRecord<Record<string, unknown>>(open.join('\n'));
      if (value !== undefined) yield { line: number - open.length + 1, value };
      open = [];
    }
  }
}
