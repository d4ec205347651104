// `log`: every write from this machine, as a chain of entries.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loggedWrite, type LoggedWrite } from '../../src/lib/runtime/memory/write-log.ts';
import { MODEL, SECRET_ENV, stageSync } from '../helpers/warehouse-files.ts';
import { createFastClock } from '../helpers/fast-clock.ts';
import { createDsrHome } from '../helpers/dsr-home.ts';
import { type PlatformHome, useProfile } from '../helpers/platform-home.ts';

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome();
});
afterEach(() => home.close());

const folder = (): string => join(home.env['CDPADM_STATE_DIR'] ?? '', 'log');
const path = (): string => join(folder(), 'writes.ndjson');
const lines = (): string[] => readFileSync(path(), 'utf8').trimEnd().split('\n');
const entries = async (flags = ''): Promise<LoggedWrite[]> =>
  (await home.json<LoggedWrite[]>(`log ${flags}`.trim())).data;
const update = (name: string) => home.run(`roles update user-role --name ${name} --yes`);
const submit = (email: string) =>
  home.run(`dsr submit --regulation gdpr --type erasure --identity email=${email} --yes`);

it('logs nothing before the first write, and still nothing after reads and dry runs', async () => {
  expect(await entries()).toEqual([]);
  await home.run('roles list');
  await home.run('roles update user-role --name Reader --dry-run');
  expect(await entries()).toEqual([]);
  expect((await home.run('log')).stderr).toContain('This machine has not written to a platform yet.');
  expect((await home.run('log verify')).stderr).toContain('The log on this machine is empty');
});

it('records the plan, the target and the requests of a write, and the command that undoes it', async () => {
  const { CDPADM_BASE_URL: address, CDPADM_ORG_ID: org_id = '', CDPADM_ACCOUNT_ID: account_id = '' } = home.env;
  useProfile(home);
  await update('Reader');
  const [entry, ...others] = await entries();
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    // With fewer digits, two of many entries would probably have the same id and be shown as one.
    id: expect.stringMatching(/^[0-9a-f]{10}$/),
    command: 'roles update',
    args: ['user-role'],
    outcome: 'done',
    error: null,
    profile: 'qa',
    plan: expect.stringMatching(/^[0-9a-f]{32}$/),
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    requests: 1,
    request_ids: [expect.stringMatching(/^[0-9a-f-]{36}$/)],
    counts: { create: 0, modify: 1, delete: 0 },
    undo: expect.stringMatching(`^cdpadm roles rollback \\S+ --profile qa --org ${org_id} --account ${account_id}$`),
  });
  expect(entry?.target).toMatchObject({ org_id, address });
  const undone = await home.run(`${entry?.undo?.replace('cdpadm ', '') ?? ''} --yes`);
  expect(undone.code).toBe(0);
  expect((await entries()).map(({ command }) => command)).toEqual(['roles update', 'roles rollback']);
});

it.each(['log', 'log verify', 'log prune --before 2024-01-01'])(
  'exits with 1 if the path of the log folder is a file: %s',
  async (line) => {
    mkdirSync(join(home.cwd, 'state'));
    home.write('state/log', '');
    home.env['CDPADM_STATE_DIR'] = join(home.cwd, 'state');
    const { code, stderr } = await home.run(line);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/Cannot read .*log: a part of the path is not a folder/)]);
  },
);

it('does not store identities in the log, and makes the log files private', async () => {
  useProfile(home);
  await submit('ada@example.com');
  const [entry] = await entries();
  expect(entry?.undo).toMatch(/^cdpadm dsr cancel [0-9a-f-]{36} --profile qa --workspace \d+$/);
  for (const name of readdirSync(folder())) {
    expect(statSync(join(folder(), name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder(), name), 'utf8')).not.toMatch(/ada@|example\.com/);
  }
});

it('records a bulk run as one entry with its counts', async () => {
  home.write('people.csv', 'email\na@example.com\nb@example.com\nc@example.com\n');
  await home.run('dsr submit --bulk people.csv --regulation gdpr --type access --yes');
  expect(await entries()).toMatchObject([
    {
      command: 'dsr submit',
      outcome: 'done',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      requests: 3,
      counts: { rows: 3, submitted: 3, existing: 0, failed: 0 },
    },
  ]);
});

it.each([
  ['rejected', { status: 422, times: 1 }, 'rejected'],
  ['lost before it arrived', { drop: 'before', times: 10 }, 'unknown'],
  ...[408, 502, 503, 520].map((status) => [`answered with ${status}`, { status, times: 10 }, 'unknown'] as const),
] as const)('reports the outcome of a request that was %s', async (_name, fault, outcome) => {
  await home.platform.api.addFault({ method: 'POST', path: '/v1/identify', ...fault });
  const body = { environment: 'development', user_identities: { email: 'ada@people.example' } };
  home.write('identify.json', JSON.stringify({ ...body, user_attributes: { first_name: 'Ada' } }));
  await home.run('intake identify -f identify.json --yes', { clock: createFastClock(100) });
  expect(await entries()).toMatchObject([{ command: 'intake identify', outcome, undo: null }]);
});

