// The rules for a roles file: each issue has a path and, if possible, the nearest name.
import { describe, expect, it } from 'vitest';
import { showPath } from '../../../../../src/lib/contract/explain.ts';
import { type Known, checkManifest } from '../../../../../src/lib/domain/roles/validate.ts';
import { manifestOf, role } from '../../../../helpers/any-roles.ts';

const LIVE_TASKS = new Set(['audiences:view', 'audiences:*', 'rules:view', 'new_feature:view']);
const GOOD = { role_id: 'a', name: 'A', description: 'D', tasks: ['audiences:view'] };

interface Findings {
  issues: string[];
  warnings: string[];
}

function check(value: unknown, known: Partial<Known> = {}): Findings {
  const { issues, warnings } = checkManifest(value, known);
  const shown = (found: typeof issues): string[] =>
    found.map(({ path, message, at }) => `${showPath(path)}${at ? '!' : ''}: ${message}`);
  return { issues: shown(issues), warnings: shown(warnings) };
}

/** Validates a file with one role, a modified copy of a valid role. Fields set to undefined are omitted. */
function checkRole(change: Record<string, unknown>, known: Partial<Known> = {}): Findings {
  const item = Object.fromEntries(
    Object.entries<unknown>({ ...GOOD, ...change }).filter(([, value]) => value !== undefined),
  );
  return check({ roles: [item] }, known);
}

const NO_FINDINGS = { issues: [], warnings: [] };

/** Puts the message of each case first, for the test title. */
function messageFirst<T>(cases: [T, string][]): [string, T, string][] {
  return cases.map(([value, message]) => [message, value, message]);
}

describe('a roles file', () => {
  it.each<[unknown, string]>([
    [null, ': a roles file must be a map with a `roles` list'],
    [[], ': a roles file must be a map with a `roles` list'],
    ['roles', ': a roles file must be a map with a `roles` list'],
    [{}, ': `roles` must be a list of roles (an empty list is written `roles: []`)'],
    [{ roles: null }, 'roles: `roles` must be a list of roles (an empty list is written `roles: []`)'],
    [{ roles: { a: GOOD } }, 'roles: `roles` must be a list of roles (an empty list is written `roles: []`)'],
    [{ roles: [null] }, 'roles[0]: a role must be a map with role_id, name, description and tasks'],
    [{ roles: [GOOD, 'b'] }, 'roles[1]: a role must be a map with role_id, name, description and tasks'],
    [{ roles: [], rolse: 1 }, 'rolse!: unknown field `rolse`; did you mean `roles`?'],
    [
      { roles: [], last_modified: 1 },
      'last_modified!: unknown field `last_modified`; did you mean `last_modified_on`?',
    ],
    [{ roles: [], zzzzzzz: 1 }, 'zzzzzzz!: unknown field `zzzzzzz`'],
    [{ roles: [], toString: 1 }, 'toString!: unknown field `toString`'],
    [{ roles: [], last_modified_on: 20261120 }, 'last_modified_on: `last_modified_on` must be text; put it in quotes'],
    [{ roles: [], last_modified_by: ['x'] }, 'last_modified_by: `last_modified_by` must be text; put it in quotes'],
  ])('is rejected if it is %j', (value, issue) => {
    expect(check(value)).toEqual({ issues: [issue], warnings: [] });
  });

  it('is accepted with a schema hint, stamps and an empty list of roles', () => {
    expect(check({ $schema: 'x', last_modified_on: '2026-11-20 08:00:00', last_modified_by: null, roles: [] })).toEqual(
      NO_FINDINGS,
    );
  });

  it('is accepted with up to 100 roles, or with as many as the platform or the base has', () => {
    const many = (count: number): object[] =>
      Array.from({ length: count }, (_, index) => ({ ...GOOD, role_id: `r${index}`, name: `N${index}` }));
    expect(check({ roles: many(100) })).toEqual(NO_FINDINGS);
    expect(check({ roles: many(101) }).issues).toEqual(['roles[100]: 101 roles; an organization can have at most 100']);
    const live = manifestOf(Array.from({ length: 102 }, (_, index) => role(`r${index}`)));
    for (const known of [{ live }, { base: live }, { tolerateUnknown: true }])
      expect(check({ roles: many(102) }, known)).toEqual(NO_FINDINGS);
    expect(check({ roles: many(103) }, { live }).issues).toEqual([
      'roles[102]: 103 roles; an organization can have at most 102',
    ]);
  });

  it('is returned in the wire format, without the schema hint', () => {
    const { manifest } = checkManifest(
      {
        $schema: 'x',
        last_modified_on: 's',
        version: 2,
        roles: [{ ...GOOD, tasks: ['x:y', { task_id: 'x:z', n: 1 }, 'x:y'] }],
      },
      { tolerateUnknown: true },
    );
    expect(manifest).toEqual({
      last_modified_on: 's',
      last_modified_by: null,
      extra: { version: 2 },
      roles: [{ ...GOOD, tasks: [{ task_id: 'x:y' }, { task_id: 'x:z', n: 1 }] }],
    });
  });
});

