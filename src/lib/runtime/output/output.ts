// Builds the part of a context that an action needs but `--help` does not: output, and prompts on standard error.
import type { DescribedRequest } from '../../http/types.ts';
import { cleanText } from '../../render/clean.ts';
import type { DocumentView } from '../../render/view.ts';
import type { Output, GlobalFlags, Io, Prompts } from '../context.ts';
import type { Target } from '../target.ts';
import { createMessages, createNotes, type OutputSetup } from './messages.ts';
import { createProgress } from './progress.ts';
import { type AnyView, isJsonFormat, jsonText } from './result-text.ts';
import { compileQuery, createResults } from './results.ts';
import { createWaits } from './waits.ts';
import { resolve } from 'node:path';
import { type KnownError, usageError } from '../../kernel/errors.ts';
import type { Redactor } from '../../kernel/redact.ts';
import { createStyle, wantsColor } from '../../render/style.ts';
import { createPrompts } from '../prompts/prompts.ts';

export function createOutput(setup: OutputSetup): Output {
  const { io, flags, redactor, styles } = setup;
  const messages = createMessages(io);
  const notes = createNotes(setup, messages);
  const results = createResults(setup, notes.note);
  let target: Target | undefined;
  return {
    ...notes,
    style: styles.stderr,
    emit: (data, view) => results.emit(data, view as unknown as AnyView),
    emitParts: (parts, view) => results.emitParts(parts, view as unknown as AnyView & { kind: 'list' }),
    emitText: results.emitText,
    emitLine: (data, text) => {
      const found = setup.query ? setup.query(data) : data;
      if (typeof found === 'string' && setup.query && !isJsonFormat(flags)) return results.emitLine(cleanText(found));
      if (isJsonFormat(flags) || setup.query) return results.emitLine(jsonText(found));
      return results.emitLine(typeof text === 'string' ? cleanText(text) : text(styles.stdout));
    },
    // Call this object's `emit`, because a run for several profiles replaces the method.
    async emitDryRun(requests, plan = null, text, ids = []) {
      // The plan is null if the requests are the whole plan.
      const result = { dry_run: true, ...(target && { target }), requests, plan };
      const view: DocumentView<typeof result> = {
        kind: 'document',
        text: (_data, style, width) =>
          (typeof text === 'string' ? text : text?.(style, width)) ?? requestsText(requests),
        names: () => ids,
      };
      await this.emit(result, view);
    },
    target: (value, line) => {
      target = value;
      notes.show(() => redactor.text(line));
    },
    progress: (title) => createProgress(title, io, flags, messages),
    waits: createWaits(io, flags, messages),
    beside: () => createOutput({ ...setup, flags: { ...flags, out: undefined } }),
  };
}

function requestsText(requests: DescribedRequest[]): string {
  if (requests.length === 0) return 'Nothing would be sent.';
  return requests
    .map(({ method, url, body }) => `${method} ${cleanText(url)}${body === undefined ? '' : `\n${jsonText(body, 2)}`}`)
    .join('\n\n');
}

/** Throws usage (2) for an invalid `--query`, `--out` or `--summary`, before any work is done. */
export async function begin(
  io: Io,
  flags: GlobalFlags,
  redactor: Redactor,
  signal: AbortSignal,
  asking: readonly string[],
): Promise<{ out: Output; prompt: Prompts }> {
  const query = flags.query === undefined ? undefined : await compileQuery(flags.query);
  const file = flags.out === '-' ? undefined : flags.out;
  if (file !== undefined) await checkFile('--out', resolve(io.cwd, file));
  const summary = io.env.GITHUB_STEP_SUMMARY;
  if (flags.summary && !summary)
    throw usageError('--summary needs $GITHUB_STEP_SUMMARY, the file to append to.', 'Set it, or use --out FILE.');
  if (flags.summary && summary) await checkFile('--summary', resolve(io.cwd, summary));
  const styles = {
    stdout: await createStyle(file === undefined && wantsColor(flags.color, io.env, io.tty.stdout)),
    stderr: await createStyle(wantsColor(flags.color, io.env, io.tty.stderr)),
  };
  return {
    out: createOutput({ io, flags, redactor, query, styles, asking }),
    prompt: createPrompts(io, flags, styles.stderr, signal),
  };
}

async function checkFile(flag: string, file: string): Promise<void> {
  const { checkUserFile } = await import('../../kernel/durable.ts');
  try {
    checkUserFile(file);
  } catch (error) {
    const { message } = error as KnownError;
    throw usageError(message.replace(/^C/, `${flag} c`), 'Create its folder if it is missing, or choose another file.');
  }
}
