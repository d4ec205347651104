// `dsr submit` for requests that are already in the ledger, and for several workspaces.
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDsrHome } from '../../helpers/dsr-home.ts';
import type { PlatformHome } from '../../helpers/platform-home.ts';

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome();
});
afterEach(() => home.close());

const submit = (email: string, ...flags: string[]): string[] => [
  'dsr',
  'submit',
  '--regulation',
  'gdpr',
  '--type',
  'access',
  '--identity',
  `email=${email}`,
  '--yes',
  ...flags,
];

it('rejects a second request for the same person, regardless of letter case, unless --allow-duplicates is set', async () => {
  const first = await home.json<{ subject_request_id: string }>(submit('jane@example.com'));
  const { code, error } = await home.json(submit('Jane@Example.com'));
  expect([code, error.code]).toEqual([12, 'dsr.duplicate']);
  expect(error.message).toContain(first.data.subject_request_id);
  expect(await home.received('POST', '/v3/requests')).toBe(1);
  expect((await home.run(submit('ben@example.com'))).code).toBe(0);
  expect((await home.run(submit('Jane@Example.com', '--allow-duplicates'))).code).toBe(0);
});

it('rejects only those rows of a bulk run that repeat requests in the ledger, even when the run is resumed', async () => {
  const first = await home.json<{ subject_request_id: string }>(submit('jane@example.com'));
  const rows = ['Jane@Example.com', 'ben@example.com', 'kim@example.com'].map((email) => `gdpr,access,${email}`);
  home.write('people.csv', `regulation,subject_request_type,email\n${rows.join('\n')}\n`);
  const bulk = ['dsr', 'submit', '--bulk', 'people.csv', '--yes'];
  const { data: whole } = await home.json(bulk);
  expect(whole).toMatchObject({ submitted: 2, failed: 1, requests: 2 });
  // Every row is complete, so there is no run to resume.
  expect(whole).not.toHaveProperty('resume');
  const results = home.read('people.csv.results.csv').split('\n');
  expect(results[1]).toContain(first.data.subject_request_id);
  expect(results[1]).toContain('failed');
  expect(results[1]).toContain('submit the results file with --allow-duplicates');
  // A resumed run does not treat its own earlier requests as duplicates.
  expect((await home.json([...bulk, '--resume'])).data).toMatchObject({ submitted: 0, failed: 1, skipped: 2 });
  // The corrected file names the same person again, on purpose.
  const again = ['dsr', 'submit', '--bulk', 'people.csv.results.csv', '--yes', '--allow-duplicates'];
  expect((await home.json(again)).data).toMatchObject({ submitted: 1, failed: 0 });
});

it('reports the newest earlier request, even if it has a different identity', async () => {
  await home.run(submit('jane@example.com'));
  const line = 'dsr submit --regulation gdpr --type access --yes --identity mobile_number=+491234567';
  const { data } = await home.json<{ subject_request_id: string }>(line);
  const { code, error } = await home.json(`${line} --identity email=jane@example.com`);
  expect([code, error.message]).toEqual([12, expect.stringContaining(data.subject_request_id)]);
});

it('reports an earlier request for the same person even in a dry run', async () => {
  await home.run(submit('jane@example.com'));
  const { code, error } = await home.json(submit('Jane@example.com', '--dry-run'));
  expect([code, error.code]).toEqual([12, 'dsr.duplicate']);
  home.write(
    'people.csv',
    'regulation,subject_request_type,email\ngdpr,access,ben@example.com\ngdpr,access,Jane@example.com\n',
  );
  const bulk = await home.run('dsr submit --bulk people.csv --dry-run');
  expect([bulk.code, bulk.stderr]).toEqual([3, expect.stringContaining('will be rejected (row 2)')]);
});

