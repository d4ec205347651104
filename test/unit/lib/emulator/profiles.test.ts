// The profile store: lookup, merging, erasure, and group attributes.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../../src/lib/emulator/base/db.ts';
import {
  createProfiles,
  type ProfileChange,
  profilesMigrations,
  type ProfilesStore,
  type Subject,
} from '../../../../src/lib/emulator/stores/profiles.ts';
import { runs } from '../../../helpers/size.ts';

const AT = Date.UTC(2026, 10, 21, 8);

let db: Database;
let store: ProfilesStore;
beforeEach(async () => {
  db = await openDatabase(undefined);
  db.exec(profilesMigrations[0] ?? '');
  store = createProfiles(db);
});
afterEach(() => {
  db.close();
});

const change = (fields: Partial<ProfileChange>): ProfileChange => ({
  workspace: 1,
  environment: 'production',
  ...fields,
});
const put = (fields: Partial<ProfileChange>) => store.apply([change(fields)], AT, 'seeding')[0];
const idsOf = (subject: Subject, workspace = 1) => store.find(workspace, subject).map(({ xpid }) => xpid);

describe('a profile', () => {
  test('is found by its id and by any of its past identities', () => {
    const id = put({ identities: { email: 'a', customer_id: 'c' } });
    expect(put({ identities: { customer_id: 'c', email: 'b' } })).toBe(id);
    expect(put({ identities: { phone: 'p', email: 'b' } })).toBe(id);
    for (const [type, value] of [
      ['email', 'a'],
      ['email', 'b'],
      ['customer_id', 'c'],
      ['phone', 'p'],
    ] as const) {
      expect(idsOf({ identities: { [type]: value } })).toEqual([id]);
    }
    expect(idsOf({ xpid: id })).toEqual([id]);
    expect(store.find(1, { xpid: id })[0]?.identities).toEqual({ customer_id: ['c'], email: ['a', 'b'], phone: ['p'] });
    expect(idsOf({ identities: { customer_id: 'a' } })).toEqual([]);
  });

  test.each([
    ['controller_customer_id', 'customer_id'],
    ['osa_id', 'osa_uuid'],
    ['osb_vendor_id', 'osb_idfv'],
    ['ose_publisher_id', 'ose_publishing_id'],
    ['other_id_4', 'other4'],
  ])('is the same whether it is found by %s or by %s', (one, other) => {
    const id = put({ identities: { [one]: 'x' } });
    expect(idsOf({ identities: { [other]: 'x' } })).toEqual([id]);
    expect(put({ identities: { [other]: 'x', [one]: 'x' } })).toBe(id);
    expect(store.counts().profiles).toBe(1);
  });

  test('gets an id that is the same on every platform and different for each person', async () => {
    const id = put({ identities: { email: 'a' } });
    store.clear();
    expect(put({ identities: { email: 'a' } })).toBe(id);
    expect(put({ identities: { email: 'b' } })).not.toBe(id);
    expect(put({ environment: 'development', identities: { email: 'a' } })).not.toBe(id);
    expect(put({ workspace: 2, identities: { email: 'a' } })).not.toBe(id);
    expect(idsOf({ identities: { email: 'a' } })).toHaveLength(2);
  });

  test('is selected by the first of several identities, without gaining identities of another profile', () => {
    const a = put({ identities: { email: 'a' } });
    const b = put({ identities: { customer_id: 'b' } });
    expect(put({ identities: { customer_id: 'b', email: 'a', phone: 'p' } })).toBe(b);
    expect(put({ identities: { email: 'a', customer_id: 'b' } })).toBe(a);
    expect(idsOf({ identities: { phone: 'p' } })).toEqual([b]);
    expect(new Set(idsOf({ identities: { email: 'a', customer_id: 'b' } }))).toEqual(new Set([a, b]));
  });

  test('is selected by its xpid rather than its identities', () => {
    const a = put({ identities: { email: 'a' } });
    expect(put({ xpid: 5, identities: { email: 'a', phone: 'p' } })).toBe(5);
    expect(idsOf({ identities: { email: 'a' } })).toEqual([a]);
    expect(idsOf({ identities: { phone: 'p' } })).toEqual([5]);
    expect(put({ xpid: 5n })).toBe(5);
    expect(store.counts().profiles).toBe(2);
  });

  test('contains every id and every string unchanged', () => {
    const id = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const text = fc.string({ unit: 'binary', minLength: 1 });
    const awkward = fc.constantFrom('\0', 'a\0b', '"', '\\', 'constructor', 'toString', '1:a', '😀', '\ud800');
    fc.assert(
      fc.property(id, fc.oneof(text, awkward), fc.oneof(text, awkward), (xpid, type, value) => {
        fc.pre(type !== '__proto__' && type !== 'xpid');
        store.clear();
        put({ xpid, identities: { [type]: value }, user_attributes: { [type]: value } });
        const [found, ...others] = store.find(1, { identities: { [type]: value } });
        expect(others).toEqual([]);
        expect(String(found?.xpid)).toBe(String(xpid));
        expect(Object.values(found?.identities ?? {})).toEqual([[value]]);
        expect(found?.user_attributes).toEqual({ [type]: value });
        expect(store.erase(1, { xpid })).toBe(1);
        expect(store.find(1, { identities: { [type]: value } })).toEqual([]);
      }),
      runs(300),
    );
  });

  test('does not contain an attribute named __proto__', () => {
    const seed = {
      attribute_name: '__proto__',
      calculation_type: 'count',
      cutoff_date: '2026-01-01',
      seed: { value: 1 },
    };
    put({
      xpid: 1,
      calculated_attributes: [seed as never],
      user_attributes: JSON.parse('{"__proto__":{"a":1}}') as Record<string, unknown>,
    });
    expect(store.find(1, { xpid: 1 })[0]).toMatchObject({ calculated_attributes: {}, user_attributes: {} });
    expect(store.counts().seeds).toBe(0);
  });
});

