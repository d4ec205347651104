// Runs the built program in a pseudoterminal, for tests of prompts, keys, color and width.
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
  /** A shell command to run instead of the program, such as `cdpadm … > file`. */
  shell?: string;
}

export interface Terminal {
  /** Resolves when the screen shows the text after the previous match, ignoring color; rejects if the program exits. */
  waitFor(text: string): Promise<void>;
  /** Resolves to the first of these strings that appears on the screen. */
  waitForOne(texts: readonly string[]): Promise<string>;
  type(keys: string): void;
  exit: Promise<number>;
  /** The complete output, verbatim. */
  raw(): string;
  /** The output without colors or cursor movements. */
  screen(): string;
}

/** Runs `cdpadm` with these arguments until the test ends. */
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

  /** Returns the string that appears first after the previous match. */
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
