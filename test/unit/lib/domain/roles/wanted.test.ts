// The desired roles are the file's edits merged into the live roles or, without a base, the file's roles.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffRoles, isEmptyDiff } from '../../../../../src/lib/domain/roles/plan.ts';
import type { Manifest, Role } from '../../../../../src/lib/domain/roles/manifest.ts';
import { baseOfPushed, chooseBase, wantedRoles } from '../../../../../src/lib/domain/roles/merge.ts';
import { anyRoles, manifestOf, role } from '../../../../helpers/any-roles.ts';

const OLD = { last_modified_on: '2026-11-19 08:00:00' };
const UNSTAMPED = { last_modified_on: null, last_modified_by: null };

/** Returns roles as written by hand: only fields in the specification, and tasks with only an id. */
function byHand(roles: readonly Role[]): Role[] {
  return roles.map(({ role_id, name, description, tasks }) => {
    return { role_id, name, description, tasks: tasks.map(({ task_id }) => ({ task_id })) };
  });
}

describe('the desired roles', () => {
  it("equal the file's roles plus the platform's unknown fields if there is no base", () => {
    fc.assert(
      fc.property(anyRoles, anyRoles, (roles, live) => {
        const {
          roles: wanted,
          conflicts,
          rebased,
          stale,
        } = wantedRoles(manifestOf(roles, UNSTAMPED), undefined, manifestOf(live));
        expect({ conflicts, rebased, stale }).toEqual({ conflicts: [], rebased: [], stale: false });
        expect(wanted.map((item) => item.role_id)).toEqual(roles.map((item) => item.role_id));
        expect(isEmptyDiff(diffRoles(byHand(wanted), byHand(roles)))).toBe(true);
      }),
    );
  });

  it('do not differ from the live roles if the file differs only by omitting unknown fields', () => {
    fc.assert(
      fc.property(anyRoles, fc.boolean(), (roles, hasBase) => {
        const live = manifestOf(roles);
        const { roles: wanted } = wantedRoles(manifestOf(byHand(roles)), hasBase ? live : undefined, live);
        expect(isEmptyDiff(diffRoles(roles, wanted))).toBe(true);
      }),
    );
  });

  it("keep the platform's fields in a role that was edited by hand", () => {
    const original = role('a', [{ task_id: 'x:y', level: 1 }, 'x:z'], { on: 5 });
    const base = manifestOf([original]);
    const now = manifestOf([{ ...original, on: 6 }]);
    const edited = manifestOf([role('a', ['x:y', 'x:w'])]);
    for (const from of [base, undefined]) {
      expect(wantedRoles(edited, from, now).roles).toEqual([
        role('a', [{ task_id: 'x:y', level: 1 }, 'x:w'], { on: 6 }),
      ]);
    }
  });

  it('do not conflict with the same role from another push, even if the platform added fields', () => {
    const live = manifestOf([role('a', ['user:core', { task_id: 'x:y', level: 1 }], { on: 5 })]);
    const wanted = wantedRoles(manifestOf([role('a', ['x:y'])]), manifestOf([]), live);
    expect(wanted.conflicts).toEqual([]);
    expect(isEmptyDiff(diffRoles(live.roles, wanted.roles))).toBe(true);
  });

  it('list as rebased the roles that the platform changed, even if only unknown fields changed', () => {
    const base = manifestOf([role('a', ['x:y'], { on: 5 })], OLD);
    const live = manifestOf([role('a', ['x:y'], { on: 6 })]);
    expect(wantedRoles(manifestOf(byHand(base.roles), OLD), base, live)).toMatchObject({
      roles: live.roles,
      rebased: ['a'],
    });
  });

  it("contain the file's edits, applied to the live roles, if there is a base", () => {
    const base = manifestOf([role('a', ['x:y']), role('b'), role('gone')], OLD);
    const live = manifestOf([role('a', ['x:y', 'theirs:1']), role('b'), role('gone'), role('new')]);
    const file = manifestOf([role('a', ['x:y', 'mine:1']), role('b')], OLD);
    expect(wantedRoles(file, base, live)).toEqual({
      roles: [role('a', ['x:y', 'mine:1', 'theirs:1']), role('b'), role('new')],
      conflicts: [],
      rebased: ['a', 'new'],
      stale: false,
    });
  });

  it.each<[string, ReturnType<typeof manifestOf>]>([
    ['an older stamp', manifestOf([role('b')], OLD)],
    ['a stamp from the same second by another admin', manifestOf([role('b')], { last_modified_by: 'bob@example.com' })],
  ])('are stale if there is no base and the file has %s', (_what, file) => {
    const live = manifestOf([role('a', ['user:core', 'x:y'], { on: 1 })]);
    expect(wantedRoles(file, undefined, live).stale).toBe(true);
    expect(wantedRoles(file, live, live).stale).toBe(false);
  });

  it.each<[string, ReturnType<typeof manifestOf>]>([
    ['an older stamp, but the same content', manifestOf(byHand([role('a', ['x:y'], { on: 1 })]), OLD)],
    ['the live stamp', manifestOf([role('b')])],
    ['no stamp', manifestOf([role('b')], UNSTAMPED)],
  ])('are not stale if there is no base and the file has %s', (_what, file) => {
    const live = manifestOf([role('a', ['user:core', 'x:y'], { on: 1 })]);
    expect(wantedRoles(file, undefined, live).stale).toBe(false);
    expect(wantedRoles(file, live, live).stale).toBe(false);
  });
});

