// Writes a command's result to standard output or the `--out` file and, with `--summary`, to the step summary.
import { resolve } from 'node:path';
import { fail } from '../../errors/fail.ts';
import { type KnownError, systemErrorCode, usageError } from '../../kernel/errors.ts';
import { cleanText } from '../../render/clean.ts';
import { plainStyle } from '../../render/style.ts';
import type { TextSink } from '../context.ts';
import { BrokenPipeError } from '../interrupt.ts';
import { fenced } from './annotations.ts';
import type { OutputSetup } from './messages.ts';
import { type AnyView, foundText, isJsonFormat, resultText, type Surface } from './result-text.ts';
import { isRecord } from '../../kernel/json.ts';

type ListOfAny = AnyView & { kind: 'list' };

const NOT_UNDONE = 'Changes that were already made are not undone.';

export function createResults({ io, flags, redactor, query, styles }: OutputSetup, note: (text: string) => void) {
  const toTerminal = flags.out === undefined && io.tty.stdout;
  const file = flags.out === undefined || flags.out === '-' ? undefined : resolve(io.cwd, flags.out);
  const surface: Surface = {
    terminal: toTerminal,
    get width() {
      return io.columns();
    },
    style: styles.stdout,
  };

  async function deliver(text: string): Promise<void> {
    if (file === undefined) {
      if (text !== '') await write(io.stdout, fenced(text, io));
      return;
    }
    const { writeUserFile } = await import('../../kernel/durable.ts');
    try {
      writeUserFile(file, text);
    } catch (error) {
      const known = error as KnownError;
      throw known.with({ hint: [...known.hints, NOT_UNDONE] });
    }
    note(`Written to ${flags.out}.`);
  }

  /** A file or pipe gets YAML and CSV unchanged. A terminal gets text without control characters. */
  function forTarget(text: string): string {
    const isExact = flags.output === 'yaml' || flags.output === 'csv';
    return isExact && toTerminal ? cleanText(text) : text;
  }

  async function emitFound(found: unknown, data: unknown, view: AnyView): Promise<void> {
    const isEmpty = Array.isArray(found) && found.length === 0;
    if (isEmpty || found === null) note(foundNothing(data, flags.profiles.length > 1));
    if (isJsonFormat(flags) || flags.output === 'yaml') {
      await deliver(forTarget(await resultText(found, view, flags, surface)));
    } else if (isEmpty && flags.output !== 'html') await deliver('');
    else await deliver(forTarget(await foundText(found, flags, surface)));
  }

  /** Appends the result to the step summary, always as Markdown. Returns the error if appending fails. */
  async function summarize(data: unknown, view: AnyView): Promise<KnownError | undefined> {
    const target: Surface = { terminal: false, width: io.columns(), style: plainStyle };
    const text = await resultText(data, view, { ...flags, output: 'markdown' }, target);
    const { appendFileSync } = await import('node:fs');
    const summary = resolve(io.cwd, io.env.GITHUB_STEP_SUMMARY ?? '');
    try {
      appendFileSync(summary, `${redactor.text(text)}\n`);
      return undefined;
    } catch (error) {
      const { cannotWrite } = await import('../../kernel/errors.ts');
      return cannotWrite(
        summary,
        error,
        'The command succeeded and its result was written; only the summary is missing.',
      );
    }
  }

  async function emit(data: unknown, view: AnyView): Promise<void> {
    const unsummarized = flags.summary ? await summarize(data, view) : undefined;
    if (query) await emitFound(query(data), data, view);
    else {
      await deliver(forTarget(await resultText(data, view, flags, surface)));
      const isTable = flags.output === 'table' || flags.output === 'markdown';
      if (view.kind === 'list' && isTable && (data as unknown[]).length === 0) note(view.empty);
    }
    if (unsummarized) throw unsummarized;
  }

  async function emitParts(parts: AsyncIterable<unknown[]>, view: ListOfAny): Promise<void> {
    const { canGoInParts, textInParts } = await import('./result-text.ts');
    if (query || !canGoInParts(flags, surface)) {
      const rows: unknown[] = [];
      for await (const part of parts) for (const row of part) rows.push(row);
      await emit(rows, view);
      return;
    }
    let count = 0;
    const counted = async function* (): AsyncGenerator<unknown[]> {
      for await (const part of parts) {
        count += part.length;
        yield part;
      }
    };
    const texts = textInParts(counted(), view, flags, surface);
    if (file === undefined) for await (const text of texts) await write(io.stdout, fenced(text, io));
    else {
      const { writeUserFileInParts } = await import('../../kernel/durable.ts');
      await writeUserFileInParts(file, texts);
      note(`Written to ${flags.out}.`);
    }
    if (count === 0 && flags.output === 'table') note(view.empty);
  }

  let isBegun = false;
  /** Writes a line. The first line replaces the `--out` file, and later lines are appended to it. */
  async function emitLine(line: string): Promise<void> {
    if (file === undefined) return await write(io.stdout, fenced(`${line}\n`, io));
    const isFirst = !isBegun;
    isBegun = true;
    if (isFirst) return await deliver(`${line}\n`);
    const { appendFileSync } = await import('node:fs');
    try {
      appendFileSync(file, `${line}\n`);
    } catch (error) {
      const { cannotWrite } = await import('../../kernel/errors.ts');
      throw cannotWrite(file, error, NOT_UNDONE);
    }
  }

  return {
    emit,
    emitParts,
    emitText: (text: string): Promise<void> => deliver(toTerminal ? cleanText(text) : text),
    emitLine,
  };
}

