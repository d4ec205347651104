// An editor owns the terminal while it is open: its output is not part of the result, and it handles Ctrl-C.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CliHome, createCliHome } from '../helpers/cli.ts';
import { KEY, openTerminal, type Terminal } from '../helpers/pty.ts';

let home: CliHome;
beforeEach(() => (home = createCliHome()));
afterEach(() => home.remove());

/**
 * Runs `roles edit`, or `shell`, with an editor that executes the code `editor`, in which `path` is the edited file.
 */
function edit(editor: string, shell?: string): Terminal {
  const script = join(home.cwd, 'editor.cjs');
  writeFileSync(script, `const fs = require('fs'), path = process.argv.at(-1);\n${editor}`);
  const CDPADM_EDITOR = `"${process.execPath}" "${script}"`;
  const env = { ...home.env, CDPADM_EDITOR, CDPADM_PROFILE: 'local' };
  // The terminal is wide enough for the path of the saved text.
  return openTerminal(['roles', 'edit'], { cwd: home.cwd, env, columns: 200, ...(shell !== undefined && { shell }) });
}

const rename = `fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace('name: User\\n', 'name: Renamed\\n'));`;

test('prints only the result on standard output, even if the editor prints something', async () => {
  const screen = edit(`console.log('2052 bytes');${rename}`, '$CDPADM roles edit -o json > result.json');
  await screen.waitFor('the whole manifest');
  screen.type(KEY.enter);
  await screen.waitFor('2052 bytes');
  await screen.waitFor('(y/N)');
  screen.type(`y${KEY.enter}`);
  expect(await screen.exit).toBe(0);
  expect(JSON.parse(readFileSync(join(home.cwd, 'result.json'), 'utf8'))).toMatchObject({ applied: true });
});

test('leaves Ctrl-C to the editor while the editor is open, and handles Ctrl-C afterward', async () => {
  const screen = edit(
    `process.on('SIGINT', () => { console.log('still open'); ${rename} clearTimeout(open); });
     const open = setTimeout(() => {}, 60_000);
     console.log('open');`,
  );
  await screen.waitFor('the whole manifest');
  screen.type(KEY.enter);
  await screen.waitFor('open');
  screen.type(KEY.ctrlC);
  await screen.waitFor('still open');
  await screen.waitFor('(y/N)');
  screen.type(KEY.ctrlC);
  expect(await screen.exit).toBe(130);
  expect(readFileSync(/kept in (\S+)/.exec(screen.screen())?.[1] ?? '', 'utf8')).toContain('name: Renamed');
});

test.each([
  ['is killed by Ctrl-C', ''],
  ['runs in a shell that exits with 130', `process.on('SIGINT', () => process.exit(130));`],
])('exits with 130 and keeps the text if the editor %s', async (_how, handler) => {
  const screen = edit(`${handler}${rename} setTimeout(() => {}, 60_000); console.log('open');`);
  await screen.waitFor('the whole manifest');
  screen.type(KEY.enter);
  await screen.waitFor('open');
  screen.type(KEY.ctrlC);
  expect(await screen.exit).toBe(130);
  expect(screen.screen()).toContain('Error: Interrupted.');
  expect(readFileSync(/kept in (\S+)/.exec(screen.screen())?.[1] ?? '', 'utf8')).toContain('name: Renamed');
});

test('terminates the editor on SIGTERM and keeps the text', async () => {
  const screen = edit(
    `process.on('SIGTERM', () => { fs.writeFileSync('ended', ''); process.exit(1); });
     setTimeout(() => {}, 60_000);
     ${rename}
     console.log('open');`,
    '$CDPADM roles edit & pid=$!; read line; kill -TERM $pid; wait $pid; echo "code $?"',
  );
  await screen.waitFor('open');
  screen.type(KEY.enter);
  await screen.waitFor('code 143');
  expect(existsSync(join(home.cwd, 'ended'))).toBe(true);
  expect(readFileSync(/kept in (\S+)/.exec(screen.screen())?.[1] ?? '', 'utf8')).toContain('name: Renamed');
});
