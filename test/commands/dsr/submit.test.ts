// `dsr submit` and the commands that follow it: one request from flags to results, and invalid requests.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { interrupted } from '../../../src/lib/runtime/interrupt.ts';
import { createDsrHome } from '../../helpers/dsr-home.ts';
import { createFastClock } from '../../helpers/fast-clock.ts';
import { opened } from '../../helpers/opened.ts';
import type { PlatformHome } from '../../helpers/platform-home.ts';

interface Submitted {
  subject_request_id: string;
  request_status: string;
  signature_valid: boolean | null;
}

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome();
});
afterEach(() => home.close());

const ACCESS = 'dsr submit --regulation gdpr --type access --identity email=jane@example.com --yes';

describe('dsr submit', () => {
  it('sends one request, verifies the signature, and records the request without its identity', async () => {
    const { code, data, stderr } = await home.json<Submitted>(ACCESS);
    expect(code, stderr).toBe(0);
    expect(data).toMatchObject({ request_status: 'pending', signature_valid: true });
    const ledger =
      await home.json<{ id: string; status: string; identities: Record<string, string> }[]>('dsr ledger export');
    expect(ledger.data).toMatchObject([{ id: data.subject_request_id, status: 'pending', regulation: 'gdpr' }]);
    expect(Object.keys(ledger.data[0]?.identities ?? {})).toEqual(['email']);
    expect(ledger.stdout + stderr).not.toContain('jane@example.com');
  });

  it('masks identities unless --show-identities is set', async () => {
    expect((await home.run(`${ACCESS} --dry-run`)).stdout).not.toContain('jane');
    expect((await home.run(`${ACCESS} --dry-run --show-identities`)).stdout).toContain('jane@example.com');
    expect(await home.received('POST', '/v3/requests')).toBe(0);
  });

  it('trims spaces around an identity, as in file cells', async () => {
    const flags = '--regulation gdpr --type access --dry-run --show-identities --json'.split(' ');
    const { stdout } = await home.run(['dsr', 'submit', '--identity', 'email= jane@example.com ', ...flags]);
    expect(stdout).toContain('"jane@example.com"');
  });

  it.each([
    [['--identity', 'xpid=1', '--identity', 'email=a@b.c'], /xpid/],
    [['--identity', 'email=a@b.c', '--identity', 'email=d@e.f'], /repeats the type/],
    [['--identity', 'email= '], /is empty/],
    [['--identity', 'emial=a@b.c'], /unknown identity type/],
    [['--identity', 'email=a@b.c', '--request-id', 'f0000000-0000-1000-8000-000000000000'], /version 4/],
    [['--identity', 'ose_publisher_id=1', '--identity', 'ose_publishing_id=2'], /same identity type/],
    [['--identity', 'email=a@b.c', '--callback-url', 'http://example.com/x'], /https/],
  ])('rejects %j and sends nothing', async (flags, message) => {
    const { code, stderr } = await home.run([
      'dsr',
      'submit',
      '--regulation',
      'gdpr',
      '--type',
      'erasure',
      '--yes',
      ...flags,
    ]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(await home.received('POST', '/v3')).toBe(0);
  });

  it('lists all missing flags if there is no terminal for prompts', async () => {
    const { code, stderr } = await home.run('dsr submit --type access');
    expect([code, stderr]).toEqual([2, expect.stringContaining('Pass --regulation and --identity TYPE=VALUE,')]);
    const bare = await home.run('dsr submit');
    expect(bare.stderr).toContain('Pass --regulation, --type and --identity TYPE=VALUE,');
  });

  it('upgrades a version 2 body and prints a warning', async () => {
    home.write(
      'old.json',
      JSON.stringify({
        regulation: 'gdpr',
        api_version: '2.0',
        subject_request_type: 'erasure',
        submitted_time: '2026-01-01T00:00:00Z',
        subject_identities: [{ identity_type: 'email', identity_value: 'a@b.c', identity_format: 'raw' }],
        extensions: {
          'opendsr.platform.example': {
            skip_waiting_period: true,
            identities: [{ identity_type: 'other2', identity_value: 'x', identity_format: 'raw' }],
          },
        },
      }),
    );
    const { code, stderr, stdout } = await home.run('dsr submit -f old.json --dry-run --show-identities -o json');
    expect(code).toBe(0);
    const [{ body }] = (JSON.parse(stdout) as { requests: [{ body: unknown }] }).requests;
    expect(body).toMatchObject({
      api_version: '3.0',
      subject_identities: { email: { value: 'a@b.c', encoding: 'raw' } },
      extensions: {
        'opendsr.platform.example': { skip_waiting_period: true, subject_identities: { other2: { value: 'x' } } },
      },
    });
    const text = await home.run('dsr submit -f old.json --dry-run');
    expect(text.stderr).toContain('Upgraded to version 3');
    expect(stderr).toContain('{"warning":{"message":"Upgraded to version 3');
    expect(stderr).not.toContain('a@b.c');
  });

  it("reports the line of another vendor's extension, and the expected vendor domain", async () => {
    home.write(
      'other.yaml',
      'regulation: gdpr\nsubject_request_type: access\nextensions:\n  opendsr.else.example:\n    subject_identities:\n      xpid: {value: "1", encoding: raw}\n',
    );
    const { code, error } = await home.json('dsr submit -f other.yaml --yes');
    expect(code).toBe(9);
    expect(error.issues).toMatchObject([{ line: 4, column: 3 }]);
    expect(error.issues[0]?.message).toContain('opendsr.platform.example');
  });

  it('reports the line of an unknown identity type', async () => {
    home.write(
      'mistyped.yaml',
      'regulation: gdpr\nsubject_request_type: access\nsubject_identities:\n  emial:\n    value: a@b.c\n    encoding: raw\n',
    );
    const { code, error } = await home.json('dsr submit -f mistyped.yaml --yes');
    expect(code).toBe(9);
    expect(error.issues).toMatchObject([
      { line: 4, column: 3, message: expect.stringContaining('unknown identity type `emial`') as string },
    ]);
  });

  it('keeps the deadline of a request that the platform already has', async () => {
    const line = `${ACCESS} --request-id 5b0ac1de-3f4c-4c4e-9d55-3d2f6a1f8c66`;
    const first = await home.json<Submitted & { deadline: string }>(
      `${line} --submitted-time ${new Date(Date.now() - 20 * 86_400_000).toISOString()}`,
    );
    const again = await home.json<Submitted & { deadline: string }>(line);
    expect([first.code, again.code]).toEqual([0, 0]);
    expect(again.data.deadline).toBe(first.data.deadline);
  });

  it('does not retry a request whose response was lost, and reports its outcome as unknown if the read also fails', async () => {
    await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', drop: 'after', times: 1 });
    const lost = await home.json<Submitted>(ACCESS);
    expect([lost.code, lost.stderr.includes('does not confirm the request')]).toEqual([0, true]);
    expect(await home.received('POST', '/v3/requests')).toBe(1);
    await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', drop: 'after' });
    await home.platform.api.addFault({ method: 'GET', path: '/v3/requests/*', drop: 'before' });
    const unknown = await home.run([...ACCESS.replace('jane', 'joe').split(' '), '--retries', '0']);
    expect(unknown.code).toBe(8);
    expect(unknown.stderr).toMatch(/dsr status [0-9a-f-]{36}/);
  });

  it('reports a conflict with an open request for the same person', async () => {
    await home.run(ACCESS);
    const { code, error } = await home.json(`${ACCESS} --allow-duplicates`);
    expect([code, error.code]).toEqual([6, 'http.conflict']);
    expect(error.hint).toContain('There is already an open request for the same identities.');
  });

  it('accepts an existing id only if the ledger has the same request under that id', async () => {
    const id = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c99';
    expect((await home.run(`${ACCESS} --request-id ${id}`)).code).toBe(0);
    expect((await home.run(`${ACCESS} --request-id ${id}`)).code).toBe(0);
    const other = await home.json(`${ACCESS.replace('jane', 'joe')} --request-id ${id}`);
    expect([other.code, other.error.code]).toEqual([6, 'dsr.id_taken']);
    const elsewhere = { env: { CDPADM_STATE_DIR: `${home.cwd}/elsewhere` } };
    expect((await home.json(`${ACCESS} --request-id ${id}`, elsewhere)).error.code).toBe('dsr.id_taken');
    expect(await home.received('POST', '/v3/requests')).toBe(1);
  });
});

describe('dsr cancel', () => {
  it('shows the requests to cancel and what was already sent to partners, before the prompt and in a dry run', async () => {
    const partners = [{ domain: 'ads.example', name: 'Ads', status: 'sent' }];
    const other = await opened(createDsrHome({ partners }));
    const { data } = await other.json<Submitted>(ACCESS.replace('--type access', '--type erasure'));
    const id = data.subject_request_id;
    await other.platform.api.advance('16m');
    const dry = await other.json<{ plan: { cancel: { extensions: unknown[] }[]; leave: unknown[] } }>(
      `dsr cancel ${id} --dry-run`,
    );
    expect(dry.data.plan).toMatchObject({ cancel: [{ extensions: [{ name: 'Ads', status: 'sent' }] }], leave: [] });
    const { code, stderr } = await other.run(`dsr cancel ${id}`);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/already sent.*Ads \(ads\.example\)/)]);
    expect(stderr).toMatch(new RegExp(`cancel  ${id}  pending, GDPR erasure, submitted [-:0-9TZ]{20}, expected `));
    expect((await other.run(`dsr cancel ${id} --yes`)).code).toBe(0);
    const [seen] = (await other.json<{ extensions: unknown[] }[]>(`dsr status ${id}`)).data;
    expect(seen?.extensions).toMatchObject([{ status: 'sent' }]);
  });
});

