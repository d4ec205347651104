// Rules for the help of every command.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Command } from 'commander';
import { EXIT } from '../../src/lib/errors/entry.ts';
import { RunContext } from '../../src/lib/runtime/run-context.ts';
import { helpOf } from '../../src/lib/runtime/command-line/help.ts';
import { loadAll } from '../../src/program.ts';
import { topics } from '../../src/commands/help/topics.ts';
import { createTestIo } from '../helpers/cli.ts';
import { commandsBelow, leavesBelow, type Walked } from '../helpers/command-tree.ts';

const WIDTHS = [60, 80, 100];
const screens = new Map<number, [path: string, command: Command, screen: string][]>();

/** Returns the commands with a help screen: commands whose record contains help, and commands without subcommands. */
function describable(all: Walked[]): Walked[] {
  return all.filter(([, command]) => helpOf(command) !== undefined || command.commands.length === 0);
}

beforeAll(async () => {
  for (const columns of WIDTHS) {
    const program = await loadAll(new RunContext(createTestIo({ columns }).io, new AbortController().signal));
    const described = describable(commandsBelow(program)).map(
      ([path, command]) => [path, command, command.helpInformation()] as [string, Command, string],
    );
    expect(described.length).toBeGreaterThanOrEqual(leavesBelow(program).length);
    screens.set(columns, described);
  }
});

/** Returns the lines below a heading. */
function section(screen: string, heading: string): string[] {
  return new RegExp(`^${heading}\n((?: .*\n)+)`, 'm').exec(screen)?.[1]?.trimEnd().split('\n') ?? [];
}

/** Returns the exit codes that have their own line or appear in the sentence about the usual exit codes. */
function codesIn(lines: readonly string[]): number[] {
  const text = lines.join(' ');
  const own = lines.flatMap((line) => /^ {2}(\d+) {2}/.exec(line)?.[1] ?? []);
  const usual = /(?:Also|0 done,) (.*)\. {3}All/.exec(text)?.[1] ?? '';
  return [...own, ...[...usual.matchAll(/(?:^|, +)(\d+) /g)].map(([, code = '']) => code)].map(Number);
}

describe.each(WIDTHS)('help at %d columns', (columns) => {
  test('lists the exit codes of every command and refers to the page with all codes', () => {
    for (const [path, , screen] of screens.get(columns) ?? []) {
      const lines = section(screen, 'Exit codes:');
      expect(lines.at(-1), path).toBe('  All exit codes and error codes: cdpadm help exit-codes');
      const codes = codesIn(lines);
      expect(codes, path).toEqual(expect.arrayContaining([1, 2]));
      expect(new Set(codes).size, path).toBe(codes.length);
      const known: number[] = Object.values(EXIT);
      for (const code of codes) expect(known, path).toContain(code);
    }
  });

  test('has no lines wider than the terminal, except command lines and JSON', () => {
    for (const [path, , screen] of screens.get(columns) ?? []) {
      const prose = screen.replace(/^Examples:\n(?: .*\n)+/m, '').replace(/^JSON:\n(?: .*\n)+/m, '');
      for (const line of prose.split('\n')) {
        if (!line.includes('cdpadm ')) expect(line.length, `${path}: ${line}`).toBeLessThanOrEqual(columns);
      }
    }
  });
});

test('does not list exit codes for guards or partial results in the help of read-only commands, except warehouse diff', () => {
  for (const [path, command] of screens.get(80) ?? []) {
    const { reads, exits = {} } = helpOf(command) ?? {};
    if (!reads) continue;
    const found = Object.keys(exits).filter((name) => name === 'guard' || name === 'partial');
    expect(found, path).toEqual(path === 'warehouse diff' ? ['guard'] : []);
  }
});

test('lists every exit code on the page of `help exit-codes`', () => {
  const [page = ''] = (topics['exit-codes'] ?? '').split('Codes of errors');
  const codes = [...page.matchAll(/^ {2}(\d+) /gm)].map(([, code]) => Number(code));
  expect(codes).toEqual(Object.values(EXIT));
});

describe("a flag's default", () => {
  test('is printed as (default: VALUE)', () => {
    for (const [path, command, screen] of screens.get(100) ?? []) {
      const words = screen.replaceAll(/\s+/g, ' ');
      for (const { description, defaultValue } of [...command.options, ...command.registeredArguments]) {
        expect(description.replace(/\(default: [^)]+\)/, ''), path).not.toMatch(/\bdefault\b/);
        if (defaultValue !== undefined && defaultValue !== true) {
          expect(words, path).toContain(`default: ${String(defaultValue)})`);
        }
      }
    }
  });

  test('is also printed for global flags', () => {
    const page = [...(screens.get(80) ?? [])][0]?.[1].parent?.parent?.options ?? [];
    const silent = page.filter(
      ({ required, description }) => required && !/\(default: |instead of the profile/.test(description),
    );
    expect(silent.map(({ long }) => long)).toEqual(['--query', '--out', '--confirm', '--trace-file']);
  });
});