describe('a role', () => {
  it.each(
    messageFirst<Record<string, unknown>>([
      [{ role_id: undefined }, 'roles[0]: role_id is missing'],
      [{ name: undefined }, 'roles[0]: name is missing'],
      [{ description: undefined }, 'roles[0]: description is missing'],
      [{ tasks: undefined }, 'roles[0]: `tasks` must be a list of task ids (an empty one is `tasks: []`)'],
      [{ tasks: 'audiences:view' }, 'roles[0].tasks: `tasks` must be a list of task ids (an empty one is `tasks: []`)'],
      [{ tasks: null }, 'roles[0].tasks: `tasks` must be a list of task ids (an empty one is `tasks: []`)'],
      [{ role_id: '' }, 'roles[0].role_id: is empty'],
      [{ role_id: 12 }, 'roles[0].role_id: must be a string, not a number; put it in quotes'],
      [{ role_id: true }, 'roles[0].role_id: must be a string, not a boolean; put it in quotes'],
      [{ role_id: 'x'.repeat(65) }, 'roles[0].role_id: has 65 characters; at most 64 are allowed'],
      [{ name: '😀'.repeat(65) }, 'roles[0].name: has 65 characters; at most 64 are allowed'],
      [{ name: '  ' }, 'roles[0].name: is empty'],
      [{ name: null }, 'roles[0].name: must be a string, not null'],
      [{ name: 'a\u0007' }, 'roles[0].name: contains a control character'],
      [{ description: '' }, 'roles[0].description: is empty'],
      [{ description: 'x'.repeat(257) }, 'roles[0].description: has 257 characters; at most 256 are allowed'],
      [{ descripton: 'x' }, 'roles[0].descripton!: unknown field `descripton`; did you mean `description`?'],
      [{ constructor: 'x' }, 'roles[0].constructor!: unknown field `constructor`'],
      [{ tasks: [5] }, 'roles[0].tasks[0]: a task must be an id such as `audiences:view`, or `{task_id: …}`'],
      [
        { tasks: ['rules:view', ''] },
        'roles[0].tasks[1]: a task must be an id such as `audiences:view`, or `{task_id: …}`',
      ],
      [
        { tasks: [{ id: 'rules:view' }] },
        'roles[0].tasks[0]: a task must be an id such as `audiences:view`, or `{task_id: …}`',
      ],
      [{ tasks: [null] }, 'roles[0].tasks[0]: a task must be an id such as `audiences:view`, or `{task_id: …}`'],
      [
        { tasks: [{ task_id: '' }] },
        'roles[0].tasks[0]: a task must be an id such as `audiences:view`, or `{task_id: …}`',
      ],
      [{ tasks: [{ task_id: 'rules:view', level: 1 }] }, 'roles[0].tasks[0].level!: unknown field `level`'],
    ]),
  )('is rejected: %s', (_message, change, issue) => {
    expect(checkRole(change)).toEqual({ issues: [issue], warnings: [] });
  });

  it.each<Record<string, unknown>>([
    { role_id: 'x'.repeat(64), name: '😀'.repeat(64), description: 'é'.repeat(256) },
    { name: 'R & D – Team (1)' },
    { description: 'two\nlines' },
    { tasks: [] },
    { tasks: ['user:core', { task_id: 'rules:view' }] },
    // The core task, which every role has, is never redundant.
    { tasks: ['user:core', 'rules:*'] },
  ])('is accepted with the fields %j', (change) => {
    expect(checkRole(change)).toEqual(NO_FINDINGS);
  });

  it('is rejected with all its issues', () => {
    expect(check({ roles: [{ rolle: 1, role_id: '', tasks: [7] }, GOOD, { ...GOOD, name: 5 }] }).issues).toEqual([
      'roles[0].rolle!: unknown field `rolle`',
      'roles[0].tasks[0]: a task must be an id such as `audiences:view`, or `{task_id: …}`',
      'roles[0].role_id: is empty',
      'roles[0]: name is missing',
      'roles[0]: description is missing',
      'roles[2].name: must be a string, not a number; put it in quotes',
      'roles[2].role_id: `a` is already taken by roles[1]',
    ]);
  });

  it('is not reported as a duplicate of another role if both have no id', () => {
    const { role_id, ...nameless } = GOOD;
    expect(check({ roles: [nameless, { ...nameless, name: 'B' }] }).issues).toEqual([
      'roles[0]: role_id is missing',
      'roles[1]: role_id is missing',
    ]);
  });

  it.each(
    messageFirst<Record<string, unknown>>([
      [{ role_id: 'a<b' }, 'roles[0].role_id: contains the character "<", which the platform may reject'],
      [{ name: "it's" }, `roles[0].name: contains the character "'", which the platform may reject`],
      [{ name: 'a`b' }, 'roles[0].name: contains the character "`", which the platform may reject'],
      [{ name: 'a\\b' }, 'roles[0].name: contains the character "\\", which the platform may reject'],
      [
        { name: 'a\u202eb' },
        'roles[0].name: contains an invisible character that changes the text direction, which the platform may reject',
      ],
      [{ tasks: ['rules:view', { task_id: 'rules:view' }] }, 'roles[0].tasks[1]: rules:view is listed twice'],
      [
        { tasks: ['audiences:view', 'audiences:*'] },
        'roles[0].tasks[0]: audiences:view is redundant: audiences:* includes it',
      ],
      [
        { tasks: ['rules:*', { task_id: 'rules:view' }] },
        'roles[0].tasks[1]: rules:view is redundant: rules:* includes it',
      ],
      [
        { tasks: ['audience:view'] },
        "roles[0].tasks[0]: task audience:view is not in the specification's list; did you mean audiences:view?",
      ],
      [{ tasks: ['quite:different'] }, "roles[0].tasks[0]: task quite:different is not in the specification's list"],
    ]),
  )('is accepted with the warning: %s', (_message, change, warning) => {
    expect(checkRole(change)).toEqual({ issues: [], warnings: [warning] });
  });

  it('is accepted without a warning that user:core is redundant, even if it has user:*', () => {
    const { warnings } = checkRole({ tasks: ['user:*', 'user:core', 'user:more'] });
    expect(warnings.filter((warning) => warning.includes('redundant'))).toEqual([
      'roles[0].tasks[2]: user:more is redundant: user:* includes it',
    ]);
  });

  it.each([
    ['role_id', { role_id: 'a', name: 'B' }, '`a`'],
    ['name', { role_id: 'b', name: 'A' }, '`A`'],
  ])('is rejected if its %s is not unique', (field, change, what) => {
    expect(check({ roles: [GOOD, { ...GOOD, ...change }] }).issues).toEqual([
      `roles[1].${field}: ${what} is already taken by roles[0]`,
    ]);
  });
});