describe('after a submission', () => {
  it('reports the submission and the command to continue waiting if --wait is interrupted', async () => {
    const stop = new AbortController();
    const { code, stderr } = await home.run(`${ACCESS} --wait --progress json`, {
      clock: createFastClock(1000),
      stop,
      onOutput: (_stdout, text) => {
        if (text.includes('Waiting for completed')) stop.abort(interrupted());
      },
    });
    const [, id] = /Request (\S+) was submitted\./.exec(stderr) ?? [];
    expect([code, stderr]).toEqual([130, expect.stringContaining(`To continue waiting: cdpadm dsr wait ${id}`)]);
    expect(stderr).not.toContain('Nothing was changed');
  });

  it('reports the submission if the request cannot be read afterward, and how to continue waiting', async () => {
    await home.platform.api.addFault({ method: 'GET', path: '/v3/requests/*', status: 503 });
    const { code, error } = await home.json(`${ACCESS} --wait --retries 0`);
    const { data } = await home.json<{ id: string }[]>('dsr ledger export');
    const id = data[0]?.id ?? '';
    expect([code, error]).toMatchObject([
      7,
      {
        message: expect.stringMatching(`^Request ${id} was submitted. `) as string,
        hint: `To continue waiting: cdpadm dsr wait ${id}`,
        subject_request_id: id,
      },
    ]);
    const again = await home.run(`dsr wait ${id} --until pending --retries 0`);
    expect([again.code, again.stderr]).toEqual([7, expect.stringContaining(`cdpadm dsr wait ${id} --until pending`)]);
  });

  it('requires the vendor domain only for commands that build a body', async () => {
    const { data } = await home.json<Submitted>(ACCESS);
    const without = { env: { CDPADM_VENDOR_DOMAIN: '' } };
    for (const command of [
      'list --due',
      'list --group-id g',
      'status ID',
      'wait ID --until pending',
      'cancel ID --yes',
    ])
      expect(await home.run(`dsr ${command}`.replace('ID', data.subject_request_id), without)).toMatchObject({
        code: 0,
      });
    expect(await home.run(`dsr results ${data.subject_request_id}`, without)).toMatchObject({ code: 6 });
    expect((await home.run(ACCESS, without)).stderr).toContain('The vendor domain is missing');
  });

  it('lists and cancels a request, and exits with 6 for one that is already cancelled', async () => {
    const erasure = 'dsr submit --regulation ccpa --type erasure --identity email=b@example.com --group-id g --yes';
    const { data } = await home.json<Submitted>(erasure);
    const id = data.subject_request_id;
    const [listed] = (await home.json<{ deadline: string; cancellable_until: string }[]>('dsr list --due')).data;
    expect(Date.parse(listed?.deadline ?? '') - Date.parse(listed?.cancellable_until ?? '')).toBeGreaterThan(
      37 * 86_400_000,
    );
    expect((await home.json<unknown[]>('dsr list --group-id g')).data).toHaveLength(1);
    expect((await home.run(`dsr cancel ${id} --dry-run`)).code).toBe(0);
    expect(await home.received('DELETE')).toBe(0);
    expect((await home.run('dsr cancel --group-id g --yes')).code).toBe(0);
    expect(await home.received('DELETE')).toBe(1);
    expect((await home.json<{ request_status: string }[]>(`dsr status ${id}`)).data[0]?.request_status).toBe(
      'cancelled',
    );
    const piped = (await home.run(`dsr status ${id} --fields subject_request_id,request_status`)).stdout;
    expect(piped).toBe(`ID\tSTATUS\n${id}\tcancelled\n`);
    expect((await home.run(`dsr cancel ${id} --yes`)).code).toBe(6);
    expect((await home.run(`dsr wait ${id}`)).code).toBe(6);
    expect((await home.run('dsr status 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c00')).code).toBe(5);
  });

  it('stops reading requests soon after the first one that does not exist', async () => {
    const before = await home.received('GET', '/v3/requests/');
    const ids = Array.from({ length: 40 }, (_, index) => `6f1c5a52-3a4c-4f0e-9d55-${String(index).padStart(12, '0')}`);
    expect((await home.run(['dsr', 'status', ...ids])).code).toBe(5);
    expect((await home.received('GET', '/v3/requests/')) - before).toBeLessThan(10);
  });

  it('does not send a second DELETE to confirm a cancellation whose response was lost', async () => {
    const { data } = await home.json<Submitted>(ACCESS);
    await home.platform.api.addFault({ method: 'DELETE', path: '/v3/requests/*', drop: 'after' });
    expect((await home.run(`dsr cancel ${data.subject_request_id} --yes`)).code).toBe(0);
    expect(await home.received('DELETE', '/v3')).toBe(1);
  });

  it('does not suggest waiting for the results of a cancelled request', async () => {
    const { data } = await home.json<Submitted>(ACCESS);
    await home.run(`dsr cancel ${data.subject_request_id} --yes`);
    const { code, stderr } = await home.run(`dsr results ${data.subject_request_id}`);
    expect(code).toBe(6);
    expect(stderr).toContain('it is cancelled');
    expect(stderr).not.toContain('dsr wait');
  });

  it('reports that results are not ready, or that they contain no records', async () => {
    const { data } = await home.json<Submitted>(ACCESS);
    const id = data.subject_request_id;
    expect(await home.run(`dsr results ${id}`)).toMatchObject({ code: 6, stderr: expect.stringContaining('dsr wait') });
    await home.platform.api.advance('4d');
    expect(await home.run(`dsr results ${id}`)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('No records match'),
    });
    await home.platform.api.addFault({ method: 'GET', path: '/v3/requests/*/results', status: 410, times: 1 });
    expect((await home.run(`dsr results ${id}`)).stderr).toContain('have expired');
    // A failed download does not show whether results exist, so the ledger does not record it.
    await home.platform.api.addFault({ method: 'GET', path: '/v3/requests/*/results', status: 403, times: 1 });
    expect((await home.run(`dsr results ${id}`)).code).toBe(4);
    const { data: entries } =
      await home.json<{ no_results: { http_status: number; by: string }[] }[]>('dsr ledger export');
    expect(entries[0]?.no_results.map(({ http_status: status }) => status)).toEqual([404, 410]);
    expect(entries[0]?.no_results.every(({ by }) => by !== '')).toBe(true);
    expect(await home.run(`dsr evidence ${id} --out e.zip`)).toMatchObject({ code: 0 });
  });
});

