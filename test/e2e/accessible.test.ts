// Accessible mode, for screen readers and terminals that cannot redraw: prompts and progress are printed line by line,
// and choices have numbers.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import { type CliHome, createCliHome } from '../helpers/cli.ts';
import { startTestEmulator, type TestEmulator } from '../helpers/emulator.ts';
import { KEY, openTerminal, type Terminal } from '../helpers/pty.ts';
import { FIXTURES, PENDING, RUN, stageFiles } from '../sweeps/stage.ts';

type Variables = Record<string, string>;

const WAYS: [name: string, env: Variables][] = [
  ['CDPADM_ACCESSIBLE=1', { CDPADM_ACCESSIBLE: '1' }],
  ['TERM=dumb', { TERM: 'dumb' }],
];

let platform: TestEmulator;
beforeAll(async () => {
  platform = await startTestEmulator({ fixtures: FIXTURES });
});
afterAll(() => platform.close());

let home: CliHome;
beforeEach(async () => {
  await platform.reset();
  home = createCliHome();
  stageFiles(home.cwd);
});
afterEach(() => home.remove());

function terminal(line: string, env: Variables): Terminal {
  const all = { ...home.env, ...environmentOf(platform.ready), ...env };
  return openTerminal(line.split(' '), { cwd: home.cwd, env: all });
}

/** Returns all escape sequences except colors, all backspaces, and all carriage returns that overwrite a line. */
function redraws(raw: string): string[] {
  return raw.match(/\u001b(?!\[[\d;]*m)[^\s]{0,6}|\r(?!\r*\n)|\u0008/g) ?? [];
}

/** Checks that nothing was redrawn, and that a dumb terminal received no escape sequence. */
function expectNoRedraw(screen: Terminal, env: Variables): void {
  expect(redraws(screen.raw())).toEqual([]);
  if (env['TERM'] === 'dumb') expect(screen.raw()).not.toContain('\u001b');
}

describe.each(WAYS)('with %s', (_name, env) => {
  test('prints a confirmation once', async () => {
    const screen = terminal('groups delete household', env);
    await screen.waitFor('(y/N)');
    screen.type(`perhaps${KEY.enter}`);
    await screen.waitFor('Type y or n.');
    screen.type(`n${KEY.enter}`);
    expect(await screen.exit).toBe(12);
    expectNoRedraw(screen, env);
  });

  test('prints a typed confirmation once', async () => {
    const screen = terminal('pipelines reset customers', env);
    await screen.waitFor('Type customers');
    screen.type(`other${KEY.enter}`);
    expect(await screen.exit).toBe(12);
    expectNoRedraw(screen, env);
  });

  test('prompts for text, a numbered choice and a secret', async () => {
    const screen = terminal('profile create prod --insecure-storage --no-color', { ...env, CDPADM_BASE_URL: '' });
    await screen.waitFor('Platform address');
    screen.type(`nowhere${KEY.enter}`);
    await screen.waitFor('must be a full address');
    await screen.waitFor('skip):');
    screen.type(`${platform.ready.base_url}${KEY.enter}`);
    await screen.waitFor('Client id');
    screen.type(`me${KEY.enter}`);
    await screen.waitFor('(not shown)');
    screen.type(`s3cret${KEY.enter}`);
    await screen.waitFor('Number or word (1)');
    screen.type(`environment${KEY.enter}`);
    await screen.waitFor('Number');
    expect(screen.screen()).toMatch(
      /1\. none: specify it in each command\r?\n {2}2\. development\r?\n {2}3\. production \(/,
    );
    screen.type(`9${KEY.enter}`);
    await screen.waitFor('Type a number from 1 to 3');
    screen.type(`prodution${KEY.enter}`);
    await screen.waitFor('or a word from the list. Did you mean production?');
    screen.type(`2${KEY.enter}`);
    await screen.waitFor('Environment: development');
    await screen.waitFor('Number');
    screen.type(KEY.enter);
    await screen.waitFor('Test the credentials now?');
    expect(screen.screen()).not.toContain('s3cret');
    screen.type(KEY.ctrlC);
    expect(await screen.exit).toBe(130);
    expectNoRedraw(screen, env);
  });

  test.each([
    ['a run with --wait', 'pipelines trigger customers --wait --wait-idle --poll 1s --yes', 0, 'success'],
    ['a watched run', `pipelines watch customers ${RUN} --poll 1s`, 0, 'success'],
    ['a bulk run', 'seed bulk users.ndjson --batch-size 1 --yes', 0, 'ACCEPTED'],
    [
      'a bulk run of data subject requests',
      'dsr submit --bulk people.csv --regulation gdpr --type access --yes',
      0,
      'SUBMITTED',
    ],
  ])('prints %s line by line', async (_what, line, code, word) => {
    const screen = terminal(line, env);
    expect(await screen.exit).toBe(code);
    expect(screen.screen().toLowerCase()).toContain(word.toLowerCase());
    expectNoRedraw(screen, env);
  });
});

describe.each(WAYS)('with %s', (_name, env) => {
  test.each([
    ['the wait for a request', `dsr wait ${PENDING}`],
    ['a watched request', `dsr status ${PENDING} --watch`],
  ])('prints %s line by line until Ctrl-C', async (_what, line) => {
    const screen = terminal(line, env);
    await screen.waitFor('pending');
    screen.type(KEY.ctrlC);
    expect(await screen.exit).toBe(130);
    expectNoRedraw(screen, env);
  });
});

test('redraws lines in normal mode, which shows that the other tests here can detect a redraw', async () => {
  const bulk = terminal('seed bulk users.ndjson --batch-size 1 --yes', {});
  expect(await bulk.exit).toBe(0);
  expect(redraws(bulk.raw())).not.toEqual([]);
  const question = terminal('groups delete household', {});
  await question.waitFor('(y/N)');
  question.type(`n${KEY.enter}`);
  expect(await question.exit).toBe(12);
  expect(redraws(question.raw())).not.toEqual([]);
});
