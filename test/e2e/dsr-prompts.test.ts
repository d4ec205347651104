// The prompts of `dsr submit` and other commands on a real terminal, and Ctrl-C and Ctrl-D at every prompt of
// `dsr submit`.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDsrHome } from '../helpers/dsr-home.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';
import { KEY, openTerminal, type Terminal } from '../helpers/pty.ts';

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome();
});
afterEach(() => home.close());

const terminal = (): Terminal => openTerminal(['dsr', 'submit'], { cwd: home.cwd, env: home.env });

/** The prompts in order, with the keys that answer each of them. */
const STEPS: [question: string, keys: string][] = [
  ['Regulation', KEY.enter],
  ['Type of the request', `${KEY.down}${KEY.down}${KEY.enter}`],
  // The default identifies a person, not a device.
  ['Identity type', KEY.enter],
  ['Value of email', `jane@example.com${KEY.enter}`],
  ['Another identity', KEY.enter],
  ['More options', KEY.enter],
  ['Submit this', `y${KEY.enter}`],
];

test('prompts for all required fields, shows the request, and submits it', async () => {
  const screen = terminal();
  for (const [question, keys] of STEPS) {
    await screen.waitFor(question);
    screen.type(keys);
  }
  expect(await screen.exit).toBe(0);
  expect(screen.screen()).toMatch(/Target: .*http:.*\/v3\s/);
  for (const text of ['7 to 21 days', 'email = j***@***.com', 'workspace', 'one month'])
    expect(screen.screen()).toContain(text);
  expect(screen.screen()).toContain('✔ Value of email j***@***.com');
  expect(screen.screen()).toContain('To see them, pass --show-identities.');
  expect(await home.received('POST', '/v3/requests')).toBe(1);
});

test('warns about duplicates before it prompts, and counts only the rows that it will send', async () => {
  const rows = ['ada', 'ben', 'kim'].map((name) => `gdpr,access,${name}@example.com`);
  home.write('people.csv', `regulation,subject_request_type,email\n${rows.join('\n')}\n`);
  await home.run('dsr submit --regulation gdpr --type access --identity email=ben@example.com --yes');
  const screen = openTerminal(['dsr', 'submit', '--bulk', 'people.csv'], { cwd: home.cwd, env: home.env });
  await screen.waitFor('Submit these 2 requests?');
  expect(screen.screen().replaceAll(/\s+/g, ' ')).toContain('1 row repeats a recent request for the same person');
  screen.type(`y${KEY.enter}`);
  expect(await screen.exit).toBe(3);
  expect(await home.received('POST', '/v3/requests')).toBe(3);
});

test('rejects an invalid value at its prompt, and invalid flags before the first prompt', async () => {
  const screen = openTerminal(['dsr', 'submit', '--type', 'access', '--regulation', 'gdpr'], {
    cwd: home.cwd,
    env: home.env,
  });
  await screen.waitFor('Identity type');
  // The last choice.
  screen.type(`${KEY.up}${KEY.enter}`);
  await screen.waitFor('Value of xpid');
  screen.type(KEY.enter);
  await screen.waitFor('The value of xpid is empty. Type a value, or < to go back.');
  screen.type(`abc${KEY.enter}`);
  await screen.waitFor('must be a signed 64-bit integer in plain digits');
  screen.type(`9007199254740993${KEY.enter}`);
  await screen.waitFor('More options');
  screen.type(KEY.ctrlC);
  expect(await screen.exit).toBe(130);
  const flagged = openTerminal(['dsr', 'submit', '--submitted-time', 'yesterday'], { cwd: home.cwd, env: home.env });
  expect(await flagged.exit).toBe(2);
  expect(flagged.screen()).not.toContain('Regulation');
  expect(flagged.screen()).toContain('--submitted-time must be a date');
  expect(await home.received('POST', '/v3')).toBe(0);
});

