// A plan contains the body that is sent and a hash that is different for each change.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromReply, inStableOrder, type Manifest, toReply } from '../../../../../src/lib/domain/roles/manifest.ts';
import { compareManifests, planRoles } from '../../../../../src/lib/domain/roles/plan.ts';
import { parseJson, stringifyJson } from '../../../../../src/lib/kernel/json.ts';
import { anyReply, anyRoles, manifestOf, role } from '../../../../helpers/any-roles.ts';

const SCOPE = { organization: '101', address: 'https://api.example.com' };
const LIVE = manifestOf([role('a', ['user:core', 'x:y'], { on: 1 }), role('b', ['x:y'])], { extra: { version: 3 } });
const WANTED = [role('a', ['x:y', 'x:z'], { on: 1 }), role('c')];

const hashOf = (live: Manifest = LIVE, wanted = WANTED, scope = SCOPE): string =>
  planRoles(scope, live, wanted).plan.plan;

describe('a plan', () => {
  it('has a hash of 32 hex digits that survives a round trip through the wire format', () => {
    expect(hashOf()).toMatch(/^[0-9a-f]{32}$/);
    const reread = fromReply(parseJson(stringifyJson(toReply(LIVE))) as ReturnType<typeof toReply>);
    expect(hashOf(reread, structuredClone(WANTED))).toBe(hashOf());
  });

  it('has a hash that does not depend on the order of roles, tasks or fields', () => {
    fc.assert(
      fc.property(anyReply, anyRoles, (reply, wanted) => {
        const live = fromReply(reply);
        const reversed = (roles: Manifest['roles']): Manifest['roles'] =>
          [...roles].reverse().map((item) => ({ ...item, tasks: [...item.tasks].reverse() }));
        const backwards = Object.fromEntries(Object.entries(live.extra).reverse());
        expect(hashOf({ ...live, extra: backwards, roles: reversed(live.roles) }, reversed(wanted))).toBe(
          hashOf(live, wanted),
        );
      }),
    );
  });

  it.each<[string, () => string]>([
    ['a different organization', () => hashOf(LIVE, WANTED, { ...SCOPE, organization: '102' })],
    ['a different address', () => hashOf(LIVE, WANTED, { ...SCOPE, address: 'https://eu.example.com' })],
    ['a later stamp', () => hashOf({ ...LIVE, last_modified_on: '2026-11-20 08:00:01' })],
    ['a different writer', () => hashOf({ ...LIVE, last_modified_by: 'bob@example.com' })],
    [
      'a different live task',
      () => hashOf({ ...LIVE, roles: [role('a', ['user:core', 'x:q'], { on: 1 }), role('b', ['x:y'])] }),
    ],
    [
      'a different live name',
      () => hashOf({ ...LIVE, roles: [role('a', ['user:core', 'x:y'], { on: 1, name: 'N' }), role('b', ['x:y'])] }),
    ],
    [
      'a different unknown field of a live role',
      () => hashOf({ ...LIVE, roles: [role('a', ['user:core', 'x:y'], { on: 2 }), role('b', ['x:y'])] }),
    ],
    ['one live role fewer', () => hashOf({ ...LIVE, roles: LIVE.roles.slice(1) })],
    ['a different unknown top-level field', () => hashOf({ ...LIVE, extra: { version: 4 } })],
    ['one more desired task', () => hashOf(LIVE, [role('a', ['x:y', 'x:z', 'x:w'], { on: 1 }), role('c')])],
    [
      'a different desired description',
      () => hashOf(LIVE, [role('a', ['x:y', 'x:z'], { on: 1, description: 'D' }), role('c')]),
    ],
    [
      'a different desired id',
      () =>
        hashOf(LIVE, [
          role('a', ['x:y', 'x:z'], { on: 1 }),
          role('d', [], { name: 'Name of c', description: 'What c is for' }),
        ]),
    ],
    ['no desired roles', () => hashOf(LIVE, [])],
  ])('has a different hash for %s', (_what, other) => {
    expect(other()).toMatch(/^[0-9a-f]{32}$/);
    expect(other()).not.toBe(hashOf());
  });

  it('has a different hash for each desired manifest', () => {
    fc.assert(
      fc.property(anyReply, anyRoles, anyRoles, (reply, one, other) => {
        const live = fromReply(reply);
        const same = planRoles(SCOPE, manifestOf(one), other).plan;
        if (same.summary.create + same.summary.modify + same.summary.delete > 0) {
          expect(hashOf(live, one)).not.toBe(hashOf(live, other));
        }
      }),
    );
  });

  it('contains the diff and the live stamp', () => {
    expect(planRoles(SCOPE, LIVE, WANTED).plan).toMatchObject({
      base: { last_modified_on: '2026-11-20 08:00:00', last_modified_by: 'ada@example.com' },
      created: [{ role_id: 'c' }],
      modified: [{ role_id: 'a', changes: { tasks: { added: ['x:z'], removed: [] } } }],
      deleted: [{ role_id: 'b' }],
      summary: { create: 1, modify: 1, delete: 1, unchanged: 0 },
    });
  });

  it('contains a body with the desired roles and unknown top-level fields, but without a stamp', () => {
    const wanted = [role('b', ['x:y']), { ...role('a', ['x:y']), on: 1 }];
    const { request } = planRoles(
      SCOPE,
      { ...LIVE, roles: [LIVE.roles[0] as never, role('b', [{ task_id: 'x:y', n: null }])] },
      wanted,
    );
    expect(request).toStrictEqual({ version: 3, roles: [role('b', [{ task_id: 'x:y', n: null }]), LIVE.roles[0]] });
  });
});

it('returns changes without a hash if two files are compared', () => {
  const { plan, ...changes } = planRoles(SCOPE, LIVE, WANTED).plan;
  expect(compareManifests(LIVE, WANTED)).toEqual({ ...changes, plan: null });
  expect(changes.base).toEqual({ last_modified_on: LIVE.last_modified_on, last_modified_by: LIVE.last_modified_by });
});

describe('a manifest', () => {
  it('is unchanged by conversion from the wire format and back', () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        expect(toReply(fromReply(reply))).toEqual(reply);
      }),
    );
  });

  it('has its roles and tasks sorted in stable order, with `user:core` as the first task', () => {
    const roles = inStableOrder([role('b', ['x:z', 'user:core', 'x:y']), role('B'), role('a')]);
    expect(roles.map((item) => [item.role_id, item.tasks.map((task) => task.task_id)])).toEqual([
      ['B', []],
      ['a', []],
      ['b', ['user:core', 'x:y', 'x:z']],
    ]);
  });
});
