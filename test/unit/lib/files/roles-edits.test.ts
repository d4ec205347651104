// The minimal edits that make a roles file match a manifest.
import { describe, expect, it } from 'vitest';
import {
  compareWithFile,
  isEmpty,
  leavesRoles,
  type ManifestEdits,
  shortRole,
} from '../../../../src/lib/files/roles-edits.ts';
import { role } from '../../../helpers/any-roles.ts';

const a = role('a', ['user:core', 'x:y'], { name: 'A', description: 'D' });
const inFile = { role_id: 'a', name: 'A', description: 'D', tasks: ['x:y'] };

/** Returns the task edits for a single role, given its tasks in the file and in the manifest. */
const taskEdits = (listed: unknown[], wanted: object[]) =>
  compareWithFile(
    { roles: [{ ...inFile, tasks: listed }] },
    { roles: [{ ...a, tasks: wanted as typeof a.tasks }] },
  ).inside.get(0)?.tasks;

describe("a role's tasks", () => {
  it.each([
    ['a bare id instead of a map', ['x:y'], [{ task_id: 'x:y' }]],
    ['an implicit task that is missing in the file', ['x:y'], [{ task_id: 'x:y' }, { task_id: 'user:core' }]],
    ['an implicit task that is missing on the platform', ['user:core', 'x:y'], [{ task_id: 'x:y' }]],
    ['a map that equals the map on the platform', [{ task_id: 'x:y', level: 2 }], [{ task_id: 'x:y', level: 2 }]],
    ['a different order', ['b:c', 'x:y'], [{ task_id: 'x:y' }, { task_id: 'b:c' }]],
  ])('are not edited for %s', (_what, listed, wanted) => {
    expect(taskEdits(listed, wanted)).toBeUndefined();
  });

  it.each([
    ['a new task', ['x:y'], [{ task_id: 'x:y' }, { task_id: 'b:c' }], [], [{ task_id: 'b:c' }]],
    ['a removed task', ['b:c', 'x:y'], [{ task_id: 'x:y' }], [0], []],
    ['a duplicate task', ['x:y', 'x:y', 'b:c'], [{ task_id: 'x:y' }], [2], []],
    [
      'a changed field in a map',
      [{ task_id: 'x:y', level: 1 }],
      [{ task_id: 'x:y', level: 2 }],
      [0],
      [{ task_id: 'x:y', level: 2 }],
    ],
    ['a removed field in a map', [{ task_id: 'x:y', level: 1 }], [{ task_id: 'x:y' }], [0], [{ task_id: 'x:y' }]],
  ])('are edited for %s', (_what, listed, wanted, dropped, added) => {
    expect(taskEdits(listed, wanted)).toEqual({ dropped: new Set(dropped), added });
  });
});

it('edits a top-level field only if the file contains it, and never edits the schema hint', () => {
  const file = { $schema: './a.json', version: 1, old: 1, roles: [inFile] };
  const edits = compareWithFile(file, { $schema: './b.json', version: 2, last_modified_on: 'now', roles: [a] });
  expect(edits.fields).toEqual(new Map([['version', 2]]));
  expect(isEmpty(compareWithFile(file, { version: 1, roles: [a] }))).toBe(true);
});

it("adds a role's name and description if they are missing", () => {
  const { inside } = compareWithFile(
    { roles: [{ role_id: 'a', tasks: ['x:y'] }] },
    { roles: [{ ...a, origin: 'ui' }] },
  );
  expect(inside.get(0)?.fields).toEqual(
    new Map([
      ['name', 'A'],
      ['description', 'D'],
    ]),
  );
});

it('returns a role with its tasks last and in their shortest form', () => {
  const tasks = [{ task_id: 'x:y' }, { task_id: 'b:c', level: 1 }];
  expect(JSON.stringify(shortRole({ ...role('a', []), tasks }))).toBe(
    '{"role_id":"a","name":"Name of a","description":"What a is for","tasks":["x:y",{"task_id":"b:c","level":1}]}',
  );
});

describe('edits', () => {
  const edits = (fields: number, inside: number, dropped: number, added: number): ManifestEdits => ({
    fields: new Map(Array.from({ length: fields }, (_, index) => [`field ${index}`, 1])),
    inside: new Map(Array.from({ length: inside }, (_, index) => [index, {} as never])),
    roles: {
      dropped: new Set(Array.from({ length: dropped }, (_, index) => index)),
      added: Array.from({ length: added }, () => a),
    },
  });

  it.each([
    [0, 1, 0, 0],
    [0, 0, 1, 0],
    [0, 0, 0, 1],
    [1, 1, 0, 0],
    [1, 0, 1, 0],
    [1, 0, 0, 1],
    [0, 1, 1, 0],
    [0, 1, 0, 1],
    [0, 0, 1, 1],
  ])(
    'change roles if they contain %i top-level fields, and %i edited, %i removed and %i new roles',
    (fields, inside, dropped, added) => {
      const counted = edits(fields, inside, dropped, added);
      expect([isEmpty(counted), leavesRoles(counted)]).toEqual([false, false]);
    },
  );

  it('do not change roles if they contain only a top-level field', () => {
    expect([isEmpty(edits(1, 0, 0, 0)), leavesRoles(edits(1, 0, 0, 0))]).toEqual([false, true]);
  });

  it('are empty if nothing differs', () => {
    expect([isEmpty(edits(0, 0, 0, 0)), leavesRoles(edits(0, 0, 0, 0))]).toEqual([true, true]);
  });
});
