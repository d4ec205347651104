// The edits that a roles file needs to match a manifest, and no others.
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

/** The edits inside the only role, for tasks of the file and of the manifest. */
const taskEdits = (listed: unknown[], wanted: object[]) =>
  compareWithFile(
    { roles: [{ ...inFile, tasks: listed }] },
    { roles: [{ ...a, tasks: wanted as typeof a.tasks }] },
  ).inside.get(0)?.tasks;

describe('tasks', () => {
  it.each([
    ['a bare id says as much as a map', ['x:y'], [{ task_id: 'x:y' }]],
    ['the task that every role has need not be listed', ['x:y'], [{ task_id: 'x:y' }, { task_id: 'user:core' }]],
    ['nor be on the platform', ['user:core', 'x:y'], [{ task_id: 'x:y' }]],
    ['a map with all that the platform has', [{ task_id: 'x:y', level: 2 }], [{ task_id: 'x:y', level: 2 }]],
    ['another order', ['b:c', 'x:y'], [{ task_id: 'x:y' }, { task_id: 'b:c' }]],
  ])('nothing to do: %s', (_what, listed, wanted) => {
    expect(taskEdits(listed, wanted)).toBeUndefined();
  });

  it.each([
    ['one more', ['x:y'], [{ task_id: 'x:y' }, { task_id: 'b:c' }], [], [{ task_id: 'b:c' }]],
    ['one less', ['b:c', 'x:y'], [{ task_id: 'x:y' }], [0], []],
    ['one twice', ['x:y', 'x:y', 'b:c'], [{ task_id: 'x:y' }], [2], []],
    [
      'another field of a map',
      [{ task_id: 'x:y', level: 1 }],
      [{ task_id: 'x:y', level: 2 }],
      [0],
      [{ task_id: 'x:y', level: 2 }],
    ],
    ['a removed field', [{ task_id: 'x:y', level: 1 }], [{ task_id: 'x:y' }], [0], [{ task_id: 'x:y' }]],
  ])('%s', (_what, listed, wanted, dropped, added) => {
    expect(taskEdits(listed, wanted)).toEqual({ dropped: new Set(dropped), added });
  });
});

it('asks of a file only the fields that it has, and never for the name of its schema', () => {
  const file = { $schema: './a.json', version: 1, old: 1, roles: [inFile] };
  const edits = compareWithFile(file, { $schema: './b.json', version: 2, last_modified_on: 'now', roles: [a] });
  expect(edits.fields).toEqual(new Map([['version', 2]]));
  expect(isEmpty(compareWithFile(file, { version: 1, roles: [a] }))).toBe(true);
});

it('asks for name and description of a role in any case', () => {
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

it('writes a role with its tasks short and last', () => {
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
  ])('of %i fields, %i roles inside, %i gone, %i new: empty %s, leaving the roles %s', (...row) => {
    const [fields, inside, dropped, added, empty, leaving] = row;
    const counted = edits(fields, inside, dropped, added);
    expect([isEmpty(counted), leavesRoles(counted)]).toEqual([empty, leaving]);
  });
});