it('lists a killed command with the outcome `unknown`', async () => {
  useProfile(home);
  await update('Reader');
  const [started = ''] = lines();
  const { plan, undo } = (await entries())[0] ?? {};
  expect(JSON.parse(started)).toMatchObject({ event: 'started', command: 'roles update', entry: 1 });
  writeFileSync(path(), `${started}\n`);
  expect([plan, undo]).toEqual([expect.any(String), expect.stringContaining('cdpadm roles rollback ')]);
  expect(await entries()).toMatchObject([{ outcome: 'unknown', ended_at: null, requests: 1, plan, undo }]);
  expect((await home.json('log verify')).data).toMatchObject({ unfinished: 1 });
});

it('prints how to undo a submission whose process was killed', async () => {
  useProfile(home);
  await submit('ada@example.com');
  const [{ undo } = {}] = await entries();
  writeFileSync(path(), `${lines()[0] ?? ''}\n`);
  expect(await entries()).toMatchObject([{ outcome: 'unknown', undo }]);
});

it('lists the undo commands of a killed apply one by one, because it is not known which steps were done', async () => {
  useProfile(home);
  stageSync(home.cwd, 3);
  expect(await home.run('warehouse apply sync --yes', { env: SECRET_ENV })).toMatchObject({ code: 0 });
  const [{ undo: all } = {}] = await entries();
  const commands = all?.split(' && ') ?? [];
  expect(commands.length).toBeGreaterThan(2);
  const undo = (line = '') => home.run(`${line.replace('cdpadm ', '')} --yes`);
  // Delete the newest resource, as if the command had been killed before it created that resource.
  await undo(commands[0]);
  writeFileSync(path(), `${lines()[0] ?? ''}\n`);
  const [entry] = await entries();
  expect(entry).toMatchObject({ outcome: 'unknown', undo: null });
  const [note, listed = ''] = entry?.undo_note?.split(' To undo it: ') ?? [];
  expect([note, listed]).toEqual([
    expect.stringContaining('It is not known which steps were done.'),
    commands.join('; '),
  ]);
  const codes: number[] = [];
  for (const line of listed.split('; ')) codes.push((await undo(line)).code);
  expect(codes).toEqual([5, ...commands.slice(1).map(() => 0)]);
});

it('reads an unfinished write that an earlier version logged without `via`, `plan` and `undo`', async () => {
  await update('Reader');
  const { via: _via, plan: _plan, undo: _undo, ...old } = JSON.parse(lines()[0] ?? '') as Record<string, unknown>;
  writeFileSync(path(), `${JSON.stringify(old)}\n`);
  expect(await entries()).toMatchObject([{ command: 'roles update', via: null, plan: null, undo: null }]);
});

it('reads a finished write that an earlier version logged without `undo_note`', async () => {
  await update('Reader');
  const [started = '', ended = ''] = lines();
  const { undo_note: _note, ...old } = JSON.parse(ended) as Record<string, unknown>;
  writeFileSync(path(), `${started}\n${JSON.stringify(old)}\n`);
  expect(await entries()).toMatchObject([{ outcome: 'done' }]);
});

it('counts the completed steps of `warehouse apply`, and the other steps by outcome', async () => {
  stageSync(home.cwd, 4);
  const apply = () => home.run('warehouse apply sync --yes', { env: SECRET_ENV });
  await home.platform.api.addFault({ method: 'POST', path: '/platform/v2/*/data-models', status: 422, times: 1 });
  await apply();
  await apply();
  writeFileSync(join(home.cwd, 'sync/data-models/active-customers.yaml'), MODEL.replace('Active customers', 'Clients'));
  await apply();
  const plan = expect.stringMatching(/^[0-9a-f]{32}$/) as unknown;
  expect(await entries()).toMatchObject([
    { outcome: 'partial', plan, counts: { create: 2, update: 0, delete: 0, unchanged: 0, failed: 1, skipped: 1 } },
    { outcome: 'done', plan, counts: { create: 2, update: 0, delete: 0, unchanged: 2 } },
    { outcome: 'done', plan, counts: { create: 0, update: 1, delete: 0, unchanged: 3 } },
  ]);
});

