// Plans the smallest request that makes the desired change to a group definition.
import { describe, expect, it } from 'vitest';
import type { GroupReply, GroupRequest } from '../../../../../src/lib/contract/groups.ts';
import {
  comparableGroup,
  limitWarning,
  planGroup,
  toGroupRequest,
  undoGroup,
} from '../../../../../src/lib/domain/groups/plan.ts';

const LIVE: GroupReply = {
  id: 'household',
  description: 'People of one home',
  source_user_attribute: 'household_id',
  attributes: [
    { id: 'size', type: 'sum' },
    { id: 'city', type: 'latest' },
  ],
};
const WANTED = toGroupRequest(LIVE);

describe('a group plan', () => {
  it('does not contain a request if only the order of the attributes differs', () => {
    expect(planGroup(LIVE, { ...WANTED, attributes: [...WANTED.attributes].reverse() })).toEqual({
      id: 'household',
      method: null,
      changes: {},
    });
  });

  it.each<[string, Partial<GroupRequest>, 'PUT' | 'PATCH', unknown]>([
    [
      'replaces the definition for a different description',
      { description: 'Homes' },
      'PUT',
      { description: { from: 'People of one home', to: 'Homes' } },
    ],
    [
      'replaces the definition for a different source',
      { source_user_attribute: 'home_id' },
      'PUT',
      { source_user_attribute: { from: 'household_id', to: 'home_id' } },
    ],
    [
      'sends only the attributes for a new attribute',
      { attributes: [...WANTED.attributes, { id: 'street', type: 'latest' }] },
      'PATCH',
      { attributes: { added: [{ id: 'street', type: 'latest' }], removed: [], changed: [] } },
    ],
    [
      'sends only the attributes for a removed attribute',
      { attributes: WANTED.attributes.slice(1) },
      'PATCH',
      { attributes: { added: [], removed: [{ id: 'size', type: 'sum' }], changed: [] } },
    ],
    [
      'sends only the attributes for a changed type',
      { attributes: [{ id: 'size', type: 'latest' }, ...WANTED.attributes.slice(1)] },
      'PATCH',
      { attributes: { added: [], removed: [], changed: [{ id: 'size', type: { from: 'sum', to: 'latest' } }] } },
    ],
    [
      'sends only the attributes for a replaced attribute',
      { attributes: [...WANTED.attributes.slice(1), { id: 'rooms', type: 'sum' }] },
      'PATCH',
      { attributes: { added: [{ id: 'rooms', type: 'sum' }], removed: [{ id: 'size', type: 'sum' }], changed: [] } },
    ],
    [
      'replaces the definition for a removed attribute and a different description',
      { description: 'Homes', attributes: WANTED.attributes.slice(1) },
      'PUT',
      {
        description: { from: 'People of one home', to: 'Homes' },
        attributes: { added: [], removed: [{ id: 'size', type: 'sum' }], changed: [] },
      },
    ],
  ])('%s', (_what, change, method, changes) => {
    expect(planGroup(LIVE, { ...WANTED, ...change })).toEqual({ id: 'household', method, changes });
  });

  it('creates a missing definition and reports all its fields as new', () => {
    expect(planGroup(undefined, WANTED)).toEqual({
      id: 'household',
      method: 'POST',
      changes: {
        description: { from: null, to: 'People of one home' },
        source_user_attribute: { from: null, to: 'household_id' },
        attributes: { added: WANTED.attributes, removed: [], changed: [] },
      },
    });
  });

  it('creates an empty definition', () => {
    expect(planGroup(undefined, { ...WANTED, description: '', source_user_attribute: '', attributes: [] })).toEqual({
      id: 'household',
      method: 'POST',
      changes: {},
    });
  });

  it('treats fields that the platform omits as empty', () => {
    const bare = { id: 'household', description: null, attributes: null } as unknown as GroupReply;
    const empty: GroupRequest = { id: 'household', description: '', source_user_attribute: '', attributes: [] };
    expect(toGroupRequest(bare)).toEqual(empty);
    expect(planGroup(bare, empty)).toEqual({ id: 'household', method: null, changes: {} });
  });
});

it('undoes a new list of attributes by removing and adding attributes, even if the old list was empty', () => {
  const undoOf = (from: GroupReply['attributes'], to: GroupRequest['attributes']) =>
    undoGroup(planGroup({ ...LIVE, attributes: from }, { ...WANTED, attributes: to }));
  const size = { id: 'size', type: 'sum' } as const;
  const remove = ['groups', 'attributes', 'remove', 'household', 'size'];
  expect(undoOf([], [size])).toEqual({ undo: [remove] });
  expect(undoOf([{ id: 'city', type: 'latest' }], [size])).toEqual({
    undo: [remove, ['groups', 'attributes', 'add', 'household', 'city=latest']],
  });
});

describe('the comparable form of a group', () => {
  it("is equal if only the order or the platform's extra fields differ", () => {
    const reordered = {
      ...LIVE,
      created_on: 'x',
      attributes: [...(LIVE.attributes ?? [])].reverse().map((it) => ({ ...it, n: 1 })),
    };
    expect(comparableGroup(reordered as GroupReply)).toEqual(comparableGroup(WANTED));
    expect(comparableGroup(LIVE)['attributes']).toEqual([
      { id: 'city', type: 'latest' },
      { id: 'size', type: 'sum' },
    ]);
  });

  it('contains empty values for missing fields', () => {
    expect(comparableGroup({})).toEqual({ description: '', source_user_attribute: '', attributes: [] });
  });

  it.each(['description', 'source_user_attribute'] as const)('differs if the %s differs', (field) => {
    expect(comparableGroup({ ...WANTED, [field]: 'other' })).not.toEqual(comparableGroup(WANTED));
  });
});

describe('the definition limit', () => {
  const create = planGroup(undefined, WANTED);
  const other = { ...LIVE, id: 'company' };

  it('is reported with the existing definitions before a definition is created', () => {
    expect(limitWarning(create, [other])).toMatch(/^This workspace already has its 1 group definition \(company\), /);
    expect(limitWarning(create, [other, LIVE])).toMatch(/\(company, household\)/);
  });

  it('is not reported in an empty workspace or for an update', () => {
    expect(limitWarning(create, [])).toBeUndefined();
    expect(limitWarning(planGroup(LIVE, { ...WANTED, description: 'Homes' }), [LIVE])).toBeUndefined();
    expect(limitWarning(planGroup(LIVE, WANTED), [LIVE])).toBeUndefined();
  });
});
