// Three-way merges never lose an edit or a role silently.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffRoles, isEmptyDiff } from '../../../../../src/lib/domain/roles/plan.ts';
import { type Role, rolesById, sameRole } from '../../../../../src/lib/domain/roles/manifest.ts';
import { mergeRoles, resolveConflict } from '../../../../../src/lib/domain/roles/merge.ts';
import { canonicalJson } from '../../../../../src/lib/kernel/json.ts';
import { anyRoles, role } from '../../../../helpers/any-roles.ts';
import { runs } from '../../../../helpers/size.ts';

function sameRolesAs(a: readonly Role[], b: readonly Role[]): boolean {
  return isEmptyDiff(diffRoles(a, b));
}

const ids = (roles: readonly Role[]): string[] => roles.map((item) => item.role_id);

describe('resolving a conflict', () => {
  const resolved = (side: 'mine' | 'theirs', base: Role[], mine: Role[], theirs: Role[]): Role[] => {
    const { roles, conflicts } = mergeRoles(base, mine, theirs);
    return conflicts.reduce((list, one) => resolveConflict(list, one, one[side]), roles);
  };

  it('leaves no conflicts, whether your values or theirs are kept', () => {
    fc.assert(
      fc.property(anyRoles, anyRoles, anyRoles, (base, mine, theirs) => {
        const kept = resolved('mine', base, mine, theirs);
        expect(mergeRoles(theirs, kept, theirs).conflicts).toEqual([]);
        // Swapping the sides does not change the result if conflicts are resolved with the same values.
        expect(sameRolesAs(resolved('theirs', base, mine, theirs), resolved('mine', base, theirs, mine))).toBe(true);
      }),
      runs(400),
    );
  });

  it.each<[string, unknown, Role[]]>([
    ['name', 'New', [role('a', ['user:core'], { name: 'New' })]],
    ['tasks.user:core.level', 2, [role('a', [{ task_id: 'user:core', level: 2 }])]],
    ['role', null, []],
    ['role', role('a', ['x:y']), [role('a', ['x:y'])]],
  ])('sets %s to %j', (field, value, expected) => {
    expect(resolveConflict([role('a', ['user:core'])], { role_id: 'a', field }, value)).toEqual(expected);
  });
});