it('finds the same duplicates in a dry run, before a run and during it', async () => {
  const known = await home.json<{ subject_request_id: string }>(submit('jane@example.com'));
  const id = known.data.subject_request_id;
  const rows = ['jane', 'ben', 'kim'].map((name) => `gdpr,access,${name}@example.com`);
  home.write('people.csv', `regulation,subject_request_type,email\n${rows.join('\n')}\n`);
  const dry = await home.json<{ requests: unknown[] }>('dsr submit --bulk people.csv --dry-run');
  expect(dry.data).toMatchObject({
    plan: { rows: 3, requests: 2, shown: 2, duplicates: 1, duplicate_rows: [{ row: 1, subject_request_id: id }] },
  });
  expect(dry.data.requests).toHaveLength(2);
  const text = (await home.run('dsr submit --bulk people.csv --dry-run')).stdout;
  for (const part of ['1 repeats a recent request', 'The 2 requests, by row']) expect(text).toContain(part);
  const run = await home.run('dsr submit --bulk people.csv --yes');
  expect(run).toMatchObject({ code: 3, stdout: expect.stringMatching(/^unknown\s+0$/m) as string });
  expect(run.stderr).toMatch(/1 row repeats a recent request[^]*1 repeats a recent request[^]*Submitting/);
  // Neither the completed rows in a results file nor the rejected row would be sent.
  const rest = await home.json('dsr submit --bulk people.csv.results.csv --dry-run');
  expect(rest.data).toMatchObject({ requests: [], plan: { rows: 3, requests: 0, done: 2, duplicates: 1 } });
});

it('counts an erasure as cancellable only if it will be sent', async () => {
  const line = (type: string, name: string): string => `gdpr,${type},${name}@example.com`;
  home.write('first.csv', `regulation,subject_request_type,email\n${line('erasure', 'jane')}\n`);
  await home.run('dsr submit --bulk first.csv --yes');
  const rows = ['jane', 'ben', 'kim'].map((name) => line('erasure', name));
  home.write('people.csv', `regulation,subject_request_type,email\n${rows.join('\n')}\n`);
  expect((await home.run('dsr submit --bulk people.csv --dry-run')).stdout).toContain('  2 can be cancelled for');
  const skipping = 'dsr submit --bulk people.csv --skip-waiting-period --dry-run';
  expect((await home.json(skipping)).data).toMatchObject({ plan: { requests: 2, skip_waiting_period: 2 } });
  // The rows that an earlier run completed do not count.
  await home.run('dsr submit --bulk first.csv --yes --resume');
  expect((await home.run('dsr submit --bulk first.csv --resume --dry-run')).stdout).not.toContain('can be cancelled');
});

it('warns about every open access and portability request before a single erasure and before a bulk run', async () => {
  const ids: string[] = [];
  for (const type of ['access', 'portability']) {
    const { data } = await home.json<{ subject_request_id: string }>(
      `dsr submit --regulation gdpr --type ${type} --identity email=jane@example.com --yes`,
    );
    ids.push(data.subject_request_id);
  }
  const erasure = 'dsr submit --regulation gdpr --type erasure --identity email=jane@example.com';
  for (const flag of ['--dry-run', '--yes']) {
    const { stderr } = await home.run(`${erasure} ${flag}`);
    for (const id of ids) expect(stderr).toContain(`request ${id} for the same person is still due`);
  }
  home.write(
    'people.csv',
    'regulation,subject_request_type,email\ngdpr,erasure,ben@example.com\ngdpr,erasure,JANE@example.com\n',
  );
  for (const flag of ['--dry-run --allow-duplicates', '--yes --allow-duplicates'])
    expect((await home.run(`dsr submit --bulk people.csv ${flag}`)).stderr).toMatch(
      /1 erasure deletes the data of people whose access or portability request is still due.*\(row 2\)/,
    );
});

