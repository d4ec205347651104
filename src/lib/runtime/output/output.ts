// Everything a command says: its result on standard output, all else on standard error.
import { resolve } from 'node:path';
import type { DescribedRequest } from '../../http/types.ts';
import { type Issue, type KnownError, placeOf, systemErrorCode } from '../../kernel/errors.ts';
import { type Hint, hintText, toHints } from '../../kernel/hint.ts';
import type { Redactor } from '../../kernel/redact.ts';
import { cleanLine, cleanText } from '../../render/clean.ts';
import { plainStyle, type Style } from '../../render/style.ts';
import type { DocumentView } from '../../render/view.ts';
import type { GlobalFlags, Io, Output, TextSink } from '../context.ts';
import type { Target } from '../target.ts';
import { BrokenPipeError } from '../interrupt.ts';
import { annotation, fenced, isGitHub, maskCommands, MOST_ANNOTATIONS, wantsAnnotations } from './annotations.ts';
import { createMessages } from './messages.ts';
import { createProgress } from './progress.ts';
import { createWaits } from './waits.ts';
import type { Query } from './query.ts';
import { hintCompleter } from '../command-line/complete-hint.ts';
import { foundText, jsonText, resultText, UNLIMITED_WIDTH, type AnyView, type Surface } from './result-text.ts';
import { fail } from '../../errors/fail.ts';

export interface OutputSetup {
  io: Io;
  flags: GlobalFlags;
  redactor: Redactor;
  query: Query | undefined;
  styles: { stdout: Style; stderr: Style };
  /** See `hintCompleter`. */
  asking: readonly string[];
}

export interface DryRun {
  dry_run: true;
  /** Absent where nothing of a platform would change. */
  target?: Target;
  requests: DescribedRequest[];
  plan?: unknown;
}