it('lists the undo commands of an apply one by one if the outcome of a step is unknown', async () => {
  useProfile(home);
  stageSync(home.cwd, 3);
  await home.platform.api.addFault({ method: 'POST', path: '*/data-models', drop: 'before' });
  await home.platform.api.addFault({ method: 'GET', path: '*/data-models/*', status: 503 });
  expect(await home.run('warehouse apply sync --yes --retries 0', { env: SECRET_ENV })).toMatchObject({ code: 8 });
  const listed = /To undo it: cdpadm data-models delete \S+ [^;]+; cdpadm connections delete crm /;
  expect(await entries()).toMatchObject([{ undo: null, undo_note: expect.stringMatching(listed) as unknown }]);
});

it('does not report a step as done if it was accepted but not confirmed', async () => {
  stageSync(home.cwd, 3);
  await home.platform.api.addFault({ method: 'POST', path: '/platform/v2/*', status: 200 });
  expect(await home.run('warehouse apply sync --yes', { env: SECRET_ENV })).toMatchObject({ code: 8 });
  expect(await entries()).toMatchObject([{ outcome: 'unknown', counts: { create: 0, unknown: 2, skipped: 1 } }]);
});

it('does not log counts for a rejected write', async () => {
  await home.platform.api.addFault({ method: 'PUT', path: '*', status: 422, times: 1 });
  await update('Reader');
  expect(await entries()).toMatchObject([{ outcome: 'rejected', counts: {}, undo: null }]);
});

it('filters writes by time and command, and limits their number', async () => {
  await update('One');
  await submit('ada@example.com');
  await update('Two');
  const commands = async (flags: string) => (await entries(flags)).map(({ command }) => command);
  expect(await commands('--command roles')).toEqual(['roles update', 'roles update']);
  expect(await home.run('log --command rolse')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean roles?') as unknown,
  });
  expect(await commands('--limit 2')).toEqual(['dsr submit', 'roles update']);
  expect(await commands('--since 1h')).toHaveLength(3);
  expect(await commands('--since 2999-01-01')).toEqual([]);
  expect((await home.run('log --since yesterday')).code).toBe(2);
  expect((await home.run('log --command groups')).stderr).toContain('No write in the log matches.');
  expect((await home.run('log --since later')).stderr).toContain('a duration such as 7d');
  const { stdout } = await home.run('log -o ndjson');
  expect(stdout.trimEnd().split('\n')).toHaveLength(3);
});

it('performs the write and prints one warning if the log is not writable', async () => {
  // Put a folder in place of the file, because file permissions would not stop root.
  mkdirSync(path(), { recursive: true });
  const { code, stderr } = await update('Two');
  expect(code).toBe(0);
  expect(stderr.match(/^Warning: Cannot .*writes\.ndjson.* This command continues without it\.$/gm)).toHaveLength(1);
  expect((await home.json('roles get user-role')).data).toMatchObject({ name: 'Two' });
});

it('prints one write in full, given a prefix of its id', async () => {
  useProfile(home);
  await update('One');
  await submit('ada@example.com');
  const [first, second] = await entries();
  expect((await home.json('log show ' + (first?.id.slice(0, 6) ?? ''))).data).toEqual(first);
  const { stdout } = await home.run(`log show ${second?.id ?? ''}`);
  expect(stdout).toContain(`undo\t${second?.undo ?? ''}\n`);
  expect(stdout).toContain('workspace 3001');
  expect(await home.json('log show nope')).toMatchObject({ code: 5, error: { code: 'log.not_found' } });
});

it('rejects an ambiguous prefix of the id of a write', async () => {
  const [started = ''] = (await update('One'), lines());
  rmSync(folder(), { recursive: true });
  mkdirSync(folder(), { mode: 0o700 });
  const { id: _, ...rest } = JSON.parse(started) as { id: string };
  const both = ['abc1', 'abc2'].map((id) => JSON.stringify({ id, ...rest }));
  writeFileSync(path(), `${both.join('\n')}\n`, { mode: 0o600 });
  expect(await home.json('log show abc')).toMatchObject({
    code: 2,
    error: { code: 'usage', message: '2 ids begin with `abc`. Pass more characters.' },
  });
  expect((await home.json('log show abc2')).data).toMatchObject({ id: 'abc2' });
});

it('prints why there is no undo command after the saved manifest has been removed', async () => {
  await update('One');
  await update('Two');
  const undoOf = async () => (await entries()).map(({ undo, undo_note }) => [undo, undo_note]);
  const [first = [], second] = await undoOf();
  await home.run('roles history prune --before 2999-01-01 --yes');
  const [, revision = ''] = /cdpadm roles rollback (\S+)/.exec(first.join(' ')) ?? [];
  const note = `The saved manifest ${revision} was removed from this machine.`;
  expect(await undoOf()).toEqual([[null, note], second]);
  const [{ id } = { id: '' }] = await entries();
  expect((await home.json(`log show ${id}`)).data).toMatchObject({ undo: null, undo_note: note });
});

it.each([40, 60, 80, 100])(
  'prints the id in full on a terminal with %i columns, so that `log show` accepts it',
  async (columns) => {
    await update('One');
    const [{ id } = { id: '' }] = await entries();
    const { stdout } = await home.run('log', { tty: true, columns });
    expect(stdout).toContain(id);
  },
);