test.each([
  ['a typing error', 'notanemail', `n${KEY.enter}`, 'jane@example.com'],
  ['an intended value', 'notanemail', `y${KEY.enter}`, 'notanemail'],
  ['a digest', '0123456789abcdef0123456789abcdef', '', '0123456789abcdef0123456789abcdef'],
])('asks about a value that looks like neither an email nor a digest: %s', async (_what, typed, answer, taken) => {
  const flags = ['--type', 'access', '--regulation', 'gdpr', '--show-identities'];
  const screen = openTerminal(['dsr', 'submit', ...flags], { cwd: home.cwd, env: home.env });
  await screen.waitFor('Identity type');
  screen.type(KEY.enter);
  await screen.waitFor('Value of email');
  screen.type(`${typed}${KEY.enter}`);
  if (answer !== '') {
    await screen.waitFor('does not look like an email address');
    screen.type(answer);
  }
  if (taken !== typed) {
    await screen.waitFor('Value of email');
    screen.type(`${taken}${KEY.enter}`);
  }
  await screen.waitFor(`continue with email = ${taken}`);
  expect(screen.screen()).toContain(`✔ Value of email ${taken}`);
  screen.type(KEY.enter);
  await screen.waitFor('More options');
  screen.type(KEY.enter);
  await screen.waitFor('Submit this');
  expect(screen.screen()).toContain(`email = ${taken}`);
  expect(screen.screen()).not.toContain('are masked');
  expect(screen.screen().includes('does not look like')).toBe(answer !== '');
  screen.type(KEY.ctrlC);
  expect(await screen.exit).toBe(130);
});

test('returns to the previous prompt, and offers time, group and callback in one prompt', async () => {
  const screen = terminal();
  const steps: [string, string][] = [
    ['Regulation', KEY.enter],
    ['Type of the request', `${KEY.up}${KEY.enter}`],
    ['Regulation', `${KEY.down}${KEY.enter}`],
    ['Type of the request', KEY.enter],
    ['Identity type', KEY.enter],
    ['Value of email', `<${KEY.enter}`],
    ['Identity type', KEY.enter],
    ['Value of email', `jane@example.com${KEY.enter}`],
    // The identity is still there after a return to the list of identities.
    ['Another identity', KEY.enter],
    ['More options', `${KEY.up}${KEY.enter}`],
    ['continue with email = j***@***.com', KEY.enter],
    ['More options', `${KEY.down}${KEY.enter}`],
    ['when the subject made the request', `yesterday${KEY.enter}`],
    ['Enter a date', `${KEY.clearLine}2020-01-01${KEY.enter}`],
    ['More options', `${KEY.down}${KEY.down}${KEY.enter}`],
    ['Group id', `spring${KEY.enter}`],
    ['More options', `${KEY.down}${KEY.down}${KEY.down}${KEY.enter}`],
    ['Callback address', `https://example.com/wrong${KEY.enter}`],
    // An empty answer removes the value.
    ['More options', `${KEY.down}${KEY.down}${KEY.down}${KEY.enter}`],
    ['empty for none', KEY.enter],
    ['More options', KEY.enter],
    ['Submit this', `garbage${KEY.enter}`],
    ['Type y, n or <', `<${KEY.enter}`],
    // The answers are still there, and another option can be set.
    ['More options', `${KEY.up}${KEY.enter}`],
    ['continue with email = j***@***.com', KEY.enter],
    ['More options', `${KEY.down}${KEY.down}${KEY.down}${KEY.enter}`],
    ['Callback address', `https://example.com/done${KEY.enter}`],
    ['More options', KEY.enter],
    ['callback      https://example.com/done', ''],
    ['Submit this', KEY.ctrlC],
  ];
  for (const [question, keys] of steps) {
    await screen.waitFor(question);
    screen.type(keys);
  }
  expect(screen.screen()).toMatch(/group +spring/);
  expect(screen.screen()).toContain('email = j***@***.com');
  expect(screen.screen()).toContain('2020-01-01T00:00:00Z');
  expect(screen.screen()).not.toMatch(/^ *callback +https:\/\/example\.com\/wrong/m);
  expect(await screen.exit).toBe(130);
});

