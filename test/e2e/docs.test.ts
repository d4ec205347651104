// Checks the documentation: its links and the files that it names exist, and a shell can run every example as written.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EmulatorReady } from '../../src/lib/emulator/index.ts';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import { interrupted } from '../../src/lib/runtime/interrupt.ts';
import { type CliHome, type CliResult, createCliHome, runCli } from '../helpers/cli.ts';
import { stageExamples } from '../helpers/example-files.ts';
import { openTerminal } from '../helpers/pty.ts';
import { PROGRAM, root } from '../helpers/root.ts';

const pages = ['.', 'docs', 'docs/commands', 'docs/recipes'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => normalize(join(folder, name))),
);

const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');
/** Removes code blocks, where brackets and hashes have a different meaning. */
const proseOf = (page: string): string => textOf(page).replace(/^```[\s\S]*?^```$/gm, '');

/** Returns the anchor that Markdown sites generate for a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

describe.each(pages)('%s', (page) => {
  test('links only to existing pages and headings', () => {
    const broken = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : normalize(join(dirname(page), path));
      if (!existsSync(join(root, file))) return [target];
      return anchor === undefined || anchorsOf(file).includes(anchor) ? [] : [target];
    });
    expect(broken).toEqual([]);
  });

  test('refers only to existing files', () => {
    const named = [...proseOf(page).matchAll(/`((?:src|test|docs|bench|scripts|bin)\/[\w./-]+)`/g)];
    // Skips widgets, the fictional resource in the CONTRIBUTING guide.
    const real = named.map(([, path = '']) => path).filter((path) => !path.includes('widgets'));
    expect(real.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

/** An editor for the examples: removes a task from one role. */
const EDIT = 'sed -i.bak -e /user-role/,$s/.*live_stream:view/#/';

/** Commands that are not run here: they build or install the program, or change the user's shell. */
const ELSEWHERE = /^(npm|npx|export|eval) /;

interface Example {
  line: string;
  /** The output that follows a command in a transcript, line by line; `…` marks parts that vary. */
  shown: string[];
}

/** Returns the commands in a page's `sh` and `console` blocks, with continued lines joined. */
function examplesOf(page: string): Example[] {
  return [...textOf(page).matchAll(/^```(sh|console)\n([\s\S]*?)^```$/gm)].flatMap(([, kind, block = '']) => {
    const lines = block.replaceAll('\\\n', ' ').split('\n');
    const isCommand = (line: string): boolean => kind === 'sh' || line.startsWith('$ ');
    const starts = lines.flatMap((line, index) => (isCommand(line) ? [index] : []));
    return starts.flatMap((start, index) => {
      const line = (lines[start] ?? '').replace(/^\$ /, '');
      if (line.trim() === '' || line.startsWith('#') || ELSEWHERE.test(line)) return [];
      return [{ line, shown: lines.slice(start + 1, starts[index + 1]) }];
    });
  });
}

/** Ignores column widths, which depend on the widest cell. */
const words = (text: string): string => text.replace(/\s+/g, ' ').trim();

function patternOf(shown: readonly string[]): RegExp {
  const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(words(shown.join(' ')).split('…').map(literal).join('.*?'));
}

describe.each(pages.filter((page) => examplesOf(page).length > 0))('%s', (page) => {
  let home: CliHome;
  let env: Record<string, string>;
  const stop = new AbortController();
  let serving: Promise<CliResult>;

  beforeAll(async () => {
    home = createCliHome();
    const bin = join(home.cwd, '..', 'bin');
    mkdirSync(bin, { recursive: true });
    // Runs the examples with --yes, in place of a user's confirmation.
    writeFileSync(join(bin, 'cdpadm'), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@" --yes\n`);
    chmodSync(join(bin, 'cdpadm'), 0o755);
    const ready = await new Promise<EmulatorReady>((resolve, reject) => {
      const onOutput = (stdout: string): void => {
        if (stdout.includes('\n')) resolve(JSON.parse(stdout) as EmulatorReady);
      };
      const args = ['emulator', 'start', '--memory', '--port', '0', '-o', 'json'];
      serving = runCli(args, { env: home.env, cwd: home.cwd, stop, onOutput });
      serving.then(({ stderr }) => reject(new Error(stderr)), reject);
    });
    env = { ...home.env, ...environmentOf(ready), PATH: [bin, process.env.PATH].join(delimiter), EDITOR: EDIT };
    await stageExamples(page, { cwd: home.cwd, env, run: (line) => shell(line) });
  });
  afterAll(async () => {
    stop.abort(interrupted());
    await serving;
    home.remove();
  });

  /** Runs a command in a terminal, because transcripts show terminal output. */
  async function onTerminal(line: string): Promise<{ code: number; output: string }> {
    const terminal = openTerminal([], { cwd: home.cwd, env, shell: line });
    const code = await terminal.exit;
    return { code, output: terminal.screen() };
  }

  function shell(line: string): Promise<{ code: number; output: string }> {
    return new Promise((resolve) => {
      execFile('bash', ['-c', line], { cwd: home.cwd, env }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, output: `${stdout}${stderr}` });
      });
    });
  }

  test.each(examplesOf(page).map(({ line, shown }) => [line, shown] as const))(
    'contains an example that succeeds: %s',
    async (line, shown) => {
      const { code, output } = await (shown.length > 0 ? onTerminal(line) : shell(line));
      const fine = line.includes('--exit-code') ? [0, 10] : [0];
      expect(fine, output).toContain(code);
      expect(words(output)).toMatch(patternOf(shown));
    },
  );
});