describe('the base of a file that keeps its stamp after a push', () => {
  it("has the file's content and stamp, and the platform's unknown fields", () => {
    const file = manifestOf([role('a', ['x:y'])], OLD);
    const live = [role('a', [{ task_id: 'x:y', level: 1 }, 'theirs:1'], { on: 5 }), role('new')];
    const base = baseOfPushed(file, live, []);
    expect(base).toEqual({ ...file, roles: [role('a', [{ task_id: 'x:y', level: 1 }], { on: 5 })] });
    expect(wantedRoles(file, base, manifestOf(live))).toMatchObject({ roles: live, conflicts: [] });
  });

  it('leaves nothing to push if neither side changes again, regardless of earlier changes on both sides', () => {
    let pushes = 0;
    const push = (base: Role[], mine: Role[], theirs: Role[]): void => {
      const file = manifestOf(mine);
      const { conflicts, roles } = wantedRoles(file, manifestOf(base), manifestOf(theirs));
      if (conflicts.length > 0) return;
      pushes++;
      const again = wantedRoles(file, baseOfPushed(file, roles, []), manifestOf(roles));
      expect([again.conflicts, isEmptyDiff(diffRoles(roles, again.roles))]).toEqual([[], true]);
    };
    fc.assert(fc.property(anyRoles, anyRoles, anyRoles, push));
    expect(pushes).toBeGreaterThan(10);
  });

  it('makes the next push plan a withdrawn deletion again', () => {
    const file = manifestOf([role('a')], OLD);
    const live = [role('a'), role('b')];
    const { roles, rebased } = wantedRoles(file, baseOfPushed(file, live, [role('b')]), manifestOf(live));
    expect({ roles, rebased }).toEqual({ roles: [role('a')], rebased: [] });
  });
});

describe('the chosen base', () => {
  const file = manifestOf([role('a', ['x:y', 'x:z']), role('b')]);
  const near = manifestOf([role('a', ['x:y']), role('b')]);
  const far = manifestOf([role('a'), role('c')]);

  it('is the manifest with the same stamp and the fewest differences', () => {
    expect(chooseBase(file, [far, near])).toBe(near);
    expect(chooseBase(file, [near, far])).toBe(near);
    expect(chooseBase(file, [far])).toBe(far);
  });

  it('is the manifest in which the fewest roles differ, whatever the order of the manifests', () => {
    const roles = ['a', 'b', 'c'].map((id) => role(id, ['x:y']));
    const [one, all] = [1, 3].map((some) =>
      manifestOf(roles.map((item, at) => (at < some ? role(item.role_id) : item))),
    );
    for (const candidates of [
      [one, all],
      [all, one],
    ]) {
      expect(chooseBase(manifestOf(roles), candidates as Manifest[])).toBe(one);
    }
  });

  it('is the oldest of several manifests that differ equally, so that a copied file cannot undo a change', () => {
    const [older, newer] = ['first', 'second'].map((name) => manifestOf([{ ...role('a'), name }]));
    expect(chooseBase(manifestOf([{ ...role('a'), name: 'third' }]), [newer, older] as Manifest[])).toBe(older);
  });

  it('does not exist for a different stamp or for a file without a stamp', () => {
    expect(chooseBase(file, [])).toBeUndefined();
    expect(
      chooseBase(file, [
        { ...near, ...OLD },
        { ...near, last_modified_by: 'bob@example.com' },
      ]),
    ).toBeUndefined();
    expect(chooseBase({ ...file, ...UNSTAMPED }, [{ ...near, ...UNSTAMPED }])).toBeUndefined();
  });
});