/** Resolves once the stream has accepted the text. Rejects with BrokenPipeError if the reader closed the pipe. */
function write(stream: TextSink, text: string): Promise<void> {
  return new Promise((resolved, reject) => {
    stream.write(text, (cause) => {
      if (!cause) return resolved();
      const code = systemErrorCode(cause);
      if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return reject(new BrokenPipeError());
      const reason = code === 'ENOSPC' ? 'the disk is full' : cause.message;
      reject(fail('output.write', { message: `Cannot write the result: ${reason}.`, hint: NOT_UNDONE, cause }));
    });
  });
}

/** Compiles `--query` (JMESPath) before the command does anything. Throws KnownError usage (2) if it is invalid. */
export async function compileQuery(expression: string) {
  const { compile, TreeInterpreter } = await import('@jmespath-community/jmespath');
  let tree: ReturnType<typeof compile>;
  try {
    tree = compile(expression);
  } catch (error) {
    throw usageError(
      `--query is not a valid JMESPath expression: ${(error as Error).message}`,
      'See jmespath.org for the syntax.',
    );
  }
  return (data: unknown): unknown => {
    try {
      return TreeInterpreter.search(tree, withoutBigIntegers(data) as never);
    } catch (error) {
      throw usageError(`--query cannot be applied to this result: ${(error as Error).message}`);
    }
  };
}

const NAMED = 12;

/** Returns the note for a query without results. It names the fields, because JMESPath accepts unknown ones. */
function foundNothing(data: unknown, severalProfiles: boolean): string {
  const text = 'The query found nothing.';
  if (severalProfiles) return `${text} With several profiles, it is applied to the list of {profile, data}.`;
  const record: unknown = Array.isArray(data) ? data[0] : data;
  if (!isRecord(record)) return text;
  const fields = Object.keys(record);
  if (fields.length === 0) return text;
  const named = `${fields.slice(0, NAMED).join(', ')}${fields.length > NAMED ? ', …' : ''}`;
  return `${text} It was applied to ${Array.isArray(data) ? 'a list of records' : 'a record'} with ${named}.`;
}

/** Converts big integers to strings, which are exact, because JMESPath supports only doubles. */
function withoutBigIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(withoutBigIntegers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutBigIntegers(item)]));
}
