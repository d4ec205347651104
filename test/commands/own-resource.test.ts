// A command accepts a response only if it is complete and describes the requested resource.
import { beforeEach, describe, expect, it, test } from 'vitest';
import { createDsrHome } from '../helpers/dsr-home.ts';
import { answerBytes, type FaultProxy, type PlatformAnswer, startFaultProxy } from '../helpers/fault-proxy.ts';
import { opened } from '../helpers/opened.ts';
import { openPlatformHome, type PlatformHome } from '../helpers/platform-home.ts';
import { CONNECTION, SECRET_ENV, writeAll } from '../helpers/warehouse-files.ts';

const LAKE = 'connections create lake --name Lake --service-provider PROVIDER_D --provider acme --schema shop --yes';
const LAKE_BODY = {
  id: 'lake',
  name: 'Lake',
  service_provider: 'PROVIDER_D',
  config: { provider: 'acme', schema: 's' },
};

let home: PlatformHome;
let proxy: FaultProxy;

/** Opens a home with a proxy that can replace the platform's responses. */
async function openHome(): Promise<void> {
  home = await opened(openPlatformHome());
  await home.run(LAKE);
  const direct = home.env['CDPADM_BASE_URL'] ?? '';
  proxy = await opened(startFaultProxy(Number(new URL(direct).port)));
  Object.assign(home.env, { CDPADM_BASE_URL: proxy.url, CDPADM_AUDIENCE: direct });
}

type Replacement = Partial<Pick<PlatformAnswer, 'status' | 'headers'>> & { body: string };

async function replace(
  chosen: (method: string, target: string, response: PlatformAnswer) => Replacement | undefined,
  delivered = true,
): Promise<void> {
  await proxy.begin((_index, { method, target }) =>
    target.includes('/oauth/') || (!delivered && method === 'GET' && !chosen(method, target, EMPTY))
      ? undefined
      : {
          name: 'replaced',
          delivered: delivered || method === 'GET',
          act: (socket, response) => {
            const change = chosen(method, target, response);
            socket.write(answerBytes(change ? { ...response, ...change, body: Buffer.from(change.body) } : response));
          },
        },
  );
}

const EMPTY: PlatformAnswer = { status: 200, headers: {}, body: Buffer.from('') };

/** Returns the response with one field changed, or undefined if the status is not 200 or the field is missing. */
function changed(response: PlatformAnswer, field: string): Replacement | undefined {
  if (response.status !== 200) return undefined;
  const body = JSON.parse(response.body.toString()) as Record<string, unknown>;
  return field in body ? { body: JSON.stringify({ ...body, [field]: 'other' }) } : undefined;
}

describe('a read of one resource', () => {
  beforeEach(openHome);

  it.each([['connections get lake', 'id', 'other']])(
    'exits with 1 if the response to `%s` has a different %s',
    async (line, field, value) => {
      await replace((method, _target, response) => (method === 'GET' ? changed(response, field) : undefined));
      const { code, error } = await home.json(line);
      expect([code, error.code]).toEqual([1, 'http.unreadable']);
      expect(error.message).toContain(`describes a different resource (${field} ${value})`);
    },
  );
});

describe('a creation that the platform rejects with 409', () => {
  beforeEach(async () => {
    await openHome();
    writeAll(home.cwd, {
      'crm.yaml': CONNECTION,
      'sync/connections/crm.yaml': CONNECTION,
      'group.yaml': 'id: household\nsource_user_attribute: h\nattributes: [{id: a, type: sum}]\n',
    });
  });

  const FIELDS =
    '--name A --service-provider PROVIDER_A --account-identifier a --region r --warehouse w --database d --user u --role o --storage-integration i';

  it.each([
    ['connections create -f crm.yaml', 'cdpadm connections update crm -f crm.yaml'],
    [
      `connections create crm ${FIELDS} --password-from env:WAREHOUSE_PASSWORD`,
      'cdpadm connections update crm --password-from env:WAREHOUSE_PASSWORD',
    ],
    ['warehouse apply sync', 'cdpadm warehouse apply sync --send-secrets'],
  ])('prints the command that sends the secrets if the resource exists: %s', async (line, command) => {
    await replace((method, target) =>
      method === 'POST' && target.endsWith('/connections') ? { status: 409, body: '{}' } : undefined,
    );
    const { error } = await home.json(`${line} --yes`, { env: SECRET_ENV });
    expect(error.hint?.replaceAll('`', '')).toMatch(new RegExp(`^To send its secrets: ${command}(?:\\. |$)`));
    await proxy.begin();
    expect(await home.run(`${command.replace('cdpadm ', '')} --yes`, { env: SECRET_ENV })).toMatchObject({ code: 0 });
  });

  it.each([
    ['groups create -f group.yaml', 'groups'],
    ['connections create -f crm.yaml', 'connections'],
  ])('prints the command that lists the existing resources if a read does not find the id: %s', async (line, group) => {
    await replace(
      (method, target) =>
        method === 'POST' && /groups|connections/.test(target) ? { status: 409, body: '{}' } : undefined,
      false,
    );
    const { code, error } = await home.json(`${line} --yes`, { env: SECRET_ENV });
    expect({ code, hint: error.hint }).toEqual({
      code: 6,
      hint: expect.stringContaining(`cdpadm ${group} list`) as string,
    });
  });
});

