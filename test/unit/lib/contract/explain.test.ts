// The messages of a schema's issues, and the format of paths.
import {
  array,
  bigint,
  check,
  config,
  discriminatedUnion,
  email,
  enum as oneOf,
  gt,
  gte,
  int,
  literal,
  looseObject,
  lt,
  maxLength,
  minLength,
  multipleOf,
  number,
  optional,
  record,
  regex,
  strictObject,
  string,
  union,
} from 'zod/mini';
import { describe, expect, it } from 'vitest';
import { explain, showPath } from '../../../../src/lib/contract/explain.ts';

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
    [{ name: null }, 'name', 'must be a string, not null'],
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
  ])('describes the issue in %o: $2', (change, path, message) => {
    const issues = explain(Shape, { ...GOOD, ...change });
    expect(issues.map((issue) => [showPath(issue.path), issue.message])).toEqual([[path, message]]);
  });

  it('lists all allowed values', () => {
    expect(explain(Shape, { ...GOOD, kind: 'c' })[0]?.message).toBe('must be `a` or `b`');
  });

  it('reports each unknown field by name, and does not report any issue in a valid value', () => {
    expect(explain(Shape, { ...GOOD, one: 1, two: 2 }).map(({ message }) => message)).toEqual([
      'unknown field `one`',
      'unknown field `two`',
    ]);
    expect(explain(Shape, GOOD)).toEqual([]);
  });

  it.each<[unknown]>([[null], [undefined], [5], ['x'], [[]]])(
    'describes the issue if the whole value is %j',
    (value) => {
      const [issue] = explain(Shape, value);
      expect(issue?.path).toEqual([]);
      expect(issue?.message).toMatch(/^(is missing|must be an object, not (null|a number|a string|a list))$/);
    },
  );
});