describe('before a submission', () => {
  it('warns about invisible characters, both for a single request and for bulk rows', async () => {
    const one = await home.run([
      'dsr',
      'submit',
      '--regulation',
      'gdpr',
      '--type',
      'access',
      '--yes',
      '--identity',
      'email=ada\u200b@example.com',
    ]);
    expect([one.code, one.stderr]).toEqual([
      0,
      expect.stringContaining('The request has invisible characters in an identity'),
    ]);
    home.write('a.csv', 'mobile_number\n\u202a+49170123\u202c\n');
    const rows = await home.run('dsr submit --bulk a.csv --regulation gdpr --type access --yes');
    expect([rows.code, rows.stderr]).toEqual([0, expect.stringMatching(/1 row has invisible characters.*row 1/)]);
  });

  it('warns about uppercase letters in an email address, both for a single request and for bulk rows', async () => {
    const one = await home.run('dsr submit --regulation gdpr --type erasure --identity email=Ada@example.com --yes');
    expect([one.code, one.stderr]).toEqual([0, expect.stringContaining('has uppercase letters in `email`')]);
    home.write('a.csv', 'email\nBen@example.com\ncem@example.com\nDora@example.com\n');
    const rows = await home.run('dsr submit --bulk a.csv --regulation gdpr --type access --yes');
    expect([rows.code, rows.stderr]).toEqual([
      0,
      expect.stringMatching(/2 rows have uppercase letters in `email`.*rows 1, 3/),
    ]);
  });

  it('warns that it removed spaces around an identity, but not about the line break at the end of a file', async () => {
    home.write('email.txt', 'ada@example.com\n');
    const submit = ['dsr', 'submit', '--regulation', 'gdpr', '--type', 'access', '--dry-run', '--show-identities'];
    const spaced = await home.run([...submit, '--identity', 'email= ada@example.com ']);
    expect(spaced.stderr).toContain('Removed the spaces around the value of `email`.');
    const read = await home.run([...submit, '--identity', 'email=@email.txt']);
    expect(read.stderr).not.toContain('Removed');
    for (const { code, stdout } of [spaced, read]) expect([code, stdout]).toEqual([0, expect.stringContaining('ada@')]);
  });

  it('does not count skipped rows among the requests that can be cancelled', async () => {
    home.write('a.csv', 'email\nada@example.com\nben@example.com\n');
    const flags = '--regulation gdpr --type erasure';
    expect((await home.run(`dsr submit --bulk a.csv ${flags} --yes`)).code).toBe(0);
    const { stdout } = await home.run(`dsr submit --bulk a.csv.results.csv ${flags} --dry-run`);
    expect(stdout).toContain('2 are already complete and will be skipped');
    expect(stdout).not.toContain('can be cancelled');
  });

  it('warns if the person to erase has an unanswered access request', async () => {
    const { data } = await home.json<Submitted>(ACCESS);
    const id = data.subject_request_id;
    const erasure = `${ACCESS.replace('--type access', '--type erasure')} --allow-duplicates`;
    expect((await home.run(erasure)).stderr).toContain(`The access request ${id} for the same person is still due`);
    await home.platform.api.advance('4d');
    await home.run(`dsr mark ${id} --answered`);
    await home.platform.api.advance('30d');
    expect((await home.run(erasure)).stderr).not.toContain('is still due');
  });
});
