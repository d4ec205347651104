// The user's file and the reported outcome after a write whose response differs from the request.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ManifestReply } from '../../../src/lib/contract/roles.ts';
import { answerBytes, type FaultProxy, startFaultProxy } from '../../helpers/fault-proxy.ts';
import { createRolesHome, type RolesHome } from '../../helpers/roles-home.ts';

type Distort = (manifest: ManifestReply) => unknown;

const DISTORTIONS: Record<string, Distort> = {
  'an empty list': (manifest) => ({ ...manifest, roles: [] }),
  'one missing role': (manifest) => ({ ...manifest, roles: manifest.roles.slice(1) }),
  'truncated descriptions': (manifest) => ({
    ...manifest,
    roles: manifest.roles.map((role) => ({ ...role, description: role.description?.slice(0, 3) })),
  }),
  'an unknown role': (manifest) => ({
    ...manifest,
    roles: [...manifest.roles, { role_id: 'stranger', name: 'S', description: 's', tasks: [{ task_id: 'user:core' }] }],
  }),
  'roles without tasks': (manifest) => ({ ...manifest, roles: manifest.roles.map((role) => ({ ...role, tasks: [] })) }),
};

const FILE = [
  '# Who may do what. Ask Ada before you change this.',
  'roles: # in the order of the org chart',
  '  # the help desk',
  "  - name:   'Helpers'",
  '    role_id: support-role',
  '    description: >',
  '      Answers',
  '      questions',
  '    tasks: [ audiences:view, user_activity:view ] # no more',
  '',
  '  - {role_id: analyst, name: Analyst, description: d, tasks: [audiences:view]}',
  'last_modified_on:  "2020-01-01 00:00:00"   # by cdpadm',
  'last_modified_by: BY',
  '# the end',
  '',
].join('\n');
/** Returns the text with this last-modified stamp. */
const withStamp = (text: string, on: string): string => text.replace(/(?<=last_modified_on: {2})".*?"/, `"${on}"`);

