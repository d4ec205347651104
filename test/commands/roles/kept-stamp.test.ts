// The next push of a roles file that kept its old stamp because an earlier push did not or could not write a new one.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { answerBytes, type FaultProxy, startFaultProxy } from '../../helpers/fault-proxy.ts';
import { createRolesHome, type RolesHome } from '../../helpers/roles-home.ts';

const NEW_ROLE = '  - role_id: analyst\n    name: Analyst\n    description: d\n    tasks: [audiences:view]\n';

describe('a roles file that keeps its old stamp after a push', () => {
  let admin: RolesHome;
  let proxy: FaultProxy;

  beforeEach(async () => {
    admin = await createRolesHome();
    proxy = await startFaultProxy(Number(new URL(admin.platform.ready.base_url).port));
    admin.env.CDPADM_BASE_URL = proxy.url;
    admin.env.CDPADM_AUDIENCE = admin.platform.ready.base_url;
    await admin.run('roles pull');
    fs.copyFileSync(join(admin.cwd, 'roles.yaml'), join(admin.cwd, 'other.yaml'));
    await admin.run('roles update user-role --description theirs --yes');
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
    await admin.platform.api.advance('5s');
  });
  afterEach(async () => {
    await proxy.close();
    await admin.close();
  });

  /** Calls `act` when the platform has stored the manifest, before the program receives the response. */
  async function afterPut(act: () => void): Promise<void> {
    await proxy.begin({
      at: 0,
      mode: 'ever',
      fault: {
        name: 'a change on this machine',
        delivered: true,
        act: (socket, response, _trap, { method }) => {
          if (method === 'PUT') act();
          socket.write(answerBytes(response));
        },
      },
    });
  }

  function failRename(code: string): void {
    const { renameSync } = fs;
    const restore = (): void => {
      fs.renameSync = renameSync;
      syncBuiltinESMExports();
    };
    onTestFinished(restore);
    fs.renameSync = (from, to) => {
      if (!String(to).endsWith('roles.yaml')) return renameSync(from, to);
      restore();
      throw Object.assign(new Error(code), { code });
    };
    syncBuiltinESMExports();
  }

  const PUSHES: Record<string, () => Promise<void>> = {
    '--no-write-back': async () => {
      const { code, stderr } = await admin.run('roles push --yes --no-write-back');
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('Updated the last-modified stamp')]);
    },
    '--plan': async () => {
      await admin.run('roles diff --save-plan roles.plan');
      expect((await admin.run('roles push --plan roles.plan --yes')).code).toBe(0);
    },
    'an editor that saved the file meanwhile': async () => {
      await afterPut(() => admin.write('roles.yaml', `# saved again\n${admin.read('roles.yaml')}`));
      const { code, stderr } = await admin.run('roles push --yes');
      expect([code, stderr]).toEqual([
        0,
        expect.stringContaining('was not updated: it changed after the push read it'),
      ]);
      await proxy.begin();
    },
    'a full disk': async () => {
      failRename('ENOSPC');
      const { code, data, stderr } = await admin.json('roles push --yes');
      expect({ code, data }).toMatchObject({ code: 0, data: { applied: true } });
      expect(stderr).toMatch(/roles\.yaml was not updated: Cannot write .*roles\.yaml: the disk is full/);
    },
    'a read-only file': async () => {
      failRename('EACCES');
      const { code, stderr } = await admin.run('roles push --yes');
      expect([code, stderr]).toEqual([0, expect.stringContaining('permission denied')]);
    },
  };

  describe.each(Object.entries(PUSHES))('because of %s', (_why, push) => {
    beforeEach(async () => {
      const before = admin.read('roles.yaml');
      await push();
      expect(admin.read('roles.yaml')).toContain(before);
      await admin.platform.api.advance('5s');
    });

    const names = async (): Promise<unknown[]> => {
      const live = await admin.live();
      return [live.get('support-role')?.name, live.get('user-role')?.description];
    };

    it('can change the pushed field again, and keeps other changes', async () => {
      admin.edit('roles.yaml', 'name: Helpers', 'name: Desk');
      const { code, data } = await admin.json('roles push --yes');
      expect({ code, data }).toMatchObject({ code: 0, data: { summary: { create: 0, modify: 1, delete: 0 } } });
      expect(await names()).toEqual(['Desk', 'theirs']);
    });

    it('can change it back to the value from the pull', async () => {
      admin.edit('roles.yaml', 'name: Helpers', 'name: Support');
      expect((await admin.run('roles pull')).code).toBe(6);
      const { code, data } = await admin.json('roles push --yes');
      expect({ code, data }).toMatchObject({ code: 0, data: { summary: { create: 0, modify: 1, delete: 0 } } });
      expect(await names()).toEqual(['Support', 'theirs']);
    });

    it('has no edits, so a pull updates it', async () => {
      expect((await admin.json('roles push --yes --no-write-back')).data).toMatchObject({ applied: false });
      expect((await admin.run('roles pull')).code).toBe(0);
      expect(admin.read('roles.yaml')).toContain('description: theirs');
      expect((await admin.run('roles diff --exit-code')).code).toBe(0);
    });

    it('is not undone by another file from the same pull, which conflicts if it changes the same field', async () => {
      admin.edit('other.yaml', 'name: Read Only', 'name: Reader');
      const pushed = await admin.run('roles push other.yaml --yes');
      expect(pushed.code, pushed.stderr).toBe(0);
      expect(await names()).toEqual(['Helpers', 'theirs']);
      fs.writeFileSync(join(admin.cwd, 'third.yaml'), admin.read('roles.yaml').replace('name: Helpers', 'name: Third'));
      expect((await admin.run('roles push third.yaml --yes')).code).toBe(6);
    });
  });

  it.each([
    ['the manifest from before its creation', (text: string) => text],
    ['a manifest without roles or a stamp', () => '{"roles":[]}'],
  ])('does not delete a role that the push created if a read returns %s', async (_what, answer) => {
    const { text } = await admin.platform.call('GET', `${admin.platform.accountPath}/roles`);
    admin.write('roles.yaml', admin.read('roles.yaml') + NEW_ROLE);
    await admin.run('roles push --yes --no-write-back');
    admin.edit('roles.yaml', 'name: Helpers', 'name: Desk');
    await proxy.begin({
      at: 0,
      mode: 'ever',
      fault: {
        name: 'an outdated replica',
        delivered: true,
        act: (socket, response, _trap, { method, target }) => {
          const isOld = method === 'GET' && target.endsWith('/roles');
          socket.write(answerBytes({ ...response, ...(isOld && { body: Buffer.from(answer(text)) }) }));
        },
      },
    });
    expect(await admin.json('roles push --yes')).toMatchObject({ code: 6, error: { code: 'roles.outdated' } });
    await proxy.begin();
    expect((await admin.live()).has('analyst')).toBe(true);
  });

  it('plans the deletion of a role that an earlier push created and the file no longer contains', async () => {
    const before = admin.read('roles.yaml');
    admin.write('roles.yaml', before + NEW_ROLE);
    await admin.run('roles push --yes --no-write-back');
    admin.write('roles.yaml', before);
    const { code, stderr } = await admin.run('roles push --yes --no-write-back');
    expect([code, stderr]).toEqual([12, expect.stringContaining('1 role would be deleted')]);
  });
});