it('rejects a bulk file that lists a person twice with different letter case, or a body whose identity starts with a space', async () => {
  home.write(
    'people.csv',
    'regulation,subject_request_type,email\ngdpr,erasure,Twin@example.com\ngdpr,erasure,twin@example.com\n',
  );
  const twice = await home.json('dsr submit --bulk people.csv --yes');
  expect([twice.code, JSON.stringify(twice.error)]).toEqual([9, expect.stringContaining('duplicates row 1')]);
  expect(JSON.stringify(twice.error)).not.toContain('"resume"');
  home.write(
    'more.csv',
    'regulation,subject_request_type,email\ngdpr,erasure,other@example.com\ngdpr,erasure,TWIN@example.com\n',
  );
  home.write('people.csv', 'regulation,subject_request_type,email\ngdpr,erasure,twin@example.com\n');
  const across = await home.json('dsr submit --bulk people.csv --bulk more.csv --yes');
  expect(across.error.issues).toMatchObject([
    { file: 'more.csv', line: 3, message: 'row 3 duplicates row 1 (in people.csv): same type and same identities' },
  ]);
  expect(twice.error).toMatchObject({ hint: expect.stringContaining('Remove the duplicate rows') as string });
  const body = {
    ...{ api_version: '3.0', regulation: 'gdpr', subject_request_type: 'erasure' },
    subject_identities: { email: { value: ' twin@example.com', encoding: 'raw' } },
  };
  home.write('bodies.ndjson', `${JSON.stringify(body)}\n`);
  const spaces = await home.json('dsr submit --bulk bodies.ndjson --yes');
  expect([spaces.code, JSON.stringify(spaces.error)]).toEqual([
    9,
    expect.stringContaining('starts or ends with a space'),
  ]);
});

it('accepts only one of two duplicates that are submitted simultaneously', async () => {
  const both = await Promise.all([home.run(submit('jane@example.com')), home.run(submit('Jane@example.com'))]);
  expect(both.map(({ code }) => code).sort()).toEqual([0, 12]);
});

it('records a keyed digest of each request, and warns if the evidence archive for a period is empty', async () => {
  await home.run(submit('jane@example.com'));
  home.write('people.csv', 'regulation,subject_request_type,email\ngdpr,access,ben@example.com\n');
  await home.run('dsr submit --bulk people.csv --yes');
  const { data } = await home.json<{ request_digest?: string }[]>('dsr ledger export');
  expect(new Set(data.map(({ request_digest: digest }) => digest)).size).toBe(2);
  for (const { request_digest: digest } of data) expect(digest).toMatch(/^[\w-]{43}$/);
  const { stderr } = await home.run('dsr evidence --from 2030-01-01 --out e.zip');
  expect(stderr).toContain('The archive contains no requests: ');
});

it('allows a request for a person whose earlier request was cancelled', async () => {
  const { data } = await home.json<{ subject_request_id: string }>(submit('jane@example.com'));
  expect((await home.run(['dsr', 'cancel', data.subject_request_id, '--yes'])).code).toBe(0);
  expect((await home.run(submit('jane@example.com'))).code).toBe(0);
});

/** Creates the profiles `eu` and `us`, which have different workspaces. */
async function createProfiles(...flagsOfUs: string[]): Promise<void> {
  Object.assign(home.env, { US_KEY: 'second-workspace-key', US_SECRET: 'second-workspace-secret' });
  const ofUs = ['--workspace', '3002', '--workspace-key', 'env:US_KEY', '--workspace-secret-env', 'US_SECRET'];
  for (const words of [['eu'], ['us', ...ofUs, ...flagsOfUs]])
    expect(await home.run(['profile', 'create', ...words, '--from-env'])).toMatchObject({ code: 0 });
}

