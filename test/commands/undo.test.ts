// Every write logs the commands that restore the previous state, or why there are none.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDsrHome } from '../helpers/dsr-home.ts';
import { type PlatformHome, useProfile } from '../helpers/platform-home.ts';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import { CREATIONS, SECRET_ENV, stageSync, stageWarehouse, writeAll } from '../helpers/warehouse-files.ts';

interface Entry {
  command: string;
  undo: string | null;
  undo_note: string | null;
  digest: string | null;
  args: string[];
  files: string[];
  ids: string[];
  journal: string | null;
}

/** Returns group attributes as JSON, one for each letter. */
const listOf = (letters: string): string => JSON.stringify([...letters].map((id) => ({ id, type: 'sum' })));

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome();
  useProfile(home);
  stageWarehouse(home.cwd);
  const person = { environment: 'development', user_identities: { customer_id: '1' } };
  const spent = { attribute_name: 'spent', calculation_type: 'sum', cutoff_date: '2026-01-31', seed: { value: 1 } };
  const seed = JSON.stringify({ environment: 'development', xpid: '1', calculated_attributes: { 3001: [spent] } });
  writeAll(home.cwd, {
    'model.yaml':
      'id: active-customers\nname: Active\nstate: active\ntype: sql\nconfig: {sql_query: SELECT 1 AS customer_id}\n',
    'pipeline.yaml':
      'id: customers\nname: Customers\npipeline_type: user_attributes\nconnection_id: crm\ndata_model_id: active-customers\nstate: active\nsync_mode: {type: full}\nschedule: {type: on_demand}\nenvironment: production\n',
    'connection.yaml':
      'id: crm\nname: CRM\nstate: active\nservice_provider: PROVIDER_D\nconfig: {provider: sample-organization, schema: shop}\n',
    'more/data-models/m1.json':
      '{"id":"m1","name":"M","state":"active","type":"sql","config":{"sql_query":"SELECT 1"}}',
    'more/data-models/m2.json':
      '{"id":"active-customers","name":"Clients","state":"active","type":"sql","config":{"sql_query":"SELECT 1 AS customer_id"}}',
    'group.yaml':
      'id: household\nsource_user_attribute: h\nattributes: [{id: city, type: latest}, {id: age, type: sum}]\n',
    'other.yaml':
      'id: household\nsource_user_attribute: h\nattributes: [{id: city, type: sum}, {id: size, type: sum}]\n',
    'full.yaml': `id: household\nsource_user_attribute: h\nattributes: ${listOf('abcdefghij')}\n`,
    'full-too.yaml': `id: household\nsource_user_attribute: h\nattributes: ${listOf('bcdefghijk')}\n`,
    'people.csv': 'email\nc@example.com\n',
    'seed.json': seed,
    'event.json': JSON.stringify({ ...person, events: [{ event_type: 'custom_event', data: {} }] }),
    'roles.yaml': '',
  });
  await run('roles pull --overwrite');
  home.write('roles.yaml', home.read('roles.yaml').replace('name: Admin', 'name: Boss'));
});
afterEach(() => home.close());

const run = (line: string) => home.run(line, { env: SECRET_ENV });
const CREATE_ALL = CREATIONS.map((line) => `${line} --yes`);
const SUBMIT = 'dsr submit --regulation gdpr --type access --identity email=a@example.com';
const INCREMENTAL = '--sync-mode incremental --iterator-field at --iterator-data-type timestamp';
const GROUP = 'groups create -f group.yaml --yes';

/**
 * The write, the number of commands that undo it, and the command lines to run first. `ID` is replaced by the last
 * request's id.
 */