describe('a read of several pages', () => {
  beforeEach(openHome);

  const run = (id: number, pipeline_id = 'p') => ({ id, pipeline_id, status: 'success' });

  /**
   * Lists runs while the platform returns these pages, the last page repeatedly. Returns the ids, or the exit code and
   * message.
   */
  async function list(...pages: object[]) {
    let reads = 0;
    await replace((_method, target) => {
      if (!target.includes('/runs?')) return undefined;
      const body = JSON.stringify(pages[Math.min(reads++, pages.length - 1)]);
      return { status: 200, headers: { 'content-type': 'application/json' }, body };
    });
    const { code, data, error } = await home.json<{ id: number }[]>('pipelines runs p --all -q');
    return code === 0 ? data.map(({ id }) => id) : `${code} ${error.message}`;
  }

  it('fails if one item belongs to another resource', async () => {
    expect(await list({ items: [run(1), run(2, 'other')] })).toContain('(items[].pipeline_id other)');
  });

  it('reads every page if the platform reports only the number of pages', async () => {
    expect(await list({ items: [run(3), run(2)], total_pages: 2 }, { items: [run(1)], total_pages: 2 })).toEqual([
      3, 2, 1,
    ]);
  });

  it('lists an item only once if it moves to the next page', async () => {
    const first = { items: [run(2), run(1)], has_next_page: true };
    expect(await list(first, { items: [run(1)], has_next_page: false })).toEqual([2, 1]);
  });

  it('exits with 1 if the platform always returns the same page', async () => {
    expect(await list({ items: [run(1)], has_next_page: true })).toMatch(/^1 Page 2 repeats earlier pages\.$/);
  });
});

describe('a write', () => {
  beforeEach(openHome);

  it("is reported as unknown if it never arrived and the response contains only the resource's id", async () => {
    await replace((method) => (method === 'POST' ? { status: 201, body: '{"id":"shop"}' } : undefined), false);
    const { code, error } = await home.json(LAKE.replace('lake', 'shop'));
    expect([code, error.code]).toEqual([8, 'http.outcome_unknown']);
  });

  it('is reported as unknown if it never arrived and the response contains a different definition', async () => {
    const body = JSON.stringify({ ...LAKE_BODY, id: 'shop', name: 'Other' });
    await replace((method) => (method === 'POST' ? { status: 201, body } : undefined), false);
    expect(await home.json(LAKE.replace('lake', 'shop'))).toMatchObject({ code: 8 });
  });

  it.each([202, 201])(
    'is reported as unknown if it never arrived and a complete response has status %i',
    async (status) => {
      const body = JSON.stringify({ ...LAKE_BODY, id: 'shop' });
      await replace((method) => (method === 'POST' ? { status, body } : undefined), false);
      const { code, error } = await home.json(LAKE.replace('lake', 'shop'));
      expect([code, error.code]).toEqual([8, 'http.outcome_unknown']);
    },
  );

  it('succeeds if it arrived despite status 429, even if the platform filled in missing fields', async () => {
    let posts = 0;
    await replace((method) => (method === 'POST' && posts++ === 0 ? { status: 429, body: '{}' } : undefined));
    expect(await home.json(LAKE.replace('lake', 'shop'))).toMatchObject({
      code: 0,
      data: { id: 'shop', state: 'new' },
    });
  });

  it('is reported as unknown if it is a deletion that only a web page with status 404 confirms', async () => {
    let deletes = 0;
    const page = { status: 404, headers: { 'content-type': 'text/html' }, body: '<html><title>nginx</title></html>' };
    await replace((method) => {
      if (method !== 'DELETE') return deletes > 0 ? page : undefined;
      deletes++;
      return { status: 204, body: '' };
    }, false);
    const { code, error } = await home.json('connections delete lake --yes');
    expect([code, error.code]).toEqual([8, 'http.outcome_unknown']);
  });
});

test('rejects a request if the workspace key belongs to another workspace, and does not change the ledger', async () => {
  home = await opened(createDsrHome());
  const submit = 'dsr submit --regulation gdpr --type access --identity email=a@example.com --yes';
  const own = await home.json<{ subject_request_id: string }>(submit);
  expect(own.code).toBe(0);
  const elsewhere = await home.json(`${submit.replace('a@', 'b@')} --workspace 3002`);
  expect([elsewhere.code, elsewhere.error.code]).toEqual([6, 'dsr.other_workspace']);
  home.write('people.csv', 'email\nc@example.com\nd@example.com\n');
  const bulk = await home.json('dsr submit --bulk people.csv --regulation gdpr --type access --yes --workspace 3002');
  expect([bulk.code, bulk.error.code]).toEqual([6, 'dsr.other_workspace']);
  // The response is lost, so a read must confirm the row.
  await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', drop: 'after', times: 1 });
  home.write('others.csv', 'email\ne@example.com\n');
  const lost = 'dsr submit --bulk others.csv --regulation gdpr --type access --group-id g --yes --workspace 3002';
  expect((await home.json(lost)).error.code).toBe('dsr.other_workspace');
  const id = own.data.subject_request_id;
  for (const line of [
    `status ${id}`,
    `wait ${id}`,
    `cancel ${id} --yes`,
    'list --group-id g',
    'cancel --group-id g --yes',
  ])
    expect(await home.json(`dsr ${line} --workspace 3002`), line).toMatchObject({
      error: { code: 'dsr.other_workspace' },
    });
  const listed = await home.json<{ subject_request_id: string; request_status: string }[]>('dsr list');
  const { subject_request_id } = own.data;
  expect(listed.data).toMatchObject([{ subject_request_id, request_status: 'pending' }]);
});
