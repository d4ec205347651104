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

/** Returns the task edits for the only role, given the tasks in the file and in the manifest. */
const taskEdits = (listed: unknown[], wanted: object[]) =>
  compareWithFile(
    { roles: [{ ...inFile, tasks: listed }] },
    { roles: [{ ...a, tasks: wanted as typeof a.tasks }] },
  ).inside.get(0)?.tasks;

describe('tasks', () => {
  it.each([
    ['a bare id instead of a map', ['x:y'], [{ task_id: 'x:y' }]],
    ['the implicit task missing in the file', ['x:y'], [{ task_id: 'x:y' }, { task_id: 'user:core' }]],
    ['the implicit task missing on the platform', ['user:core', 'x:y'], [{ task_id: 'x:y' }]],
    ['a map equal to that of the platform', [{ task_id: 'x:y', level: 2 }], [{ task_id: 'x:y', level: 2 }]],
    ['a different order', ['b:c', 'x:y'], [{ task_id: 'x:y' }, { task_id: 'b:c' }]],
  ])('do not need an edit: %s', (_what, listed, wanted) => {
    expect(taskEdits(listed, wanted)).toBeUndefined();
  });

  it.each([
    ['a new task', ['x:y'], [{ task_id: 'x:y' }, { task_id: 'b:c' }], [], [{ task_id: 'b:c' }]],
    ['a removed task', ['b:c', 'x:y'], [{ task_id: 'x:y' }], [0], []],
    ['a duplicate task', ['x:y', 'x:y', 'b:c'], [{ task_id: 'x:y' }], [2], []],
    [
      'another field of a map',
      [{ task_id: 'x:y', level: 1 }],
      [{ task_id: 'x:y', level: 2 }],
      [0],
      [{ task_id: 'x:y', level: 2 }],
    ],
    ['a removed field', [{ task_id: 'x:y', level: 1 }], [{ task_id: 'x:y' }], [0], [{ task_id: 'x:y' }]],
  ])('are edited for %s', (_what, listed, wanted, dropped, added) => {
    expect(taskEdits(listed, wanted)).toEqual({ dropped: new Set(dropped), added });
  });
});

it('edits only top-level fields that the file has, and never its schema hint', () => {
  const file = { $schema: './a.json', version: 1, old: 1, roles: [inFile] };
  const edits = compareWithFile(file, { $schema: './b.json', version: 2, last_modified_on: 'now', roles: [a] });
  expect(edits.fields).toEqual(new Map([['version', 2]]));
  expect(isEmpty(compareWithFile(file, { version: 1, roles: [a] }))).toBe(true);
});

it("always adds a role's missing name and description", () => {
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

it('writes a role with its tasks last and in their shortest form', () => {
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
    [0, 0, 0, 0, true, true],
    [1, 0, 0, 0, false, true],
    [0, 1, 0, 0, false, false],
    [0, 0, 1, 0, false, false],
    [0, 0, 0, 1, false, false],
    [1, 1, 0, 0, false, false],
    [1, 0, 1, 0, false, false],
    [1, 0, 0, 1, false, false],
    [0, 1, 1, 0, false, false],
    [0, 1, 0, 1, false, false],
    [0, 0, 1, 1, false, false],
  ])('of %i fields, %i edited, %i dropped and %i new roles are empty: %s, leave roles: %s', (...row) => {
    const [fields, inside, dropped, added, empty, leaving] = row;
    const counted = edits(fields, inside, dropped, added);
    expect([isEmpty(counted), leavesRoles(counted)]).toEqual([empty, leaving]);
  });
});
