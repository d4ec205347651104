// Group definitions: number of attributes, duplicates, and the limits in the specification.
import { describe, expect, it, test } from 'vitest';
import { GroupPatch, GroupReply, GroupRequest, GroupUpdate } from '../../../../src/lib/contract/groups.ts';
import { issuesOf, withIssuesFirst } from './issues.ts';

const attributes = (count: number) =>
  Array.from({ length: count }, (_item, index) => ({ id: `a${index}`, type: 'latest' }));
const group = { id: 'household', source_user_attribute: 'address', attributes: attributes(1) };

describe('a group definition', () => {
  it.each<[object]>([[{}], [{ description: '', attributes: attributes(10), created_by: null }], [{ id: '😀😀😀' }]])(
    'is accepted: %o',
    (parts) => {
      expect(issuesOf(GroupRequest, { ...group, ...parts })).toEqual([]);
    },
  );

  it.each(
    withIssuesFirst<object>([
      [{ attributes: attributes(11) }, ['attributes: has 11 attributes; at most 10 are allowed per group']],
      [
        { attributes: [...attributes(3), { id: 'a1', type: 'sum' }, { id: 'a0', type: 'sum' }] },
        ['attributes[3].id: `a1` is a duplicate', 'attributes[4].id: `a0` is a duplicate'],
      ],
      [
        { attributes: [{ id: '', type: 'most' }] },
        ['attributes[0].id: is empty', 'attributes[0].type: must be `latest`, `boolean_or`, `sum` or `average`'],
      ],
      [{ id: 'ab' }, ['id: has 2 characters; at least 3 are needed']],
      // The limit counts characters, not UTF-16 code units.
      [{ id: '😀😀' }, ['id: has 2 characters; at least 3 are needed']],
      [{ id: 'a'.repeat(33) }, ['id: has 33 characters; at most 32 are allowed']],
      [{ description: 'a'.repeat(256) }, ['description: has 256 characters; at most 255 are allowed']],
      [
        { source_user_attribute: 'a'.repeat(224) },
        ['source_user_attribute: has 224 characters; at most 223 are allowed'],
      ],
      [{ attribute: [] }, ['attribute: unknown field `attribute`']],
    ]),
  )('is rejected: %s', (_issues, parts, issues) => {
    expect(issuesOf(GroupRequest, { ...group, ...parts })).toEqual(issues);
  });

  it('is accepted without an id in a PUT, and with only attributes in a PATCH', () => {
    expect(issuesOf(GroupUpdate, { ...group, id: undefined })).toEqual([]);
    expect(issuesOf(GroupUpdate, group)).toEqual([]);
    expect(issuesOf(GroupPatch, { attributes: attributes(2) })).toEqual([]);
    expect(issuesOf(GroupPatch, { id: 'household', attributes: [] })).toEqual(['id: unknown field `id`']);
  });
});

test('accepts null instead of strings in a response', () => {
  const value = { id: 'a', description: null, attributes: null };
  expect(GroupReply.parse(value)).toEqual(value);
});
