// The stage of the tour: says what comes, prints each command before its result, and stops when one ends otherwise.
import { EXIT } from '../../lib/runtime/exit-codes.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitAtMost } from '../../lib/kernel/clock.ts';
import type { KnownError } from '../../lib/kernel/errors.ts';
import type { ExitName } from '../../lib/errors/entry.ts';
import { splitWords } from '../../lib/kernel/words.ts';
import { cleanText } from '../../lib/render/clean.ts';
import { wrapPage } from '../../lib/render/page.ts';
import { fitText, wrapAligned, wrapUnder } from '../../lib/render/width.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { CommandRun, Sandbox } from '../../lib/runtime/emulator/sandbox.ts';
import { UNLIMITED_WIDTH } from '../../lib/runtime/output/result-text.ts';
import { fail } from '../../lib/errors/fail.ts';

/** A busy machine takes a while to post a callback. */
const MOST_MS = 20_000;
const INDENT = '  ';

export type Stage = ReturnType<typeof openStage>;

export function openStage(ctx: Context, sandbox: Sandbox) {
  const width = ctx.io.tty.stdout ? ctx.io.columns() : UNLIMITED_WIDTH;
  const indent = (text: string): string =>
    wrapAligned(text.trimEnd(), width - INDENT.length)
      .split('\n')
      .map((line) => (line === '' ? '' : INDENT + line))
      .join('\n');

  /** Prints the command line, runs it, prints what it prints. Throws when it does not end with `expect` (default `ok`). */
  async function run(line: string, expect: ExitName = 'ok'): Promise<CommandRun> {
    await ctx.out.emitLine(
      { command: `cdpadm ${line}` },
      (style) => `\n${style.cyan('$')} ${style.bold(commandLines(`cdpadm ${line}`, width - INDENT.length))}`,
    );
    const result = await sandbox.run(splitWords(line));
    const output = [result.stderr, inColumns(result.stdout, width - INDENT.length)]
      .filter((text) => text.trim() !== '')
      .map(indent);
    const ending = result.exit === 0 ? [] : [`  (exit ${result.exit})`];
    await ctx.out.emitLine(result, (style) => [...output, ...ending.map(style.dim)].join('\n'));
    if (result.exit !== EXIT[expect]) throw unexpected(line, EXIT[expect], result);
    return result;
  }

  return {
    sandbox,
    run,
    /** A heading. */
    chapter: (title: string): Promise<void> =>
      ctx.out.emitLine({ chapter: title }, (style) => `\n${style.bold(`── ${title} ──`)}`),
    /** A sentence or two of what is about to happen. */
    say: (text: string): Promise<void> => ctx.out.emitLine({ say: text }, `\n${wrapPage(text, width)}`),
    /** Waits for what the platform does by itself, and no longer than is good for a tour. */
    waitFor: (event: Promise<void>): Promise<void> => waitAtMost(event, MOST_MS, ctx.clock, ctx.signal),
    /** Changes a file of the working folder, as an editor would. */
    edit: (file: string, change: (text: string) => string): void => {
      const path = join(sandbox.folder, file);
      const before = readFileSync(path, 'utf8');
      const after = change(before);
      if (after === before) throw new Error(`the tour's edit of ${file} changed nothing`);
      writeFileSync(path, after);
    },
    /** Prints the first lines of a file. */
    show: async (file: string, lines: number): Promise<void> => {
      const text = readFileSync(join(sandbox.folder, file), 'utf8').split('\n').slice(0, lines).join('\n');
      const shown = [...cleanText(text).split('\n'), '…'].map((line) => INDENT + fitText(line, width - INDENT.length));
      await ctx.out.emitLine({ file, text }, (style) => style.dim(shown.join('\n')));
    },
  };
}

/**
 * A command line that can still be copied: one that is too wide breaks before its flags, and a shell reads on behind a
 * backslash. A flag and its value stay together.
 */
export function commandLines(line: string, width: number): string {
  const [first = '', ...parts] = line.split(/ (?=--)/);
  const lines = [first];
  for (const part of parts) {
    const last = lines.at(-1) ?? '';
    // Room for the backslash.
    if (last.length + part.length + 3 <= width) lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(`${INDENT}${INDENT}${part}`);
  }
  return lines.join(' \\\n');
}

/**
 * Aligns tab-separated rows, which is what a pipe gets, for the people who read along. A table that is too wide becomes a
 * card for each of its rows.
 */
function inColumns(text: string, width: number): string {
  if (!text.includes('\t')) return text;
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  const table = aligned(rows);
  if (table.every((line) => line.length <= width)) return table.join('\n');
  const [header = [], ...others] = rows;
  // A list names its columns in capitals; what else is too wide is a record, a name and its value on a line.
  if (header.some((name) => name !== name.toUpperCase())) return card(rows, width);
  return others
    .map((row) =>
      card(
        header.map((name, index) => [name, row[index] ?? '']).filter(([, cell]) => cell !== ''),
        width,
      ),
    )
    .join('\n\n');
}

function card(rows: readonly string[][], width: number): string {
  const names = aligned(rows.map(([name = '']) => [name, '.']));
  return rows
    .map(([, ...cells], index) => wrapUnder((names[index] ?? '').slice(0, -1), cells.join('  '), width))
    .join('\n');
}

function aligned(rows: readonly string[][]): string[] {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, index) => Math.max(most[index] ?? 0, cell.length)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function unexpected(line: string, expect: number, result: CommandRun): KnownError {
  return fail('tour.unexpected', {
    message: `\`cdpadm ${line}\` ended with ${result.exit} where the tour expects ${expect}.`,
  });
}
