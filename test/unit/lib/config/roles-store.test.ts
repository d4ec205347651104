// Stored roles manifests are private, complete and retrievable, and are written by one writer at a time.
import { readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ManifestReply } from '../../../../src/lib/contract/roles.ts';
import { openRolesStore, type RolesStore } from '../../../../src/lib/config/roles-store.ts';
import { anyReply, role } from '../../../helpers/any-roles.ts';
import { createTestClock, type TestClock } from '../../../helpers/clock.ts';
import { thrownBy } from '../../../helpers/failure.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { setUmask } from '../../../helpers/umask.ts';
import { runs } from '../../../helpers/size.ts';

const SCOPE = { organization: '101', address: 'https://api.example.com' };
const STAMP = { last_modified_on: '2026-11-20 08:00:00', last_modified_by: 'ada@example.com' };
const MANIFEST: ManifestReply = { ...STAMP, version: 2n ** 63n, roles: [role('a', ['x:y'])] };

interface Opened {
  state: string;
  store: RolesStore;
  clock: TestClock;
}

function open(scope = SCOPE, state = temporaryFolder()): Opened {
  const clock = createTestClock();
  return { state, store: openRolesStore(state, scope, clock), clock };
}

/** Returns the paths under the state folder; folders end with a slash. */
function contents(state: string): string[] {
  return readdirSync(state, { recursive: true, withFileTypes: true }).map(
    (entry) => `${join(entry.parentPath, entry.name)}${entry.isDirectory() ? '/' : ''}`,
  );
}

function fileIn(state: string, folder: 'bases' | 'history'): string {
  const path = contents(state).find((name) => name.includes(`/${folder}/`) && name.endsWith('.json'));
  if (path === undefined) throw new Error(`nothing in ${folder}`);
  return path;
}

const revisionOf = (manifest: ManifestReply, reason = 'push') => ({
  reason,
  profile: 'test',
  plan: 'f'.repeat(32),
  manifest,
});

describe('bases', () => {
  it('are found by their stamp and returned unchanged, newest first', () => {
    const { store, clock } = open();
    const second: ManifestReply = { ...MANIFEST, roles: [] };
    store.saveBase(MANIFEST);
    clock.advance(1);
    store.saveBase(second);
    clock.advance(1);
    store.saveBase({ ...MANIFEST, last_modified_on: '2026-11-20 08:00:01' });
    clock.advance(1);
    store.saveBase({ ...MANIFEST, last_modified_by: 'bob@example.com' });
    expect(store.bases(STAMP)).toStrictEqual([second, MANIFEST]);
    expect(store.bases({ ...STAMP, last_modified_on: '2020-01-01 00:00:00' })).toEqual([]);
  });

  it('are returned unchanged, whatever their content', () => {
    const { store } = open();
    fc.assert(
      fc.property(anyReply, (reply) => {
        store.saveBase(reply);
        expect(store.bases(reply)).toContainEqual(reply);
      }),
      runs(50),
    );
  });

  it('are stored once per content, and become the newest when saved again', () => {
    const { state, store, clock } = open();
    const other: ManifestReply = { ...MANIFEST, roles: [] };
    for (const manifest of [MANIFEST, other, MANIFEST, MANIFEST]) {
      store.saveBase(manifest);
      clock.advance(1);
    }
    expect(store.bases(STAMP)).toStrictEqual([MANIFEST, other]);
    expect(contents(state).filter((name) => name.endsWith('.json'))).toHaveLength(2);
    // Two saves within the same millisecond are also in the correct order.
    clock.set(-1);
    store.saveBase(MANIFEST);
    expect(store.bases(STAMP)).toStrictEqual([MANIFEST, other]);
  });

  it('of a roles file precede those of other files, even if they are older', () => {
    const { state, store, clock } = open();
    const [first, second, third]: ManifestReply[] = ['1', '2', '3'].map((id) => ({ ...MANIFEST, roles: [role(id)] }));
    for (const [manifest, file] of [
      [first, '/a.yaml'],
      [second, '/a.yaml'],
      [third, '/b.yaml'],
    ] as const) {
      store.saveBase(manifest as ManifestReply, file);
      clock.advance(1);
    }
    expect(store.bases(STAMP, '/a.yaml')).toStrictEqual([second]);
    for (const file of [undefined, '/c.yaml']) expect(store.bases(STAMP, file)).toStrictEqual([third, second, first]);
    for (const path of contents(state).filter((name) => /-[0-9a-f]{12}\.json$/.test(name))) writeFileSync(path, '{');
    expect(store.bases(STAMP, '/a.yaml')).toEqual([]);
  });

  it('include the time of the manifest that the platform returned last, whatever files are stored', () => {
    const { store, clock } = open();
    expect(store.newestTime()).toBeUndefined();
    store.saveBase(MANIFEST);
    clock.advance(1);
    store.saveBase({ ...MANIFEST, last_modified_on: '2026-11-19 08:00:00' }, '/roles.yaml', 'file');
    expect(store.newestTime()).toBe(STAMP.last_modified_on);
    const pulled = { ...MANIFEST, last_modified_on: '2026-11-20 08:00:01' };
    for (const origin of [undefined, 'file'] as const) {
      clock.advance(1);
      store.saveBase(pulled, '/roles.yaml', origin);
    }
    expect(store.newestTime()).toBe(pulled.last_modified_on);
    clock.advance(1);
    store.saveBase({ roles: [] });
    expect(store.newestTime()).toBeUndefined();
  });

  it('are limited to the newest 200', () => {
    const { store, clock } = open();
    for (let index = 0; index < 205; index++) {
      store.saveBase({ ...STAMP, index, roles: [] });
      clock.advance(1000);
    }
    expect(store.bases(STAMP).map((base) => base['index'])).toEqual(
      Array.from({ length: 200 }, (_, index) => 204 - index),
    );
    store.saveBase({ ...STAMP, index: 5, roles: [] });
    expect(store.bases(STAMP).map((base) => base['index'])).toEqual([
      5,
      ...Array.from({ length: 199 }, (_, index) => 204 - index),
    ]);
  });

  it('are stored separately for each organization and address', () => {
    const { state, store } = open();
    store.saveBase(MANIFEST);
    for (const scope of [
      { ...SCOPE, organization: '102' },
      { ...SCOPE, address: 'https://eu.example.com' },
    ]) {
      expect(open(scope, state).store.bases(STAMP)).toEqual([]);
    }
    expect(open(SCOPE, state).store.bases(STAMP)).toStrictEqual([MANIFEST]);
  });
});