describe('a three-way merge', () => {
  it('equals the edited side if only one side changed or both sides agree', () => {
    fc.assert(
      fc.property(anyRoles, anyRoles, (base, other) => {
        const mine = mergeRoles(base, other, base);
        expect(sameRolesAs(mine.roles, other)).toBe(true);
        const theirs = mergeRoles(base, base, other);
        expect(sameRolesAs(theirs.roles, other)).toBe(true);
        const both = mergeRoles(base, other, other);
        expect(sameRolesAs(both.roles, other)).toBe(true);
        expect([mine.conflicts, theirs.conflicts, both.conflicts, mine.rebased, both.rebased]).toEqual([
          [],
          [],
          [],
          [],
          [],
        ]);
      }),
      runs(400),
    );
  });

  it('lists as rebased exactly the roles that the other side changed', () => {
    fc.assert(
      fc.property(anyRoles, anyRoles, (base, theirs) => {
        const { created, modified, deleted } = diffRoles(base, theirs);
        expect(mergeRoles(base, base, theirs).rebased.sort()).toEqual(
          ids([...created, ...deleted])
            .concat(modified.map((item) => item.role_id))
            .sort(),
        );
      }),
    );
  });

  it('reports the same conflicts if the sides are swapped, and the same roles if nothing conflicts', () => {
    fc.assert(
      fc.property(anyRoles, anyRoles, anyRoles, (base, mine, theirs) => {
        const one = mergeRoles(base, mine, theirs);
        const other = mergeRoles(base, theirs, mine);
        const swapped = one.conflicts.map((item) => ({ ...item, mine: item.theirs, theirs: item.mine }));
        expect(other.conflicts.map(canonicalJson).sort()).toEqual(swapped.map(canonicalJson).sort());
        if (one.conflicts.length === 0) expect(sameRolesAs(one.roles, other.roles)).toBe(true);
      }),
      runs(400),
    );
  });

  it('removes exactly the roles that one side deleted and the other did not change, and keeps the rest once', () => {
    fc.assert(
      fc.property(anyRoles, anyRoles, anyRoles, (base, mine, theirs) => {
        const { roles, conflicts } = mergeRoles(base, mine, theirs);
        const kept = new Set(ids(roles));
        const [inBase, inMine, inTheirs] = [rolesById(base), rolesById(mine), rolesById(theirs)];
        for (const id of new Set(ids([...base, ...mine, ...theirs]))) {
          const deleted = inBase.has(id) && (!inMine.has(id) || !inTheirs.has(id));
          if (deleted) {
            // A change to a role that the other side deleted is a conflict.
            const survivor = inMine.get(id) ?? inTheirs.get(id);
            const was = inBase.get(id);
            const isChanged = survivor !== undefined && was !== undefined && !sameRole(survivor, was);
            expect(conflicts.some((item) => item.role_id === id && item.field === 'role')).toBe(isChanged);
            expect(kept.has(id)).toBe(isChanged);
          } else expect(kept.has(id)).toBe(true);
        }
        expect(kept.size).toBe(roles.length);
      }),
      runs(400),
    );
  });

  it('keeps the edits of both sides for each field, and reports every conflict', () => {
    fc.assert(
      fc.property(anyRoles, anyRoles, anyRoles, (base, mine, theirs) => {
        const { roles, conflicts } = mergeRoles(base, mine, theirs);
        const [inBase, inMine, inTheirs] = [rolesById(base), rolesById(mine), rolesById(theirs)];
        for (const merged of roles) {
          const id = merged.role_id;
          const [was, own, other] = [inBase.get(id), inMine.get(id), inTheirs.get(id)];
          if (!was || !own || !other) continue;
          for (const field of ['name', 'description'] as const) {
            const [before, left, right] = [was[field] ?? null, own[field] ?? null, other[field] ?? null];
            const overlap = left !== before && right !== before && left !== right;
            const reported = conflicts.filter((item) => item.role_id === id && item.field === field);
            expect(reported).toEqual(overlap ? [{ role_id: id, field, base: before, mine: left, theirs: right }] : []);
            if (!overlap) expect(merged[field] ?? null).toBe(left === before ? right : left);
          }
          const has = (item: Role, task: string): boolean => item.tasks.some(({ task_id }) => task_id === task);
          for (const task of new Set([was, own, other].flatMap((item) => item.tasks.map(({ task_id }) => task_id)))) {
            if (task === 'user:core') continue; // The platform manages this task.
            // The side that changed a task wins; if both changed it, they agree.
            const wanted = has(own, task) === has(was, task) ? has(other, task) : has(own, task);
            expect(has(merged, task)).toBe(wanted);
          }
        }
      }),
      runs(400),
    );
  });

  it('combines added and removed tasks', () => {
    const merged = mergeRoles(
      [role('a', ['x:1', 'x:2', 'x:3'])],
      [role('a', ['x:1', 'x:3', 'mine:1'])],
      [role('a', ['user:core', 'x:1', 'x:2', 'theirs:1'])],
    );
    expect(merged).toEqual({
      roles: [role('a', ['user:core', 'x:1', 'mine:1', 'theirs:1'])],
      conflicts: [],
      rebased: ['a'],
    });
  });

  it('removes a field that one side removed, even if the other side changed the role', () => {
    const [extended, plain] = [role('a', [], { on: 1 }), role('a')];
    const [mine] = mergeRoles([extended], [plain], [{ ...extended, name: 'T' }]).roles;
    const [theirs] = mergeRoles([extended], [{ ...extended, name: 'M' }], [plain]).roles;
    expect([mine, theirs]).toStrictEqual([
      { ...plain, name: 'T' },
      { ...plain, name: 'M' },
    ]);
  });

  it('keeps the order of your roles, and appends roles that exist only on the other side', () => {
    const [a, b, c] = [role('a'), role('b'), role('c')];
    expect(ids(mergeRoles([a, b], [b, a], [a, c, b]).roles)).toEqual(['b', 'a', 'c']);
  });

  it.each<[string, Role[], Role[], Role[], unknown]>([
    [
      'a name changed on both sides',
      [role('a')],
      [role('a', [], { name: 'M' })],
      [role('a', [], { name: 'T' })],
      [{ role_id: 'a', field: 'name', base: 'Name of a', mine: 'M', theirs: 'T' }],
    ],
    [
      'a role deleted locally but changed on the platform',
      [role('a')],
      [],
      [role('a', ['x:y'])],
      [{ role_id: 'a', field: 'role', base: role('a'), mine: null, theirs: role('a', ['x:y']) }],
    ],
    [
      'a role changed locally but deleted on the platform',
      [role('a')],
      [role('a', ['x:y'])],
      [],
      [{ role_id: 'a', field: 'role', base: role('a'), mine: role('a', ['x:y']), theirs: null }],
    ],
    [
      'a role created differently on both sides',
      [],
      [role('a', ['x:y'])],
      [role('a')],
      [{ role_id: 'a', field: 'role', base: null, mine: role('a', ['x:y']), theirs: role('a') }],
    ],
    ['a role created identically on both sides', [], [role('a', ['x:y'])], [role('a', ['user:core', 'x:y'])], []],
    ['a role deleted on both sides', [role('a')], [], [], []],
    [
      'an unknown field',
      [role('a', [], { on: 1 })],
      [role('a', [], { on: 2 })],
      [role('a', [], { on: 3 })],
      [{ role_id: 'a', field: 'on', base: 1, mine: 2, theirs: 3 }],
    ],
    [
      'a field of a task',
      [role('a', [{ task_id: 'x:y', n: 1 }])],
      [role('a', [{ task_id: 'x:y', n: 2 }])],
      [role('a', [{ task_id: 'x:y', n: 3 }])],
      [{ role_id: 'a', field: 'tasks.x:y.n', base: 1, mine: 2, theirs: 3 }],
    ],
    ['different fields', [role('a')], [role('a', [], { name: 'M' })], [role('a', [], { description: 'T' })], []],
  ])('reports only real conflicts: %s', (_what, base, mine, theirs, conflicts) => {
    expect(mergeRoles(base, mine, theirs).conflicts).toEqual(conflicts);
  });
});