describe('a roles write whose response differs from the request', () => {
  let admin: RolesHome;
  let proxy: FaultProxy;
  let file: string;

  beforeEach(async () => {
    admin = await createRolesHome();
    proxy = await startFaultProxy(Number(new URL(admin.platform.ready.base_url).port));
    admin.env.CDPADM_BASE_URL = proxy.url;
    admin.env.CDPADM_AUDIENCE = admin.platform.ready.base_url;
    const { data } = await admin.json<ManifestReply>('roles pull -');
    file = withStamp(FILE, data.last_modified_on ?? '').replace('BY', data.last_modified_by ?? '');
    admin.write('roles.yaml', file);
    await admin.platform.api.set('2030-01-02T03:04:05Z');
  });
  afterEach(async () => {
    await proxy.close();
    await admin.close();
  });

  /** Alters the response to each PUT and, if `reads` is true, to every later GET. */
  async function distort(change: Distort, { reads, status }: { reads: boolean; status?: number }): Promise<void> {
    let wrote = false;
    await proxy.begin({
      at: 0,
      mode: 'ever',
      fault: {
        name: 'distorted',
        delivered: true,
        act: (socket, response, _trap, { method }) => {
          const isHit = method === 'PUT' || (wrote && reads);
          wrote ||= method === 'PUT';
          const body = isHit
            ? Buffer.from(JSON.stringify(change(JSON.parse(response.body.toString()) as ManifestReply)))
            : response.body;
          socket.write(
            answerBytes({ ...response, body, status: method === 'PUT' && status ? status : response.status }),
          );
        },
      },
    });
  }

  const PUSH = 'roles push --yes --allow-delete --force';

  it.each(Object.entries(DISTORTIONS))('changes only the stamp in the pushed file: %s', async (_name, change) => {
    await distort(change, { reads: false });
    const { code, stderr } = await admin.run(PUSH);
    expect([code, stderr]).toEqual([0, expect.stringContaining('differs from what was sent. Reading')]);
    const written = admin.read('roles.yaml').replace(/(?<=last_modified_by: ).*/, /by: (.*)/.exec(file)?.[1] ?? '');
    expect(written).toMatch(/"2030-01-02 03:04:\d\d" {3}# by cdpadm/);
    expect(withStamp(written, '')).toBe(withStamp(file, ''));
    expect(stderr).toContain('Updated the last-modified stamp in roles.yaml.');
    await proxy.begin();
    expect((await admin.run('roles diff --exit-code')).code).toBe(0);
  });

  it.each(Object.entries(DISTORTIONS))(
    'does not change the pushed file if a GET also differs: %s',
    async (_name, change) => {
      await distort(change, { reads: true });
      const { code, error } = await admin.json(PUSH);
      expect([code, error.code]).toEqual([6, 'roles.changed_meanwhile']);
      expect(error.issues).not.toEqual([]);
      expect(admin.read('roles.yaml')).toBe(file);
    },
  );

  describe.each([
    'roles create viewer --name Viewer --description d --task audiences:view --yes',
    'roles update support-role --name Helpers --yes',
    'roles delete read-only-role --allow-delete --yes',
  ])('%s', (line) => {
    it.each(Object.entries(DISTORTIONS))(
      'exits with 6 if a GET does not confirm the change: %s',
      async (_name, change) => {
        await distort(change, { reads: true });
        const { code, error } = await admin.json(line);
        expect([code, error.code]).toEqual([6, 'roles.changed_meanwhile']);
        const { data } = await admin.json<{ outcome: string }[]>('log');
        expect(data.at(-1)?.outcome).toBe('unknown');
      },
    );
  });

  it('has an unknown outcome in the log if the status is 500 and the platform stored something else', async () => {
    await distort((manifest) => ({ ...manifest, roles: manifest.roles.slice(1) }), { reads: true, status: 500 });
    expect(await admin.json(PUSH)).toMatchObject({ code: 6, error: { code: 'roles.changed_meanwhile' } });
    expect((await admin.json('log')).data).toMatchObject([{ command: 'roles push', outcome: 'unknown' }]);
  });

  it('exits with 6 if it is a rollback that a GET does not confirm', async () => {
    await admin.run('roles update support-role --name Helpers --yes');
    const { data } = await admin.json<{ revision: string }[]>('roles history');
    await distort((manifest) => ({ ...manifest, roles: [] }), { reads: true });
    expect((await admin.run(`roles rollback ${data[0]?.revision ?? ''} --yes`)).code).toBe(6);
  });

  it('does not delete a new role if a read returns the manifest from before its creation', async () => {
    const before = (await admin.platform.call('GET', `${admin.platform.accountPath}/roles`)).json as ManifestReply;
    await admin.run('roles create viewer --name Viewer --description d --task audiences:view --yes');
    await proxy.begin({
      at: 0,
      mode: 'ever',
      fault: {
        name: 'an outdated replica',
        delivered: true,
        act: (socket, response, _trap, { method, target }) => {
          const isOld = method === 'GET' && target.endsWith('/roles');
          socket.write(answerBytes({ ...response, ...(isOld && { body: Buffer.from(JSON.stringify(before)) }) }));
        },
      },
    });
    const line = 'roles create editor --name Editor --description d --task audiences:edit --yes';
    expect(await admin.json(line)).toMatchObject({ code: 6, error: { code: 'roles.outdated' } });
    for (const command of ['diff', 'push --yes']) expect((await admin.run(`roles ${command}`)).code).toBe(6);
    for (const update of ['pull', 'pull --merge']) expect((await admin.run(`roles ${update}`)).code).toBe(6);
    // A pull into a new file accepts an older manifest, for example after a reset of the platform.
    expect((await admin.run('roles pull new.yaml')).stderr).toContain('returned an outdated manifest');
    expect((await admin.run('roles diff new.yaml')).code).toBe(0);
    await proxy.begin();
    expect((await admin.run(line)).code).toBe(0);
    expect([...(await admin.live()).keys()]).toEqual(expect.arrayContaining(['viewer', 'editor']));
  });

  it('keeps a byte order mark, and does not update a file that changed during the push', async () => {
    admin.write('roles.yaml', `\ufeff${file}`);
    expect((await admin.run(PUSH)).code).toBe(0);
    expect(admin.read('roles.yaml')).toMatch(/^\ufeff# Who/);
    admin.edit('roles.yaml', 'Helpers', 'Others');
    await proxy.begin({
      at: 0,
      mode: 'ever',
      fault: {
        name: 'an editor saves',
        delivered: true,
        act: (socket, response, _trap, { method }) => {
          if (method === 'PUT') admin.write('roles.yaml', 'mine now\n');
          socket.write(answerBytes(response));
        },
      },
    });
    await admin.platform.api.advance('5s');
    const { code, stderr } = await admin.run(PUSH);
    expect([code, stderr]).toEqual([0, expect.stringContaining('was not updated: it changed after')]);
    expect(admin.read('roles.yaml')).toBe('mine now\n');
  });
});