const revisionsOf = (store: RolesStore) => store.revisions().map(({ revision }) => store.findRevision(revision));
const headsOf = (store: RolesStore) => store.revisions().flatMap(({ revision }) => store.head(revision) ?? []);

describe('revisions', () => {
  it('are listed newest first, each with a time, reason, plan and unique name', () => {
    const { store, clock } = open();
    const names = ['push', 'edit', 'rollback'].map((reason) => {
      clock.advance(1000);
      return store.saveRevision(revisionOf(MANIFEST, reason));
    });
    const { last_modified_by, last_modified_on, roles } = MANIFEST;
    const stamp = { roles: roles.length, last_modified_by, last_modified_on };
    expect(revisionsOf(store)).toStrictEqual([
      { revision: names[2], saved_at: '2026-11-21T08:00:03.000Z', ...revisionOf(MANIFEST, 'rollback'), ...stamp },
      { revision: names[1], saved_at: '2026-11-21T08:00:02.000Z', ...revisionOf(MANIFEST, 'edit'), ...stamp },
      { revision: names[0], saved_at: '2026-11-21T08:00:01.000Z', ...revisionOf(MANIFEST, 'push'), ...stamp },
    ]);
    expect(names[0]).toMatch(/^20261121T080001000Z-[0-9a-f]{6}$/);
    const together = Array.from({ length: 20 }, () => store.saveRevision(revisionOf(MANIFEST)));
    expect(new Set(together).size).toBe(20);
    expect(store.revisions()).toHaveLength(23);
  });

  it('have a summary that can be read without the manifest, even from a truncated file', () => {
    const { state, store } = open();
    const { last_modified_by, last_modified_on, roles } = MANIFEST;
    const long = { ...MANIFEST, roles: roles.concat({ role_id: 'long', description: 'x'.repeat(9000), tasks: [] }) };
    const revision = store.saveRevision(revisionOf(long));
    const head = { revision, reason: 'push', roles: roles.length + 1, last_modified_by, last_modified_on };
    expect(store.head(revision)).toMatchObject(head);
    const path = fileIn(state, 'history');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.slice(0, 5000));
    expect(store.head(revision)).toMatchObject(head);
    writeFileSync(path, text.replace(/^ {2}"(roles|last_modified_\w+)": .*\n/gm, ''));
    expect(store.head(revision)).toMatchObject(head);
  });

  it('are found only by their full name', () => {
    const { store } = open();
    const first = store.saveRevision(revisionOf(MANIFEST, 'first'));
    expect(store.findRevision(first)?.reason).toBe('first');
    for (const name of ['20261121', '2027', '', `${first}x`]) expect(store.findRevision(name)).toBeUndefined();
  });

  it('do not exist before the first save, and listing them does not create files', () => {
    const { state, store } = open();
    expect([store.revisions(), store.bases(STAMP), store.findRevision('2026')]).toEqual([[], [], undefined]);
    expect(contents(state)).toEqual([]);
  });
});