export function createOutput({ io, flags, redactor, query, styles, asking }: OutputSetup): Output {
  const complete = hintCompleter(asking, flags);
  const advice = (hint: string | Hint): string => cleanLine(hintText(toHints(hint).map(complete)));
  const messages = createMessages(io);
  const toTerminal = flags.out === undefined && io.tty.stdout;
  const isJson = flags.output === 'json' || flags.output === 'ndjson';
  // A program that asked for JSON and reads standard error too is to find nothing but JSON there.
  const toProgram = isJson && !io.tty.stderr;
  const isSilent = flags.quiet || toProgram;
  let annotated = 0;
  let target: Target | undefined;
  if (isGitHub(io.env) && !isJson) redactor.onSecret((secret) => messages.command(maskCommands(secret)));

  function note(hint: string | Hint): void {
    // One line: no name in it begins another, which might look like one of a plan.
    if (!isSilent) messages.line(redactor.text(advice(hint)));
  }

  function show(text: (style: Style, width: number) => string): void {
    // A person must see what a question is about, whatever else is silent.
    if (isSilent && (flags.yes || !io.tty.stderr)) return;
    const width = io.tty.stderr ? io.columns() : UNLIMITED_WIDTH;
    messages.write(`${text(styles.stderr, width).replace(/(?<!\n)\n+$/, '')}\n`);
  }

  function annotate(level: 'error' | 'warning', issue: Issue): void {
    if (isJson || annotated >= MOST_ANNOTATIONS || !wantsAnnotations(flags, io.env)) return;
    annotated += 1;
    messages.command(redactor.text(annotation(level, issue)));
  }

  async function deliver(text: string): Promise<void> {
    if (flags.out !== undefined && flags.out !== '-') {
      const { writeUserFile } = await import('../../kernel/durable.ts');
      writeUserFile(resolve(io.cwd, flags.out), text);
      note(`Written to ${flags.out}.`);
      return;
    }
    if (text !== '') await write(io.stdout, fenced(text, io));
  }

  /** What is not drawn by us may hold anything; a file or a pipe gets it exactly, a terminal harmless. */
  function forTarget(text: string): string {
    const isExact = flags.output === 'yaml' || flags.output === 'csv';
    return isExact && toTerminal ? cleanText(text) : text;
  }

  async function emitFound(found: unknown, data: unknown, view: AnyView, target: Surface): Promise<void> {
    const isEmpty = Array.isArray(found) && found.length === 0;
    if (isEmpty || found === null) {
      const { foundNothing } = await import('./query.ts');
      note(foundNothing(data, flags.profiles.length > 1));
    }
    if (isJson || flags.output === 'yaml') await deliver(forTarget(await resultText(found, view, flags, target)));
    // A page says itself that there is nothing.
    else await deliver(isEmpty && flags.output !== 'html' ? '' : forTarget(await foundText(found, flags, target)));
  }

  /** What a pull request or a run's page shows: always Markdown, whatever `-o` says. Resolves with what kept it from it. */
  async function summarize(data: unknown, view: AnyView): Promise<KnownError | undefined> {
    const target: Surface = { terminal: false, width: io.columns(), style: plainStyle };
    const text = await resultText(data, view, { ...flags, output: 'markdown' }, target);
    const { appendFileSync } = await import('node:fs');
    const file = resolve(io.cwd, io.env.GITHUB_STEP_SUMMARY ?? '');
    try {
      appendFileSync(file, `${redactor.text(text)}\n`);
      return undefined;
    } catch (error) {
      const { cannotWrite } = await import('../../kernel/file-failure.ts');
      return cannotWrite(
        file,
        error,
        'What the command did stands, and its result is written: only the summary is missing.',
      );
    }
  }

  async function emit(data: unknown, view: AnyView): Promise<void> {
    const unsummarized = flags.summary ? await summarize(data, view) : undefined;
    await emitResult(data, view);
    if (unsummarized) throw unsummarized;
  }

  async function emitResult(data: unknown, view: AnyView): Promise<void> {
    const target: Surface = { terminal: toTerminal, width: io.columns(), style: styles.stdout };
    if (query) {
      await emitFound(query(data), data, view, target);
      return;
    }
    await deliver(forTarget(await resultText(data, view, flags, target)));
    const isTable = flags.output === 'table' || flags.output === 'markdown';
    if (view.kind === 'list' && isTable && (data as unknown[]).length === 0) note(view.empty);
  }

  async function emitParts(parts: AsyncIterable<unknown[]>, view: AnyView & { kind: 'list' }): Promise<void> {
    const target: Surface = { terminal: toTerminal, width: io.columns(), style: styles.stdout };
    const { canGoInParts, textInParts } = await import('./result-parts.ts');
    if (query || !canGoInParts(flags, target)) {
      const rows: unknown[] = [];
      for await (const part of parts) for (const row of part) rows.push(row);
      await emit(rows, view);
      return;
    }
    let count = 0;
    const watched = async function* (): AsyncGenerator<unknown[]> {
      for await (const part of parts) {
        count += part.length;
        yield part;
      }
    };
    const texts = textInParts(watched(), view, flags, target);
    if (flags.out !== undefined && flags.out !== '-') {
      const { writeUserFileInParts } = await import('../../kernel/durable.ts');
      await writeUserFileInParts(resolve(io.cwd, flags.out), texts);
      note(`Written to ${flags.out}.`);
    } else for await (const text of texts) await write(io.stdout, fenced(text, io));
    if (count === 0 && flags.output === 'table') note(view.empty);
  }

  return {
    style: styles.stderr,
    emit: (data, view) => emit(data, view as unknown as AnyView),
    emitParts: (parts, view) => emitParts(parts, view as unknown as AnyView & { kind: 'list' }),
    emitLine: (data, text) => {
      const line = isJson ? jsonText(data) : typeof text === 'string' ? cleanText(text) : text(styles.stdout);
      return write(io.stdout, fenced(`${line}\n`, io));
    },
    emitText: (text) => deliver(toTerminal ? cleanText(text) : text),
    emitDryRun: async (requests, plan, text, ids = []) => {
      const result: DryRun = {
        dry_run: true,
        ...(target && { target }),
        requests,
        ...(plan !== undefined && { plan }),
      };
      const view: DocumentView<DryRun> = {
        kind: 'document',
        text: (_data, style, width) => text?.(style, width) ?? requestsText(requests),
        names: () => ids,
      };
      await emit(result, view as unknown as AnyView);
      return undefined;
    },
    note,
    advice: (hints) => hintText(hints.map(complete)),
    warn: (about) => {
      const issue = typeof about === 'object' && 'path' in about ? about : undefined;
      const text = issue
        ? [placeOf(issue), issue.path, issue.message].filter(Boolean).join(': ')
        : advice(about as Hint);
      const safe = redactor.text(cleanLine(text));
      const line = toProgram ? jsonText({ warning: { message: safe } }) : `${styles.stderr.yellow('Warning:')} ${safe}`;
      messages.say(line);
      if (issue) annotate('warning', issue);
    },
    annotate: (level, text) => annotate(level, { path: '', message: cleanLine(text) }),
    verbose: (text) => {
      if (flags.verbose || flags.debug) messages.write(`${styles.stderr.dim(redactor.text(cleanText(text)))}\n`);
    },
    show,
    target: (value, line) => {
      target = value;
      show(() => redactor.text(line));
    },
    progress: (title) => createProgress(title, io, flags, messages),
    waits: createWaits(io, flags, messages),
    beside: () => createOutput({ io, flags: { ...flags, out: undefined }, redactor, query, styles, asking }),
  };
}

/** What would be sent, when a command has nothing better to show for it. */
function requestsText(requests: DescribedRequest[]): string {
  if (requests.length === 0) return 'Nothing would be sent.';
  return requests
    .map(({ method, url, body }) => `${method} ${cleanText(url)}${body === undefined ? '' : `\n${jsonText(body, 2)}`}`)
    .join('\n\n');
}

/** Resolves when the text is handed over. Rejects with BrokenPipeError when nobody reads it any more. */
function write(stream: TextSink, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (!error) resolve();
      else reject(writeFailure(error));
    });
  });
}

function writeFailure(error: Error): Error {
  const code = systemErrorCode(error);
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return new BrokenPipeError();
  const reason = code === 'ENOSPC' ? 'the disk is full' : error.message;
  return fail('output.write', {
    message: `The result could not be written: ${reason}.`,
    hint: 'What the command did before that stands.',
    cause: error,
  });
}