it('prints the times and targets of writes in full with -o wide', async () => {
  await update('One');
  const [entry] = await entries();
  const { stdout } = await home.run('log -o wide', { tty: true, columns: 80 });
  expect(stdout).toContain(entry?.at);
  expect(stdout).toContain(`organization ${entry?.target['org_id'] ?? ''}, account`);
});

it('prints the fields of a write in the documented order, whether or not the write finished', async () => {
  await update('One');
  const order = Object.keys(loggedWrite().shape);
  for (const text of [readFileSync(path(), 'utf8'), `${lines()[0] ?? ''}\n`]) {
    writeFileSync(path(), text);
    const { stdout } = await home.run('log -o ndjson');
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual(order);
  }
});

it.each([
  [60, [/^ID +AT +COMMAND +ARGS +OUTCOME$/m, / \d\d-\d\d \d\d:\d\d:\d\d {2}roles update/m]],
  [80, [/^ID +AT +COMMAND +ARGS +OUTCOME +UNDO$/m, /roles rollback$/m]],
  [110, [/UNDO +TARGET/m, /organization 1001/m]],
] as const)(
  'prints the most important columns of the log on a terminal that is %i characters wide',
  async (columns, shapes) => {
    useProfile(home);
    await update('One');
    const { stderr, stdout } = await home.run('log', { tty: true, columns, env: { NO_COLOR: '1' } });
    for (const shape of shapes) expect(stdout).toMatch(shape);
    expect(stderr).toContain('cdpadm log show ID');
    expect(stderr).not.toContain('log prune');
  },
);

describe('log verify', () => {
  it('reports a missing head, because entries may be missing at the end', async () => {
    for (const name of ['One', 'Two']) await update(name);
    writeFileSync(path(), `${lines().slice(0, 2).join('\n')}\n`);
    rmSync(`${path()}.head`);
    const { code, error } = await home.json('log verify');
    expect([code, error.issues.map(({ message }) => message)]).toEqual([
      1,
      ['the head file is missing: lines may have been removed from the end'],
    ]);
  });

  it('reports a changed line and a missing line, and exits with 1', async () => {
    for (const name of ['One', 'Two']) await update(name);
    expect((await home.json('log verify')).data).toMatchObject({ valid: true, entries: 4 });
    const all = lines();
    writeFileSync(
      path(),
      `${all
        .with(0, all[0]?.replace('user-role', 'x') ?? '')
        .toSpliced(2, 1)
        .join('\n')}\n`,
    );
    const { code, error } = await home.json('log verify');
    expect([code, error.code, error.issues.map(({ message }) => message)]).toEqual([
      1,
      'log.broken',
      ['entry 1 does not match its hash', 'entry 3 is missing before this line'],
    ]);
    expect((await home.run('log prune --before 2999-01-01 --yes')).code).toBe(1);
  });
});

describe('log prune', () => {
  it('removes older lines and keeps the chain valid', async () => {
    for (const name of ['One', 'Two']) await update(name);
    const dry = await home.run('log prune --before 2999-01-01 --dry-run');
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('4 lines')]);
    expect(lines()).toHaveLength(4);
    expect((await home.json('log prune --before 2999-01-01 --yes')).data).toMatchObject({ lines: 4 });
    expect(await entries()).toEqual([]);
    expect((await home.run('log')).stderr).toContain('No write in the log matches.');
    expect((await home.run('log prune --yes')).stderr).toContain('--before');
    await update('Three');
    expect(await entries()).toHaveLength(1);
    expect((await home.json('log verify')).data).toMatchObject({ valid: true, pruned: 4, faults: [] });
  });
});

it('reads, verifies and prunes rotated log files', async () => {
  await update('One');
  const name = `${path()}.${'2'.padStart(16, '0')}`;
  writeFileSync(name, readFileSync(path()), { mode: 0o600 });
  writeFileSync(path(), '', { mode: 0o600 });
  await update('Two');
  expect(await entries()).toHaveLength(2);
  expect((await home.json('log verify')).data).toMatchObject({ valid: true, entries: 4 });
  appendFileSync(name, '{"event":"ended"}\n');
  const { error } = await home.json('log verify');
  expect(error.issues).toMatchObject([{ message: 'it does not belong to the chain', file: name }]);
  expect((await home.run('log prune --before 2999-01-01 --yes')).code).toBe(1);
  writeFileSync(name, readFileSync(name, 'utf8').replace('{"event":"ended"}\n', ''));
  await home.run('log prune --before 2999-01-01 --yes');
  expect(existsSync(name)).toBe(false);
  expect((await home.json('log verify')).data).toMatchObject({ valid: true, pruned: 4 });
});
