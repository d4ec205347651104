// A schema's refusal in sentences, and paths as they are shown.
import { array, literal, looseObject, number, optional, strictObject, string, union } from 'zod/mini';
import { describe, expect, it } from 'vitest';
import { explain, showPath } from '../../../src/lib/contract/explain.ts';

const Shape = strictObject({
  name: string(),
  kind: union([literal('a'), literal('b')]),
  version: literal('3.0'),
  list: array(looseObject({ count: number() })),
  extra: optional(string()),
});

const GOOD = { name: 'n', kind: 'a', version: '3.0', list: [{ count: 1 }] };

describe('explain', () => {
  it.each<[Record<string, unknown>, string, string]>([
    [{ name: undefined }, 'name', 'is missing'],
    [{ name: null }, 'name', 'must be a string, not empty'],
    [{ name: 5 }, 'name', 'must be a string, not a number; put it in quotes'],
    [{ name: 9007199254740993n }, 'name', 'must be a string, not a number; put it in quotes'],
    [{ name: true }, 'name', 'must be a string, not a boolean; put it in quotes'],
    [{ name: ['x'] }, 'name', 'must be a string, not a list'],
    [{ name: {} }, 'name', 'must be a string, not an object'],
    [{ list: {} }, 'list', 'must be a list, not an object'],
    [{ list: [{ count: 1 }, { count: '2' }] }, 'list[1].count', 'must be a number, not a string'],
    [{ list: [{ count: 1 }, {}] }, 'list[1].count', 'is missing'],
    [{ version: '2.0' }, 'version', 'must be `3.0`'],
    [{ nme: 'x' }, 'nme', 'unknown field `nme`'],
    [{ extra: 1 }, 'extra', 'must be a string, not a number; put it in quotes'],
  ])('%o', (change, path, message) => {
    const issues = explain(Shape, { ...GOOD, ...change });
    expect(issues.map((issue) => [showPath(issue.path), issue.message])).toEqual([[path, message]]);
  });

  it('names each unknown field, and finds nothing wrong with what is right', () => {
    expect(explain(Shape, { ...GOOD, one: 1, two: 2 }).map(({ message }) => message)).toEqual([
      'unknown field `one`',
      'unknown field `two`',
    ]);
    expect(explain(Shape, GOOD)).toEqual([]);
  });

  it.each([null, undefined, 5, 'x', []])('explains a whole that is %j', (value) => {
    const [issue] = explain(Shape, value);
    expect(issue?.path).toEqual([]);
    expect(issue?.message).toMatch(/^(is missing|must be an object, not (empty|a number|a string|a list))$/);
  });
});

describe('showPath', () => {
  it.each<[(string | number)[], string]>([
    [[], ''],
    [['roles', 3, 'tasks', 0, 'task_id'], 'roles[3].tasks[0].task_id'],
    [[0], '[0]'],
    [[0, 1, 'a'], '[0][1].a'],
  ])('%j is %s', (path, text) => {
    expect(showPath(path)).toBe(text);
  });
});