describe('applying changes', () => {
  test('assigns identities to profiles in the same way as a simple model', () => {
    // The model maps each identity to its first owner, one request at a time.
    const identity = fc.tuple(fc.constantFrom('email', 'customer_id', 'phone'), fc.constantFrom('1', '2', '3'));
    const request = fc.uniqueArray(identity, { minLength: 1, maxLength: 3, selector: ([type]) => type });
    fc.assert(
      fc.property(fc.array(fc.array(request, { minLength: 1, maxLength: 4 }), { maxLength: 8 }), (batches) => {
        store.clear();
        const owner = new Map<string, number>();
        const ids: unknown[] = [];
        for (const batch of batches) {
          const given = store.apply(
            batch.map((identities) => change({ identities: Object.fromEntries(identities) })),
            AT,
            'seeding',
          );
          batch.forEach((identities, index) => {
            const keys = Object.entries(Object.fromEntries(identities)).map((pair) => pair.join('='));
            const person = keys.map((key) => owner.get(key)).find((known) => known !== undefined) ?? ids.length;
            for (const key of keys) if (!owner.has(key)) owner.set(key, person);
            ids[person] ??= given[index];
            expect(given[index]).toBe(ids[person]);
          });
        }
        expect(store.counts().profiles).toBe(ids.length);
      }),
      runs(200),
    );
  });

  test('is atomic, even within another transaction', () => {
    const valid = change({ identities: { email: 'a' }, events: [{}] });
    expect(() => store.apply([valid, change({})], AT, 'seeding')).toThrow(TypeError);
    expect(store.counts()).toEqual({ profiles: 0, seeds: 0, events: 0 });
    db.transaction(() => {
      store.apply([valid], AT, 'seeding');
      expect(() => store.apply([change({ xpid: 9 }), change({})], AT, 'seeding')).toThrow(TypeError);
    });
    expect(store.counts()).toEqual({ profiles: 1, seeds: 0, events: 1 });
    expect(store.find(1, { xpid: 9 })).toEqual([]);
    expect(() =>
      db.transaction(() => {
        store.apply([change({ xpid: 9 })], AT, 'seeding');
        throw new Error('later');
      }),
    ).toThrow('later');
    expect(store.counts().profiles).toBe(1);
  });
});