test('lists the requests in the ledger with type, status and id if no id is specified', async () => {
  for (const type of ['access', 'erasure'])
    await home.run(`dsr submit --type ${type} --regulation gdpr --identity email=jane@example.com --yes`);
  const screen = openTerminal(['dsr', 'evidence', '--out', 'proof.zip'], { cwd: home.cwd, env: home.env });
  await screen.waitFor('Request');
  // The id distinguishes requests from the same minute.
  await vi.waitFor(() => expect(screen.screen()).toMatch(/erasure {6}pending\s+[\da-f-]{36}/));
  screen.type(KEY.enter);
  expect(await screen.exit).toBe(0);
  expect(screen.screen()).toContain('proof.zip');
});

test('offers only pending requests in dsr cancel', async () => {
  const ids: string[] = [];
  for (const type of ['access', 'erasure']) {
    const line = `dsr submit --type ${type} --regulation gdpr --identity email=jane@example.com --yes`;
    ids.push((await home.json<{ subject_request_id: string }>(line)).data.subject_request_id);
  }
  await home.run(`dsr cancel ${ids[1] ?? ''} --yes`);
  const screen = openTerminal(['dsr', 'cancel'], { cwd: home.cwd, env: home.env });
  await screen.waitFor('Request');
  await screen.waitFor(ids[0] ?? '');
  expect(screen.screen()).not.toContain('erasure');
  screen.type(KEY.enter);
  await screen.waitFor('Cancel this request?');
  screen.type(`y${KEY.enter}`);
  expect(await screen.exit).toBe(0);
  const none = openTerminal(['dsr', 'cancel'], { cwd: home.cwd, env: home.env });
  expect(await none.exit).toBe(2);
  expect(none.screen()).toContain('To check: cdpadm dsr list');
});

test('offers only requests that can have results in dsr results, and exits with 2 if there are none', async () => {
  const none = openTerminal(['dsr', 'results'], { cwd: home.cwd, env: home.env });
  expect(await none.exit).toBe(2);
  expect(none.screen()).toContain('To check: cdpadm dsr list');
  for (const [type, name] of [
    ['access', 'jane'],
    ['erasure', 'ben'],
    ['access', 'kim'],
  ] as const) {
    const line = `dsr submit --type ${type} --regulation gdpr --identity email=${name}@example.com --yes -o json`;
    const { stdout } = await home.run(line);
    if (name === 'kim') await home.run(`dsr cancel ${/"subject_request_id": "([^"]+)/.exec(stdout)?.[1] ?? ''} --yes`);
  }
  await home.platform.api.advance('4d');
  const screen = openTerminal(['dsr', 'results'], { cwd: home.cwd, env: home.env });
  await screen.waitFor('access       pending');
  expect(screen.screen()).not.toMatch(/erasure|cancelled/);
  screen.type(KEY.enter);
  expect(await screen.exit).toBe(5);
  expect(screen.screen()).toContain('No records match');
});

describe.each([
  ['Ctrl-C', KEY.ctrlC, 130],
  ['Ctrl-D', KEY.ctrlD, 12],
])('%s', (_way, key, code) => {
  test.each(STEPS.map(([question], index) => [question, index] as const))(
    'sends nothing at the prompt "%s"',
    async (_question, last) => {
      const screen = terminal();
      for (const [index, [question, keys]] of STEPS.slice(0, last + 1).entries()) {
        await screen.waitFor(question);
        screen.type(index === last ? key : keys);
      }
      expect(await screen.exit).toBe(code);
      expect(await home.received('POST', '/v3/requests')).toBe(0);
    },
  );
});