const WRITES: [line: string, commands: number, before: string[]][] = [
  ['roles create fresh --description New --task rules:view', 1, []],
  ['roles update user-role --name Reader', 1, []],
  ['roles delete user-role', 1, []],
  ['roles rename user-role other --allow-delete', 1, []],
  ['roles push', 1, []],
  ['roles rollback --last', 1, ['roles update user-role --name Reader --yes']],
  ['groups create -f group.yaml', 1, []],
  ['groups set -f group.yaml', 1, []],
  ['groups set -f other.yaml', 2, [GROUP]],
  ['groups update household -f other.yaml', 2, [GROUP]],
  ['groups set -f full-too.yaml', 2, ['groups create -f full.yaml --yes']],
  ['groups attributes add household size=sum', 1, [GROUP]],
  ['groups attributes add household size=sum age=latest', 2, [GROUP]],
  ['groups attributes remove household age', 1, [GROUP]],
  ['groups delete household', 0, [GROUP]],
  ['connections create -f connection.yaml', 1, []],
  ['connections update crm --name Other', 1, CREATE_ALL],
  ['connections delete crm', 0, CREATE_ALL.slice(0, 1)],
  ['data-models create -f model.yaml', 1, []],
  ['data-models update active-customers --name Other', 1, CREATE_ALL],
  ['data-models delete active-customers', 0, CREATE_ALL.slice(1, 2)],
  ['pipelines create -f pipeline.yaml', 1, CREATE_ALL.slice(0, 2)],
  ['pipelines update customers --schedule interval --frequency hourly --start 2030-01-01T00:00:00Z', 1, CREATE_ALL],
  [`pipelines update customers ${INCREMENTAL} --allow-reset`, 1, CREATE_ALL],
  ['pipelines delete customers', 0, CREATE_ALL],
  ['pipelines pause customers', 1, CREATE_ALL],
  ['pipelines resume customers', 1, [...CREATE_ALL, 'pipelines pause customers --yes']],
  ['pipelines trigger customers', 0, CREATE_ALL],
  ['pipelines reset customers --confirm customers', 0, CREATE_ALL],
  ['warehouse apply more --only m1', 1, [CREATE_ALL[1] ?? '']],
  ['warehouse apply more', 2, [CREATE_ALL[1] ?? '']],
  [SUBMIT, 1, []],
  ['dsr submit --bulk people.csv --regulation gdpr --type access', 0, []],
  ['dsr cancel ID', 0, [`${SUBMIT} --yes`]],
  ['seed set -f seed.json', 0, []],
  ['seed bulk seed.json', 0, []],
  ['intake event -f event.json', 0, []],
  ['intake identify -f event.json', 0, []],
  ['api POST /v1/identify -f event.json', 0, []],
];

async function entryOf(before: readonly string[], line: string): Promise<Entry> {
  for (const one of before) expect(await run(one)).toMatchObject({ code: 0 });
  const { data } = await home.json<{ ids: string[] }[]>('log --limit 1');
  const result = await run(`${line.replace('ID', data[0]?.ids[0] ?? '')} --yes`);
  expect(result).toMatchObject({ code: 0 });
  const [entry] = (await home.json<Entry[]>('log --limit 1')).data;
  if (!entry) throw new Error('the log has no entry');
  return entry;
}

it.each(WRITES)('logs the commands that undo `%s` (number of commands: %i)', async (line, commands, before) => {
  const { command, undo, undo_note } = await entryOf(before, line);
  expect(line.startsWith(command)).toBe(true);
  const lines = undo?.split(' && ') ?? [];
  expect([lines.length, undo_note]).toEqual([commands, commands === 0 ? expect.any(String) : undo_note]);
  for (const one of lines) expect(await run(`${one.replace('cdpadm ', '')} --yes`)).toMatchObject({ code: 0 });
});

it('logs a command that restores the previous fields of a changed pipeline', async () => {
  await entryOf(
    CREATE_ALL,
    'pipelines update customers --name Other --schedule interval --frequency hourly --start 2030-01-01T00:00:00Z',
  );
  const { data } = await home.json<Entry[]>('log --limit 1');
  await run(`${data[0]?.undo?.replace('cdpadm ', '') ?? ''} --yes`);
  const live = (await home.json<Record<string, unknown>>('pipelines get customers')).data;
  expect([live['name'], live['schedule']]).toEqual(['Customers', { type: 'on_demand' }]);
});