describe('erasing a subject', () => {
  test("deletes exactly the profiles with the subject's identities, in both environments", () => {
    put({ identities: { email: 'a', phone: 'p' }, events: [{ event_type: 'x' }, { event_type: 'y' }] });
    put({ identities: { customer_id: 'c' } });
    put({ environment: 'development', identities: { email: 'a' }, events: [{ event_type: 'x' }] });
    put({ workspace: 2, identities: { email: 'a' }, events: [{ event_type: 'z' }] });
    put({ identities: { email: 'b' } });
    expect(store.erase(1, { identities: { email: 'a', controller_customer_id: 'c' } })).toBe(3);
    expect(store.counts()).toEqual({ profiles: 2, seeds: 0, events: 1 });
    expect(idsOf({ identities: { phone: 'p', email: 'a', customer_id: 'c' } })).toEqual([]);
    expect(idsOf({ identities: { email: 'a' } }, 2)).toHaveLength(1);
    expect(store.erase(1, { identities: { email: 'a' } })).toBe(0);
    expect(db.get('SELECT count(*) AS left FROM profile_identities')).toEqual({ left: 4 });
    put({ identities: { phone: 'p' } });
    expect(store.find(1, { identities: { phone: 'p' } })).toMatchObject([{ identities: { phone: ['p'] }, events: [] }]);
  });
});

describe('groups', () => {
  const household = (xpid: number, value: unknown, fields: Partial<ProfileChange> = {}) =>
    put({ xpid, user_attributes: { 'household "id"': value }, ...fields });
  /** Writes the ids of all members to every member of each group, and returns the groups. */
  const share = (id = 'homes', most = 10, workspace = 1, attribute = 'household "id"'): unknown[] => {
    const groups: unknown[] = [];
    const steps = store.shareGroup({ workspace, id, attribute, most }, (members) => {
      const ids = members.map(({ xpid }) => xpid);
      groups.push([members[0]?.environment, members[0]?.user_attributes[attribute], ids]);
      return { members: ids };
    });
    for (const _step of steps);
    return groups;
  };

  test('contain the profiles of one environment that share a value, ordered by id', () => {
    for (const xpid of [30, -4, 7, 200]) household(xpid, 'h');
    household(1, 'h', { environment: 'development' });
    household(2, 'h', { workspace: 2 });
    household(3, null);
    put({ xpid: 4, user_attributes: { other: 'h' } });
    household(5, 12);
    household(6, '12');
    household(8, true);
    expect(share()).toEqual([
      ['production', 'h', [-4, 7, 30, 200]],
      ['development', 'h', [1]],
      ['production', 12, [5]],
      ['production', '12', [6]],
      ['production', true, [8]],
    ]);
    expect(share('homes', 2)[0]).toEqual(['production', 'h', [-4, 7]]);
    expect(store.find(1, { xpid: 200 })[0]?.group_attributes).toEqual({});
    expect(share('homes', 10, 1, 'nothing')).toEqual([]);
    expect(store.find(1, { xpid: 7 })[0]?.group_attributes).toEqual({});
  });

  test('get their attributes written to their members, and outdated attributes removed', () => {
    household(1, 'h');
    household(2, 'h');
    const stored = () => [1, 2].map((xpid) => store.find(1, { xpid })[0]?.group_attributes);
    share('homes');
    share('home', 1);
    const members = { 'homes:members': [1, 2] };
    expect(stored()).toEqual([{ ...members, 'home:members': [1] }, members]);
    household(1, null);
    share('homes');
    share('home', 1, 2);
    expect(stored()).toEqual([{ 'home:members': [1] }, { 'homes:members': [2] }]);
    store.clearGroup(1, 'home');
    expect(stored()).toEqual([{}, { 'homes:members': [2] }]);
    // Seeding does not change group attributes.
    household(2, 'k');
    expect(stored()).toEqual([{}, { 'homes:members': [2] }]);
  });
});