describe('validation against the live tasks', () => {
  const live = manifestOf([role('other', ['retired:view'])]);
  const base = manifestOf([role('other', ['forgotten:view'])]);

  it.each(['audiences:view', 'new_feature:view', 'user:core', 'retired:view'])('accepts the task %s', (task) => {
    expect(checkRole({ tasks: [task] }, { live, base, liveTasks: LIVE_TASKS })).toEqual(NO_FINDINGS);
  });

  it.each([
    ['forgotten:view', 'task forgotten:view does not exist on the platform'],
    ['audiences:view ', 'task "audiences:view " does not exist on the platform; did you mean audiences:view?'],
    ['Audiences:view', 'task Audiences:view does not exist on the platform; did you mean audiences:view?'],
    ['new_feature:veiw', 'task new_feature:veiw does not exist on the platform; did you mean new_feature:view?'],
    ['catalog:*', 'task catalog:* does not exist on the platform'],
  ])('rejects the task %s', (task, message) => {
    const issues = [`roles[0].tasks[0]: ${message}`];
    expect(checkRole({ tasks: [task] }, { live, base, liveTasks: LIVE_TASKS })).toEqual({ issues, warnings: [] });
  });

  it('accepts tasks from the live manifest and the base without a warning if the live tasks are unknown', () => {
    expect(checkRole({ tasks: ['retired:view', 'forgotten:view'] }, { live, base })).toEqual(NO_FINDINGS);
  });
});

