// The built program on a terminal of its own, for what only a terminal shows: questions, keys, colour, width.
import { stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { PROGRAM } from './root.ts';

export const KEY = {
  enter: '\r',
  down: '\u001b[B',
  up: '\u001b[A',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  clearLine: '\u0015',
} as const;

export interface TerminalOptions {
  env: Record<string, string>;
  cwd: string;
  columns?: number;
  /** Sent to the shell that runs the program, in place of the program itself: `cdpadm … > file`. */
  shell?: string;
}

export interface Terminal {
  /** Resolves when the screen, colour left out, holds the text after the last one waited for; rejects at the end. */
  waitFor(text: string): Promise<void>;
  /** The same for the first of several texts. */
  waitForOne(texts: readonly string[]): Promise<string>;
  type(keys: string): void;
  /** The exit code, once the program has ended. */
  exit: Promise<number>;
  /** Everything that was drawn, as it came. */
  raw(): string;
  /** The same without colour and cursor movements. */
  screen(): string;
}

/** Runs `cdpadm` with these arguments; it is ended with the test. */
export function openTerminal(args: readonly string[], options: TerminalOptions): Terminal {
  const command = options.shell === undefined ? [process.execPath, PROGRAM, ...args] : ['/bin/sh', '-c', options.shell];
  const [file = '', ...rest] = command;
  const terminal = spawn(file, rest, {
    cols: options.columns ?? 100,
    rows: 40,
    cwd: options.cwd,
    name: options.env['TERM'] ?? 'xterm-256color',
    env: { PATH: process.env.PATH, CDPADM: `${process.execPath} ${PROGRAM}`, ...options.env },
  });
  let drawn = '';
  let position = 0;
  let ended = false;
  const watchers = new Set<() => void>();
  const changed = (): void => watchers.forEach((watch) => watch());
  terminal.onData((data) => {
    drawn += data;
    changed();
  });
  const exit = new Promise<number>((resolve) => {
    terminal.onExit(({ exitCode }) => {
      ended = true;
      resolve(exitCode);
      changed();
    });
  });
  onTestFinished(async () => {
    if (!ended) terminal.kill('SIGKILL');
    await exit;
  });
  const screen = (): string => stripVTControlCharacters(drawn);

  /** The first of the texts after the one that was waited for before. */
  function find(texts: readonly string[]): { text: string; index: number } | undefined {
    return texts
      .map((text) => ({ text, index: screen().indexOf(text, position) }))
      .filter(({ index }) => index >= 0)
      .sort((a, b) => a.index - b.index)[0];
  }

  const waitForOne = (texts: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = find(texts);
        if (!found && !ended) return;
        watchers.delete(look);
        if (!found) {
          reject(new Error(`the program ended without drawing ${JSON.stringify(texts)}:\n${screen()}`));
          return;
        }
        position = found.index + found.text.length;
        resolve(found.text);
      };
      watchers.add(look);
      look();
    });

  return {
    exit,
    raw: () => drawn,
    screen,
    type: (keys) => {
      terminal.write(keys);
    },
    waitForOne,
    waitFor: async (text) => {
      await waitForOne([text]);
    },
  };
}
