// Runs the tour's commands: prints each one before its result, and stops at an unexpected exit code.
import { EXIT, type ExitName } from '../../lib/errors/entry.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitAtMost } from '../../lib/kernel/clock.ts';
import { splitWords } from '../../lib/kernel/words.ts';
import { cleanText } from '../../lib/render/clean.ts';
import { wrapPage } from '../../lib/render/page.ts';
import type { Style } from '../../lib/render/style.ts';
import { drawTable } from '../../lib/render/table.ts';
import type { Column } from '../../lib/render/view.ts';
import { fitText, packLines, wrapAligned } from '../../lib/render/width.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { Sandbox } from '../../lib/runtime/emulator/sandbox.ts';
import { UNLIMITED_WIDTH } from '../../lib/runtime/output/result-text.ts';
import { fail } from '../../lib/errors/fail.ts';

/** A busy machine may need this long to post a callback. */
const MOST_MS = 20_000;
const INDENT = '  ';
/** Longer output is shortened to its first and last lines. */
const MOST_LINES = 6;

export type Stage = ReturnType<typeof openStage>;

export function openStage(ctx: Context, sandbox: Sandbox) {
  const width = ctx.io.tty.stdout ? ctx.io.columns() : UNLIMITED_WIDTH;
  const indent = (text: string): string =>
    wrapAligned(text.trimEnd(), width - INDENT.length)
      .split('\n')
      .map((line) => (line === '' ? '' : INDENT + line))
      .join('\n');

  /** There is no blank line between text and the command that follows it. */
  let gap = '\n';
  /** Prints a command line, runs it and prints its output. Throws if the exit code is not `expect`. */
  async function run(line: string, expect: ExitName = 'ok'): Promise<void> {
    await ctx.out.emitLine(
      { command: `cdpadm ${line}` },
      (style) => `${gap}${style.cyan('$')} ${style.bold(commandLines(`cdpadm ${line}`, width - INDENT.length))}`,
    );
    gap = '\n';
    const result = await sandbox.run(splitWords(line));
    const output = [result.stderr, await inColumns(result.stdout, width - INDENT.length, ctx.out.style)]
      .filter((text) => text.trim() !== '')
      .flatMap((text) => indent(text).split('\n'));
    const ending = result.exit === 0 ? [] : [`  (exit ${result.exit})`];
    await ctx.out.emitLine(result, (style) => [...shorten(output), ...ending.map(style.dim)].join('\n'));
    if (result.exit !== EXIT[expect])
      throw fail('tour.unexpected', {
        message: `\`cdpadm ${line}\` exited with ${result.exit}, but the tour expects ${EXIT[expect]}.`,
      });
  }

  return {
    sandbox,
    run,
    chapter: (title: string): Promise<void> =>
      ctx.out.emitLine({ chapter: title }, (style) => `\n${style.bold(`── ${title} ──`)}`),
    say: async (text: string): Promise<void> => {
      await ctx.out.emitLine({ say: text }, `\n${wrapPage(text, width)}`);
      gap = '';
    },
    waitFor: (event: Promise<unknown>): Promise<void> => waitAtMost(event, MOST_MS, ctx.clock, ctx.signal),
    edit: (file: string, change: (text: string) => string): void => {
      const path = join(sandbox.folder, file);
      const before = readFileSync(path, 'utf8');
      const after = change(before);
      if (after === before) throw new Error(`the tour's edit of ${file} changed nothing`);
      writeFileSync(path, after);
    },
    show: async (file: string, lines: number): Promise<void> => {
      const text = readFileSync(join(sandbox.folder, file), 'utf8').split('\n').slice(0, lines).join('\n');
      const shown = [...cleanText(text).split('\n'), '…'].map((line) => INDENT + fitText(line, width - INDENT.length));
      gap = '\n';
      await ctx.out.emitLine({ file, text }, (style) => style.dim(shown.join('\n')));
    },
  };
}

function shorten(lines: readonly string[]): string[] {
  if (lines.length <= MOST_LINES) return [...lines];
  const tail = lines.slice(2).filter((line, index, { length }) => index >= length - 2 || /^ *Error: /.test(line));
  return [...lines.slice(0, 2), `${INDENT}…`, ...tail];
}

/** Breaks a wide command line before its flags, with backslashes, so that users can still copy it. */
export function commandLines(line: string, width: number): string {
  const lineEnd = ' \\';
  const lines = packLines(line.split(/ (?=--)/), width - lineEnd.length, { gap: ' ', next: INDENT + INDENT });
  return lines.join(`${lineEnd}\n`);
}

/** Draws tab-separated rows, which a command writes to a pipe, as the command draws them on a terminal. */
async function inColumns(text: string, width: number, style: Style): Promise<string> {
  if (!text.includes('\t')) return text;
  const lines = text.trimEnd().split('\n');
  const titles = lines[0]?.split('\t') ?? [];
  // The header of a list is uppercase. Other output is a record: lines with a name and a value.
  const header = titles.every((name) => name === name.toUpperCase());
  const rows = lines.map((line) => (header ? line.split('\t') : line.split(/\t(.*)/)));
  const columns = (header ? titles : ['name', 'value']).map((title, index): Column<string[]> => {
    return { key: title, title, idTitle: true, id: true, value: (row) => row[index]?.replaceAll('\t', '  ') };
  });
  return await drawTable(header ? rows.slice(1) : rows, columns, { width, style, header });
}
