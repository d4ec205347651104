// Strings from a hostile platform, in the views of roles and in the messages about them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { environmentOf } from '../../../src/lib/runtime/emulator/environment.ts';
import { type CliHome, type CliResult, createCliHome } from '../../helpers/cli.ts';
import { createTestClock } from '../../helpers/clock.ts';
import { startTestEmulator } from '../../helpers/emulator.ts';
import { type Fault, type FaultServer, json, startFaultServer } from '../../helpers/fault-server.ts';
import { sample } from '../../helpers/size.ts';

/**
 * Characters that move the cursor, set the title, clear the screen, break the line, change the text direction or are
 * invisible.
 */
const PIECES = {
  escape: '\u001b[2J\u001b[1A\u001b]0;title\u0007',
  c1: '\u009b31m\u0090x\u009c',
  controls: '\u0000\u0007\u0008\u000b\u000c\u001a\u007f',
  ends: 'x\r\n- delete everything\r+ create admin\n\u0085~ modify admin\u2028y\u2029z',
  markup: '</td><script>alert(1)</script>| a | b |\n\n# heading\n```\n',
  direction: '\u202e\u2066\u200f\u061c\u2069',
  invisible: '\ufeff\u{e0041}\u{e007f}',
  formula: '=cmd|\u001b[31m\n+1',
} as const;

/**
 * Matches the characters that must not reach a terminal. Line breaks and tabs are not matched, because the program
 * prints them.
 */
const HARMFUL = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff\u{e0000}-\u{e007f}]/u;

const KINDS = Object.keys(PIECES) as (keyof typeof PIECES)[];
const idOf = (kind: keyof typeof PIECES): string => `${kind}${PIECES[kind]}`;
const MANIFEST = {
  last_modified_on: `2026-11-20 08:00:00${PIECES.escape}`,
  last_modified_by: `ada${PIECES.ends}${PIECES.direction}`,
  [`version${PIECES.escape}`]: PIECES.direction,
  roles: [
    ...KINDS.map((kind) => ({
      role_id: idOf(kind),
      name: `Name ${PIECES[kind]}`,
      description: `Says ${PIECES[kind]}`,
      origin: PIECES[kind],
      tasks: [{ task_id: `audiences:view${PIECES[kind]}` }, { task_id: 'audiences:view', note: PIECES[kind] }],
    })),
    { role_id: 'plain', name: 'Plain', description: 'Nothing', tasks: [{ task_id: 'audiences:view' }] },
  ],
};
const TASKS = [
  { task_id: 'audiences:view', display_name: 'View', description: 'Sees' },
  ...KINDS.map((kind) => ({
    task_id: `audiences:view${PIECES[kind]}`,
    display_name: `Shown ${PIECES[kind]}`,
    description: `Does ${PIECES[kind]}`,
  })),
];

let home: CliHome;
let server: FaultServer;
let env: Record<string, string>;
let onPut: Fault;
let stored: unknown;
const clock = createTestClock();

beforeAll(async () => {
  server = await startFaultServer();
  const platform = await startTestEmulator();
  const own = new URL(platform.ready.base_url).host;
  const text = JSON.stringify(environmentOf(platform.ready)).replaceAll(own, new URL(server.url).host);
  env = JSON.parse(text) as Record<string, string>;
  await platform.close();
});
afterAll(() => server.close());

beforeEach(() => {
  home = createCliHome();
  stored = MANIFEST;
  onPut = (socket, request) => {
    stored = { ...MANIFEST, ...(JSON.parse(request.body) as object) };
    json(stored)(socket, request);
  };
  server.otherwise((socket, request) => {
    const { method, target } = request;
    if (target === '/oauth/token')
      json({ access_token: 'token', token_type: 'Bearer', expires_in: 28_800 })(socket, request);
    else if (target.endsWith('/tasks')) json(TASKS)(socket, request);
    else if (method === 'PUT') onPut(socket, request);
    else json(stored)(socket, request);
  });
  // The desired state renames one role, adds one, keeps `plain`, and deletes the others.
  const tasks = [{ task_id: 'audiences:view' }];
  const renamed = { role_id: idOf('direction'), name: `Renamed ${PIECES.direction}`, description: PIECES.ends, tasks };
  const fresh = { role_id: 'fresh', name: 'Fresh', description: PIECES.escape, tasks };
  const roles = [renamed, MANIFEST.roles.at(-1), fresh];
  writeFileSync(join(home.cwd, 'wanted.json'), JSON.stringify({ roles }));
  writeFileSync(join(home.cwd, 'other.json'), JSON.stringify(MANIFEST));
  return () => home.remove();
});

const run = (args: readonly string[], tty = false): Promise<CliResult> =>
  home.run(args, { env: { ...env, NO_COLOR: '1' }, clock, tty, columns: 120 });