it.each([
  ['groups set -f group.yaml', { files: ['group.yaml'], ids: ['household'], journal: null }],
  ['dsr submit --bulk people.csv --regulation gdpr --type access', { files: ['people.csv'], journal: /dsr.*ndjson$/ }],
  ['seed bulk seed.json', { args: ['seed.json'], journal: /seed.*json$/ }],
])('logs the inputs, the digest and any journal of `%s`', async (line, { journal, ...expected }) => {
  const entry = await entryOf([], line);
  expect(entry).toMatchObject({ ...expected, digest: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown });
  if (journal === null) expect(entry.journal).toBeNull();
  else expect(entry.journal).toMatch(journal);
});

it('explains why no command restores a long text or many resources', async () => {
  const noteOf = async () => (await home.json<Entry[]>('log --limit 1')).data[0];
  const sql = ['--sql-query', `SELECT 1 AS ${'a'.repeat(250)}`];
  await home.run(['data-models', 'create', 'long', '--name', 'Long', ...sql, '--yes', '--profile', 'qa']);
  await home.run(['data-models', 'update', 'long', '--sql-query', 'SELECT 1', '--yes', '--profile', 'qa']);
  const undo_note = expect.stringContaining('No command restores config.sql_query of data model long') as unknown;
  expect(await noteOf()).toMatchObject({ undo: null, undo_note });
  stageSync(home.cwd, 24);
  expect(await run('warehouse apply sync --yes')).toMatchObject({ code: 0 });
  expect(await noteOf()).toMatchObject({ undo: null, undo_note: 'No command restores 24 resources.' });
});

it.each<[where: string, flags: string, isProfile: boolean, undo: RegExp | null]>([
  ['a flag', '--profile qa --workspace 3002', true, / --profile qa --workspace 3002$/],
  ['a profile that is edited later', '', true, / --profile qa --workspace 3001$/],
  ['a flag without a profile', '--workspace 3002', false, null],
  ['the environment', '', false, null],
  ['the environment, which also names an address', '--workspace 3002', true, null],
])(
  'logs how to undo a write in the same workspace if the workspace comes from %s',
  async (where, flags, isProfile, undo) => {
    const workspace = flags.includes('3002') ? '3002' : '3001';
    const other = workspace === '3001' ? '3002' : '3001';
    const create = 'data-models create both --name Both --sql-query';
    const words = (more: string) => [...create.split(' '), 'SELECT 1', '--yes', ...more.split(' ').filter(Boolean)];
    await home.run(words(`--profile qa --workspace ${other}`));
    const given = environmentOf(home.platform.ready);
    const env = isProfile ? {} : { ...given, CDPADM_PROFILE: '' };
    if (where.includes('address')) Object.assign(env, { CDPADM_DSR_BASE_URL: given['CDPADM_DSR_BASE_URL'] });
    expect(await home.run(words(flags), { env })).toMatchObject({ code: 0 });
    const [entry] = (await home.json<Entry[]>('log --limit 1')).data;
    if (undo === null) {
      const note = expect.stringMatching(
        ` To undo it with the same settings: cdpadm data-models delete both --workspace ${workspace} --ca-file \\S+$`,
      );
      expect(entry).toMatchObject({ undo: null, undo_note: note as unknown });
      expect(JSON.stringify(entry)).not.toContain(given['CDPADM_CLIENT_SECRET']);
      return;
    }
    expect(entry?.undo).toMatch(undo);
    await home.run(`profile edit qa --set workspace_id=${other}`);
    expect(await home.run(`${entry?.undo?.replace('cdpadm ', '') ?? ''} --yes`)).toMatchObject({ code: 0 });
    const idsIn = async (id: string) =>
      (await home.json<{ id: string }[]>(`data-models list --workspace ${id}`)).data.map((it) => it.id);
    expect([(await idsIn(workspace)).includes('both'), (await idsIn(other)).includes('both')]).toEqual([false, true]);
  },
);

it('has a case for every command that writes', async () => {
  const { data } = await home.json<{ path: string; effect: string }[]>('help --json');
  const covered = (path: string) => WRITES.some(([line]) => line.startsWith(`${path} `) || line === path);
  const writes = data.filter(({ effect }) => effect === 'write').map(({ path }) => path.replace(/^cdpadm /, ''));
  // `roles edit` needs an editor, so no command line here covers it.
  expect(writes.filter((path) => !covered(path))).toEqual(['roles edit']);
});