describe('the store on disk', () => {
  it.each([
    ['000', 0],
    ['022', 0o022],
    ['077', 0o077],
  ])('is private under umask %s', (_octal, umask) => {
    const { state, store } = open();
    setUmask(umask);
    store.saveBase(MANIFEST);
    store.saveRevision(revisionOf(MANIFEST));
    const paths = contents(state);
    expect(paths.filter((path) => path.endsWith('.json'))).toHaveLength(2);
    for (const path of paths) {
      const mode = statSync(path).mode & 0o777;
      if (path.endsWith('/')) expect(mode & 0o077).toBe(0);
      else expect(mode).toBe(0o600);
    }
  });

  it.each<['bases' | 'history', string, (store: RolesStore, revision: string) => unknown]>([
    ['bases', 'finding bases', (store) => store.bases(STAMP)],
    ['history', 'listing revisions', headsOf],
    ['history', 'finding a revision', (store, revision) => store.findRevision(revision)],
  ])('does not follow a symbolic link in `%s` when %s', (folder, _what, read) => {
    const { state, store } = open();
    store.saveBase(MANIFEST);
    const revision = store.saveRevision(revisionOf(MANIFEST));
    const path = fileIn(state, folder);
    const elsewhere = join(temporaryFolder(), 'elsewhere.json');
    renameSync(path, elsewhere);
    symlinkSync(elsewhere, path);
    expect(thrownBy(() => read(store, revision))).toMatchObject({ code: 'files.symlink' });
  });

  it.each([
    ['is truncated', (text: string) => text.slice(0, 20)],
    ['has an unexpected shape', () => '{"manifest":{"roles":7},"roles":7}'],
  ])('skips a file that %s, and reads the others', (_what, damage) => {
    const { state, store, clock } = open();
    store.saveBase(MANIFEST);
    const revision = store.saveRevision(revisionOf(MANIFEST));
    for (const folder of ['bases', 'history'] as const) {
      const path = fileIn(state, folder);
      writeFileSync(path, damage(readFileSync(path, 'utf8')));
    }
    clock.advance(1000);
    store.saveRevision(revisionOf(MANIFEST, 'later'));
    store.saveBase({ ...MANIFEST, roles: [] });
    expect(headsOf(store).map(({ reason }) => reason)).toEqual(['later']);
    expect(store.findRevision(revision)).toBeUndefined();
    expect(store.bases(STAMP)).toStrictEqual([{ ...MANIFEST, roles: [] }]);
  });
});

describe('concurrent writers', () => {
  it('run one at a time within a process, even if one fails', async () => {
    const { state, store } = open();
    const other = open(SCOPE, state).store;
    const events: string[] = [];
    const work = (name: string, fails: boolean) => async (): Promise<string> => {
      events.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
    const results = await Promise.allSettled([
      store.exclusively(work('one', true)),
      other.exclusively(work('two', false)),
      store.exclusively(work('three', false)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(events.map((event, index) => event.endsWith(index % 2 === 0 ? 'begins' : 'ends'))).not.toContain(false);
    for (let index = 0; index < events.length; index += 2) {
      expect(events[index]?.split(' ')[0]).toBe(events[index + 1]?.split(' ')[0]);
    }
  });

  it('do not wait for each other if they use different organizations', async () => {
    const { state, store } = open();
    const other = open({ ...SCOPE, organization: '102' }, state).store;
    await expect(store.exclusively(() => other.exclusively(() => Promise.resolve('done')))).resolves.toBe('done');
  });

  it('stop waiting when the command is interrupted', async () => {
    const { state, store } = open();
    const stop = new AbortController();
    const inside = store.exclusively(async () => {
      const waiting = open(SCOPE, state).store.exclusively(() => Promise.resolve(), stop.signal);
      stop.abort(new Error('ended'));
      await waiting;
    });
    await expect(inside).rejects.toThrow('ended');
    await expect(store.exclusively(() => Promise.resolve('free'))).resolves.toBe('free');
  });
});