it.each([
  ['unknown', [], 'nope', 2, 'Unknown profile `nope`'],
  ['read-only (`access: read`)', ['--access', 'read'], 'us', 12, 'only reads'],
  ['protected and not confirmed', ['--protected'], 'us', 12, '--confirm us'],
  ['for the same workspace as another', [], 'same', 2, 'Profiles `eu` and `same` have the same workspace and address'],
] as const)('sends nothing to any profile if one is %s', async (_what, flags, second, exit, reason) => {
  await createProfiles(...flags);
  await home.run('profile create same --from-env');
  const { code, stderr } = await home.run(submit('jane@example.com', '--profile', 'eu', '--profile', second));
  expect([code, stderr]).toEqual([exit, expect.stringContaining(reason)]);
  expect((await home.json<unknown[]>(['dsr', 'list', '--profile', 'eu'])).data).toEqual([]);
});

it('reads standard input once for all profiles, and prints how to continue with those that failed', async () => {
  await createProfiles();
  const both = ['--profile', 'eu', '--profile', 'us', '--allow-duplicates', '--dry-run', '--show-identities'];
  const { code, stdout } = await home.run(submit('-', ...both), { stdin: 'jane@example.com\n' });
  expect([code, stdout.match(/jane@example\.com/g)?.length]).toEqual([0, 2]);
  await home.run(submit('jane@example.com', '--profile', 'us'));
  const { code: partial, error } = await home.json(submit('-', '--profile', 'eu', '--profile', 'us'), {
    stdin: 'jane@example.com\n',
  });
  expect([partial, error.hint]).toEqual([3, 'To continue, run the command again with only --profile us.']);
  expect(error.issues[0]?.message).toMatch(/cdpadm dsr status \S+ --profile us/);
});

it('stops reading endless standard input at its size limit, also for several profiles', async () => {
  await createProfiles();
  let chunks = 0;
  const stdin = new Readable({ read: () => void stdin.push(chunks++ < 256 ? Buffer.alloc(1024 * 1024, 'x') : null) });
  const { code, stderr } = await home.run(submit('-', '--profile', 'eu', '--profile', 'us'), { stdin });
  expect([code, stderr]).toEqual([9, expect.stringContaining('<stdin> is larger than 32 MiB')]);
  expect(chunks).toBeLessThan(64);
});

it('prompts on the same terminal for each profile, and uses each answer once', async () => {
  await createProfiles();
  const answers = ['y\n', 'n\n'];
  const stdin = new Readable({ read: () => undefined });
  const words = submit('jane@example.com', '--profile', 'eu', '--profile', 'us', '--allow-duplicates');
  const { code, stderr } = await home.run(
    words.filter((word) => word !== '--yes'),
    {
      ...{ stdin, tty: true, env: { TERM: 'dumb' } },
      onOutput: (_stdout, text) => {
        const asked = text.split('(y/N)').length - 1;
        if (2 - answers.length < asked) setImmediate((answer) => stdin.push(answer), answers.shift());
      },
    },
  );
  expect([code, stderr]).toEqual([3, expect.stringMatching(/us: .*Cancelled/)]);
});

it('asks for a missing value once, and submits the same request to each profile after a confirmation', async () => {
  await createProfiles();
  const answers: [prompt: string, answer: string][] = [
    ['Identity type', '1'],
    ['Value of email', 'jane@example.com'],
    ['Another identity?', '1'],
    ['More options', '1'],
    ['Submit this access request?', 'y'],
    ['Submit this access request?', 'y'],
  ];
  const stdin = new Readable({ read: () => undefined });
  let read = 0;
  const words =
    'dsr submit --regulation gdpr --type access --profile eu --profile us --show-identities --timeout 2m -o json';
  const { code, stderr, stdout } = await home.run(words, {
    ...{ stdin, tty: true, env: { TERM: 'dumb' } },
    onOutput: (_stdout, text) => {
      const [prompt = '', answer = ''] = answers[0] ?? [];
      const at = answers.length === 0 ? -1 : text.indexOf(prompt, read);
      if (at < 0) return;
      read = at + prompt.length;
      answers.shift();
      setImmediate(() => stdin.push(`${answer}\n`));
    },
  });
  expect([code, answers], stderr).toEqual([0, []]);
  expect(JSON.parse(stdout)).toMatchObject([{ data: { controller_id: '3001' } }, { data: { controller_id: '3002' } }]);
  expect(stderr.split('Value of email').length - 1).toBe(1);
  expect(stderr.split('email = jane@example.com').length - 1).toBeGreaterThanOrEqual(2);
});