describe('a value that the platform returned', () => {
  const unusual = role('a', [{ task_id: 'rules:view', level: 1 }], {
    name: null,
    description: '',
    on: 5,
    meta: { by: 'x', deep: { n: 1 } },
  });
  const live = manifestOf([unusual, role('b', ['rules:view'])], { extra: { version: 3 } });
  const asFile = {
    role_id: 'a',
    name: null,
    description: '',
    on: 6,
    meta: { by: 'y' },
    tasks: [{ task_id: 'rules:view', level: 2 }],
  };

  it.each(['live', 'base'] as const)(
    'is accepted even after it was edited if the %s manifest contains the field',
    (which) => {
      expect(check({ version: 3, roles: [asFile] }, { [which]: live })).toEqual(NO_FINDINGS);
    },
  );

  it.each<[string, unknown, string]>([
    ['a field of another role', { roles: [{ ...GOOD, role_id: 'b', on: 6 }] }, 'roles[0].on!: unknown field `on`'],
    ['a field of a new role', { roles: [{ ...GOOD, role_id: 'c', meta: {} }] }, 'roles[0].meta!: unknown field `meta`'],
    [
      'a field of another task',
      { roles: [{ ...asFile, tasks: [{ task_id: 'rules:*', level: 1 }] }] },
      'roles[0].tasks[0].level!: unknown field `level`',
    ],
    [
      'a top-level field in a role',
      { roles: [{ ...asFile, version: 3 }] },
      'roles[0].version!: unknown field `version`',
    ],
    ['a field of a role at the top', { on: 5, roles: [asFile] }, 'on!: unknown field `on`'],
    [
      'a field within an unknown map',
      { roles: [{ ...asFile, meta: { bye: 1 } }] },
      'roles[0].meta.bye!: unknown field `bye`; did you mean `by`?',
    ],
    ['a map instead of a number', { roles: [{ ...asFile, on: { x: 1 } }] }, 'roles[0].on.x!: unknown field `x`'],
    [
      'a null string in another role',
      { roles: [{ ...GOOD, role_id: 'b', name: null }] },
      'roles[0].name: must be a string, not null',
    ],
    ['a different blank string', { roles: [{ ...asFile, description: ' ' }] }, 'roles[0].description: is empty'],
  ])('is rejected in another position: %s', (_what, value, issue) => {
    expect(check(value, { live }).issues).toEqual([issue]);
  });

  it('has its name suggested for a misspelled field', () => {
    expect(check({ versoin: 3, roles: [] }, { live }).issues).toEqual([
      'versoin!: unknown field `versoin`; did you mean `version`?',
    ]);
  });

  it('is accepted with a long id, restricted characters and a duplicate name', () => {
    const id = `${'x'.repeat(70)}<`;
    const strange = manifestOf([role(id, [], { name: 'Same' }), role('b', [], { name: 'Same' })]);
    const roles = [
      { ...GOOD, role_id: id, name: 'Same' },
      { ...GOOD, role_id: 'b', name: 'Same' },
    ];
    expect(check({ roles }, { live: strange })).toEqual({
      issues: [],
      warnings: ['roles[1].name: `Same` is already taken by roles[0]'],
    });
    expect(check({ roles }).issues).toHaveLength(2);
  });

  it('is not accepted as a new duplicate name, even if the platform has other duplicates', () => {
    const live = manifestOf([
      role('a', [], { name: 'Once' }),
      role('b', [], { name: 'Twice' }),
      role('c', [], { name: 'Twice' }),
    ]);
    const roles = ['a', 'b'].map((role_id) => ({ ...GOOD, role_id, name: 'Once' }));
    expect(check({ roles }, { live }).issues).toEqual(['roles[1].name: `Once` is already taken by roles[0]']);
  });

  it('is recognized within a map in either manifest', () => {
    const [one, other] = [manifestOf([role('a', [], { on: { x: 1 } })]), manifestOf([role('a', [], { on: null })])];
    for (const known of [
      { live: one, base: other },
      { live: other, base: one },
    ]) {
      expect(check({ roles: [{ ...GOOD, on: { x: 2 } }] }, known)).toEqual(NO_FINDINGS);
      expect(check({ roles: [{ ...GOOD, on: { y: 2 } }] }, known).issues).toEqual([
        'roles[0].on.y!: unknown field `y`',
      ]);
    }
  });

  it('is accepted with a warning if it is an edited top-level field, which is not sent', () => {
    const message = 'version: `version` belongs to the platform: this value is not sent';
    expect(check({ version: 4, roles: [asFile] }, { live })).toEqual({ issues: [], warnings: [message] });
    const base = manifestOf([unusual], { extra: { version: 2 } });
    expect(check({ version: 2, roles: [asFile] }, { live, base })).toEqual(NO_FINDINGS);
  });

  it('is accepted before the live manifest is known', () => {
    const value = { version: 3, roles: [asFile, { ...GOOD, role_id: 'b', name: 'B' }] };
    expect(check(value, { tolerateUnknown: true })).toEqual(NO_FINDINGS);
    expect(check(value).issues.length).toBeGreaterThan(3);
    // An issue that does not depend on the live manifest is reported even then.
    expect(
      check({ roles: [{ ...GOOD, role_id: '', name: 5, tasks: [1] }] }, { tolerateUnknown: true }).issues,
    ).toHaveLength(3);
  });
});

it('accepts every field of a role that was copied from the platform under a new id, but validates the new id', () => {
  const role = { ...GOOD, role_id: 'new-id', version: 3, tasks: [{ task_id: 'audiences:view', since: 2024 }] };
  expect(check({ roles: [role] }, { fieldsOfPlatform: true })).toEqual(NO_FINDINGS);
  expect(check({ roles: [{ ...role, role_id: '' }] }, { fieldsOfPlatform: true }).issues).toHaveLength(1);
});