const FORMATS = ['table', 'markdown', 'csv', 'yaml', 'json', 'ndjson', 'name'];
const VIEWS: [string, string[]][] = [
  ['list', []],
  ['get', [idOf('ends')]],
  ['get', [idOf('escape')]],
  ['get', ['no-such-role']],
  ['tasks', []],
  ['tasks', ['--search', 'view']],
  ['explain', [idOf('direction')]],
  ['who-can', ['audiences:view']],
  ['who-can', [`audiences:view${PIECES.escape}`]],
  ['compare', [idOf('escape'), idOf('ends')]],
  ['matrix', []],
  ['pull', ['-']],
  ['pull', ['pulled.yaml', '--overwrite']],
  ['validate', ['wanted.json', '--online']],
  ['diff', ['wanted.json']],
  ['diff', ['wanted.json', '--against', 'other.json']],
  ['push', ['wanted.json', '--dry-run', '--allow-delete', '--force']],
  ['push', ['wanted.json']],
  ['push', ['wanted.json', '--yes', '--allow-delete', '--force']],
  ['create', ['another', '--from', idOf('ends'), '--name', 'Another', '--yes']],
  ['update', [idOf('ends'), '--name', 'Other', '--yes', '--force']],
  ['update', [idOf('formula'), '--remove-task', `audiences:view${PIECES.formula}`, '--yes']],
  ['delete', [idOf('direction'), '--yes', '--allow-delete', '--force']],
  ['delete', [idOf('direction'), '--yes']],
];

/** Files and pipes receive exact CSV and YAML (see the output tests). On a terminal, all formats are escaped. */
const isExact = (format: string, tty: boolean): boolean => !tty && (format === 'csv' || format === 'yaml');

describe('strings from the platform', () => {
  const lines = VIEWS.flatMap(([verb, args]) => FORMATS.map((format) => [verb, args, format] as const));
  test.each(sample(lines, 40).map((line) => [JSON.stringify([line[0], ...line[1]]), line[2], line] as const))(
    'are escaped in the output of roles %s as %s',
    async (_line, format, [verb, args]) => {
      for (const tty of [false, true]) {
        const flags = tty ? ['--no-input'] : [];
        const { code, stderr, stdout } = await run(['roles', verb, ...args, '-o', format, ...flags], tty);
        expect(code, stderr).toBeLessThan(13);
        expect(stderr).not.toMatch(HARMFUL);
        expect(stderr).not.toContain('this is a bug');
        const exact = isExact(format, tty) || (!tty && args[0] === '-');
        if (!exact) expect(stdout).not.toMatch(HARMFUL);
        // The second write changes nothing, so `-o name` prints nothing.
        if (!tty || format !== 'name') expect(stdout + stderr).not.toBe('');
      }
    },
  );

  test('are escaped in the HTML matrix, so that they add no markup', async () => {
    const { stdout, code } = await run(['roles', 'matrix', '-o', 'html']);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(HARMFUL);
    expect(stdout).not.toContain('<script>alert');
    expect(stdout).toContain('&lt;script&gt;');
  });

  test('are escaped in the history and in a rollback', async () => {
    await run(['roles', 'push', 'wanted.json', '--yes', '--allow-delete', '--force']);
    for (const format of FORMATS) {
      const { stdout, stderr, code } = await run(['roles', 'history', '-o', format], true);
      expect(code).toBe(0);
      expect(stdout + stderr).not.toMatch(HARMFUL);
    }
    const [newest = ''] = (await run(['roles', 'history', '-o', 'name'])).stdout.split('\n');
    const back = await run(['roles', 'rollback', newest, '--dry-run', '--allow-delete', '--force'], true);
    expect(back.stdout + back.stderr).not.toMatch(HARMFUL);
    expect(back.stdout).toContain('direction');
  });
});

describe('a rejection by the platform', () => {
  const message = KINDS.map((kind) => PIECES[kind]).join(' ');
  test.each([
    ['documented errors', json({ errors: [{ code: message, message }] }, { status: 400 })],
    ['plain text', json(message, { status: 422, headers: { 'content-type': 'text/plain' } })],
    [
      'HTML',
      json(`<html><title>${message}</title>${message}`, { status: 413, headers: { 'content-type': 'text/html' } }),
    ],
    ['a conflict', json({ errors: [{ code: 'CONFLICT', message }] }, { status: 409 })],
  ])('is printed without its control characters: %s', async (_how, fault) => {
    onPut = fault;
    for (const more of [[], ['-o', 'json'], ['--verbose'], ['--debug']]) {
      const { code, stderr, stdout } = await run(
        ['roles', 'push', 'wanted.json', '--yes', '--allow-delete', '--force', ...more],
        true,
      );
      expect(code).not.toBe(0);
      expect(stdout + stderr).not.toMatch(HARMFUL);
    }
  });
});

test('prevents names from forging lines in a plan or a message', async () => {
  const headsOf = (text: string): (string | undefined)[] =>
    text
      .split('\n')
      .filter((line) => /^\s*[+~-] ?(create|modify|delete|everything)/.test(line))
      .map((line) => line.trim().split(' ')[1]);
  const expected = ['create', 'modify', ...Array.from({ length: KINDS.length - 1 }, () => 'delete')];
  const diff = await run(['roles', 'diff', 'wanted.json'], true);
  expect(headsOf(diff.stdout)).toEqual(expected);
  expect(headsOf(diff.stderr)).toEqual([]);
  const reject = json({ errors: [{ code: 'NO', message: PIECES.ends }] }, { status: 400 });
  for (const fault of [onPut, reject]) {
    onPut = fault;
    stored = MANIFEST;
    const { stderr } = await run(['roles', 'push', 'wanted.json', '--yes', '--allow-delete', '--force'], true);
    expect(headsOf(stderr)).toEqual(expected);
  }
  const unknown = await run(['roles', 'get', `${idOf('ends')}.`], true);
  expect(unknown).toMatchObject({ code: 5, stderr: expect.stringContaining('Did you mean') as string });
  expect(headsOf(unknown.stderr)).toEqual([]);
});