it('submits to each profile, exits with 3 if some profiles fail, and rejects --request-id for several profiles', async () => {
  await createProfiles();
  const both = ['--profile', 'eu', '--profile', 'us'];
  await home.run(submit('jane@example.com', '--profile', 'us'));
  const some = await home.json<{ profile: string; data?: { subject_request_id: string }; error?: { code: string } }[]>(
    submit('jane@example.com', ...both),
  );
  expect(some.code).toBe(3);
  expect(some.data).toMatchObject([
    { profile: 'eu' },
    { profile: 'us', error: { code: 'dsr.duplicate', hint: expect.stringContaining('--allow-duplicates') as string } },
  ]);
  const dry = await home.json(submit('ben@example.com', '--dry-run', ...both));
  expect(dry.data).toMatchObject([
    { profile: 'eu', data: { dry_run: true } },
    { profile: 'us', data: { dry_run: true } },
  ]);
  const all = await home.run([
    'dsr',
    'submit',
    '--regulation',
    'ccpa',
    '--type',
    'erasure',
    '--identity',
    'email=ben@example.com',
    '--yes',
    '--allow-duplicates',
    '--dry-run',
    ...both,
  ]);
  expect(all.code).toBe(0);
  const id = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11';
  expect(await home.run(submit('carl@example.com', '--request-id', id, ...both))).toMatchObject({ code: 2 });
});

it('warns if one input has an erasure and an access or portability request for the same person', async () => {
  const rows = [
    'gdpr,erasure,jane@example.com',
    'gdpr,access,Jane@example.com',
    'gdpr,access,ben@example.com',
    'ccpa,portability,kim@example.com',
    'ccpa,erasure,kim@example.com',
    'gdpr,erasure,lee@example.com',
  ];
  home.write('people.csv', `regulation,subject_request_type,email\n${rows.join('\n')}\n`);
  for (const flag of ['--dry-run', '--yes'])
    expect((await home.run(`dsr submit --bulk people.csv ${flag}`)).stderr).toMatch(
      /2 erasures delete .* with an access or portability request in the same input \(rows 1, 5\)/,
    );
});

it('warns if --resume finds no earlier run because the file was changed, and rejects rows that repeat requests', async () => {
  const bulk = 'dsr submit --bulk people.csv --regulation gdpr --type access --yes';
  home.write('people.csv', 'email\njane@example.com\n');
  await home.run(bulk);
  expect((await home.run(`${bulk} --resume`)).stderr).not.toContain('No earlier run');
  home.write('people.csv', 'email\njane@example.com\nben@example.com\n');
  const { code, stderr } = await home.run(`${bulk} --resume --results new.csv`);
  expect(code).toBe(3);
  expect(home.read('new.csv')).toMatch(
    /^email,.*\njane@example\.com,[0-9a-f-]{36},failed,.*\nben@example\.com,[0-9a-f-]{36},submitted,/,
  );
  expect(await home.received('POST', '/v3/requests')).toBe(2);
  expect(stderr).toContain(
    'No earlier run has this content. If people.csv changed after an interrupted run, restore it',
  );
});

it('warns about cells with spaces around an identity, and removes the spaces', async () => {
  home.write(
    'people.csv',
    'regulation,subject_request_type,email\ngdpr,access, ben@example.com\ngdpr,access,kim@example.com\n',
  );
  const { data, stderr } = await home.json<{ requests: { body: unknown }[] }>(
    'dsr submit --bulk people.csv --dry-run --show-identities',
  );
  expect(stderr).toContain('1 row has spaces around an identity, which are removed (row 1).');
  expect(JSON.stringify(data.requests[0])).toContain('"ben@example.com"');
});
