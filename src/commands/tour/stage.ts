// The stage of the tour: says what comes, prints each command before its result, and stops when one ends otherwise.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, EXIT, type ExitCode } from '../../lib/kernel/errors.ts';
import { cleanText } from '../../lib/render/clean.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { CommandRun, Rehearsal } from '../../lib/runtime/rehearsal.ts';

/** A busy machine takes a while to post a callback. */
const MOST_MS = 20_000;

export interface Stage {
  readonly rehearsal: Rehearsal;
  /** A heading. */
  chapter(title: string): Promise<void>;
  /** A sentence or two of what is about to happen. */
  say(text: string): Promise<void>;
  /** Prints the command line, runs it, prints what it prints. Throws when it does not end with `expect` (default 0). */
  run(line: string, expect?: ExitCode): Promise<CommandRun>;
  /** Waits for what the platform does by itself, and no longer than is good for a tour. */
  waitFor(event: Promise<void>): Promise<void>;
  /** Changes a file of the working folder, as an editor would. */
  edit(file: string, change: (text: string) => string): void;
  /** Prints the first lines of a file. */
  show(file: string, lines: number): Promise<void>;
}

export function openStage(ctx: Context, rehearsal: Rehearsal): Stage {
  const indent = (text: string): string =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => (line === '' ? '' : `  ${line}`))
      .join('\n');

  async function run(line: string, expect: ExitCode = EXIT.ok): Promise<CommandRun> {
    await ctx.out.emitLine(
      { command: `cdpadm ${line}` },
      (style) => `\n${style.cyan('$')} ${style.bold(`cdpadm ${line}`)}`,
    );
    const result = await rehearsal.run(splitWords(line));
    const output = [result.stderr, inColumns(result.stdout)].filter((text) => text.trim() !== '').map(indent);
    const ending = result.exit === 0 ? [] : [`  (exit ${result.exit})`];
    await ctx.out.emitLine(result, (style) => [...output, ...ending.map(style.dim)].join('\n'));
    if (result.exit !== expect) throw unexpected(line, expect, result);
    return result;
  }

  return {
    rehearsal,
    run,
    chapter: (title) => ctx.out.emitLine({ chapter: title }, (style) => `\n${style.bold(`── ${title} ──`)}`),
    say: (text) => ctx.out.emitLine({ say: text }, `\n${text}`),
    waitFor: async (event) => {
      const over = new AbortController();
      await Promise.race([event, ctx.clock.sleep(MOST_MS, AbortSignal.any([ctx.signal, over.signal]))]);
      over.abort();
    },
    edit: (file, change) => {
      const path = join(rehearsal.folder, file);
      const before = readFileSync(path, 'utf8');
      const after = change(before);
      if (after === before) throw new Error(`the tour's edit of ${file} changed nothing`);
      writeFileSync(path, after);
    },
    show: async (file, lines) => {
      const text = readFileSync(join(rehearsal.folder, file), 'utf8').split('\n').slice(0, lines).join('\n');
      await ctx.out.emitLine({ file, text }, (style) => style.dim(indent(cleanText(`${text}\n…`))));
    },
  };
}

/** Aligns tab-separated rows, which is what a pipe gets, for the people who read along. */
function inColumns(text: string): string {
  if (!text.includes('\t')) return text;
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, index) => Math.max(most[index] ?? 0, cell.length)),
    [],
  );
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Words of a line of ours; quotes group. */
function splitWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

function unexpected(line: string, expect: number, result: CommandRun): CliError {
  return new CliError({
    code: 'tour.unexpected',
    message: `\`cdpadm ${line}\` ended with ${result.exit} where the tour expects ${expect}.`,
    exit: EXIT.failed,
  });
}