describe("a built-in check's message", () => {
  const Checked = looseObject({
    text: optional(string().check(minLength(2), maxLength(3))),
    many: optional(array(number()).check(maxLength(1))),
    size: optional(number().check(gte(1), lt(5))),
    step: optional(number().check(multipleOf(5))),
    whole: optional(int()),
    word: optional(string().check(regex(/^a/))),
    own: optional(string().check(minLength(2, { error: 'is no word at all' }))),
    pair: optional(union([number(), bigint(), string()])),
    form: optional(union([string(), strictObject({ x: string() })])),
    more: optional(number().check(gt(1))),
    mail: optional(email()),
    word2: optional(oneOf(['alpha', 'beta'])),
    words: optional(union([literal(['a', 'b']), number()])),
    mode: optional(union([literal('off'), strictObject({ x: string() })])),
    two: optional(union([strictObject({ x: string() }), strictObject({ y: string() })])),
    keys: optional(record(string().check(maxLength(3)), string())),
    either: optional(
      discriminatedUnion('k', [looseObject({ k: literal('a'), v: string() }), looseObject({ k: literal('b') })]),
    ),
  });

  it.each<[Record<string, unknown>, string, string]>([
    [{ text: 'x' }, 'text', 'has 1 character; at least 2 are needed'],
    [{ text: '' }, 'text', 'is empty'],
    [{ text: 'wxyz' }, 'text', 'has 4 characters; at most 3 are allowed'],
    [{ text: '😀😀😀😀' }, 'text', 'has 4 characters; at most 3 are allowed'],
    [{ many: [1, 2] }, 'many', 'has 2 items; at most 1 is allowed'],
    [{ size: 0 }, 'size', 'must be at least 1'],
    [{ size: 5 }, 'size', 'must be less than 5'],
    [{ step: 3 }, 'step', 'must be a multiple of 5'],
    [{ whole: 1.5 }, 'whole', 'must be a whole number'],
    [{ whole: 'x' }, 'whole', 'must be a number, not a string'],
    [{ word: 'b' }, 'word', 'must match /^a/'],
    [{ own: 'x' }, 'own', 'is no word at all'],
    [{ pair: true }, 'pair', 'must be a number or a string'],
    [{ size: Number.NaN }, 'size', 'must be a number'],
    [{ more: 1 }, 'more', 'must be more than 1'],
    [{ mail: 'x' }, 'mail', 'is not a valid email'],
    [{ word2: 'alpa' }, 'word2', 'must be `alpha` or `beta`; did you mean `alpha`?'],
    [{ word2: 5 }, 'word2', 'must be `alpha` or `beta`'],
    [{ word2: ['alpha'] }, 'word2', 'must be `alpha` or `beta`'],
    [{ words: 'c' }, 'words', 'must be `a` or `b` or a number'],
    [{ mode: 'on' }, 'mode', 'must be `off` or an object'],
    [{ mode: { x: 5 } }, 'mode.x', 'must be a string, not a number; put it in quotes'],
    [{ two: { x: 5 } }, 'two', 'does not match any allowed form'],
    [{ two: 5 }, 'two', 'must be an object'],
    [{ form: 5 }, 'form', 'must be a string or an object'],
    [{ form: { x: 5 } }, 'form.x', 'must be a string, not a number; put it in quotes'],
    [{ form: { x: 'x', y: 1 } }, 'form.y', 'unknown field `y`'],
    [{ keys: { long: 'x' } }, 'keys.long', 'has 4 characters; at most 3 are allowed'],
    [{ either: { k: 'c' } }, 'either.k', 'must be `a` or `b`'],
    [{ either: { k: 'a' } }, 'either.v', 'is missing'],
  ])('describes the issue in %o: $2', (value, path, message) => {
    const issues = explain(Checked, value);
    expect(issues.map((issue) => [showPath(issue.path), issue.message])).toEqual([[path, message]]);
  });

  it('reports a missing union value as missing, and reports an invalid top-level key', () => {
    expect(explain(looseObject({ kind: union([literal('a'), number()]) }), {})).toEqual([
      { path: ['kind'], message: 'is missing' },
    ]);
    expect(explain(record(string().check(maxLength(3)), string()), { long: 'x' })).toEqual([
      { path: ['long'], message: 'has 4 characters; at most 3 are allowed', at: 'key' },
    ]);
  });

  it.each([{}, { a: null }, { a: 'text' }, { a: {} }])(
    "does not replace a rule's message about a missing field: %j",
    (value) => {
      const needs = looseObject({}).check(
        check(({ issues }) => {
          issues.push({ code: 'custom', path: ['a', 'b', 'c'], message: 'is needed', input: undefined });
        }),
      );
      expect(explain(needs, value)).toEqual([{ path: ['a', 'b', 'c'], message: 'is needed' }]);
    },
  );

  it("indicates whether an issue concerns a field's name or its value", () => {
    expect(explain(Shape, { ...GOOD, one: 1 })).toEqual([
      { path: ['one'], message: 'unknown field `one`', at: 'key', isUnknown: true },
    ]);
    expect(explain(Checked, { keys: { long: 'x' } })[0]?.at).toBe('key');
    expect(explain(Checked, { text: 'x' })[0]?.at).toBeUndefined();
  });
});

describe('showPath', () => {
  it.each<[(string | number)[], string]>([
    [[], ''],
    [['roles', 3, 'tasks', 0, 'task_id'], 'roles[3].tasks[0].task_id'],
    [[0], '[0]'],
    [[0, 1, 'a'], '[0][1].a'],
  ])('formats %j as %s', (path, text) => {
    expect(showPath(path)).toBe(text);
  });
});

it("returns its own messages even if another library sets zod's locale", () => {
  const { localeError } = config();
  try {
    config({ localeError: () => 'Invalid input: expected something else' });
    expect(explain(Shape, null)).toEqual([{ path: [], message: 'must be an object, not null' }]);
  } finally {
    config({ localeError });
  }
});
