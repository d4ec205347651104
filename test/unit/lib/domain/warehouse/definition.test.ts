// Definitions: comparison, fields that a file omits, and setting and removing values.
import { describe, expect, it } from 'vitest';
import {
  comparable,
  completed,
  type Definition,
  toDefinition,
  withValue,
} from '../../../../../src/lib/domain/warehouse/definition.ts';

const CONNECTION: Definition = {
  id: 'crm',
  service_provider: 'PROVIDER_A',
  config: { role: 'sync', password: 'env:PASSWORD' },
};

describe('comparing definitions', () => {
  it.each<[string, Definition, Definition]>([
    ['a mask', CONNECTION, { ...CONNECTION, config: { role: 'sync', password: '********' } }],
    ['fields set by the platform', CONNECTION, { ...CONNECTION, status: 'healthy', errors: [], created_on: 'x' }],
    ['null in place of a missing field', CONNECTION, { ...CONNECTION, name: null }],
  ])('ignores %s in a connection', (_what, one, other) => {
    expect(comparable('connection', one)).toEqual(comparable('connection', other));
  });

  it.each([
    [{ schedule: { type: 'on-demand' } }, { schedule: { type: 'on_demand' } }],
    [{ data_plan_version: 2 }, { data_plan_version: '2' }],
    [{ sync_mode: { from: '2026-01-01T00:00:00Z' } }, { sync_mode: { from: '2026-01-01T00:00:00.000Z' } }],
    [{ sync_mode: { until: '2026-01-01T00:00:00Z' } }, { sync_mode: { until: '2026-01-01T00:00:00.000Z' } }],
    [{ schedule: { start: '2026-01-01T01:00:00+01:00' } }, { schedule: { start: '2026-01-01T00:00:00Z' } }],
    [{ schedule: { end: '2026-01-01T01:00:00+01:00' } }, { schedule: { end: '2026-01-01T00:00:00Z' } }],
    [{ partner_feed_key: 'env:KEY' }, { partner_feed_key: 'shown' }],
  ])('treats %j and %j as equal', (one, other) => {
    expect(comparable('pipeline', { id: 'p', ...one })).toEqual(comparable('pipeline', { id: 'p', ...other }));
  });

  it.each([
    [{ schedule: { type: 'once' } }, { schedule: { type: 'on_demand' } }],
    [{ data_plan_version: 2 }, { data_plan_version: '3' }],
    [{ sync_mode: { from: '2026-01-01T00:00:00Z' } }, { sync_mode: { from: '2026-01-01T00:00:01Z' } }],
    [{ schedule: { start: 'not a time' } }, { schedule: { start: 'no time' } }],
  ])('distinguishes %j and %j', (one, other) => {
    expect(comparable('pipeline', { id: 'p', ...one })).not.toEqual(comparable('pipeline', { id: 'p', ...other }));
  });

  it('ignores whitespace around a query and the kind of its line breaks, but no other whitespace', () => {
    const model = (sql_query: string) => comparable('data_model', { id: 'm', config: { sql_query } });
    expect(model('SELECT 1\n')).toEqual(model('SELECT 1'));
    expect(model('SELECT 1,\r\n 2\r\n')).toEqual(model('SELECT 1,\n 2'));
    expect(model("SELECT 'a b'")).not.toEqual(model("SELECT 'a  b'"));
  });
});

it("adds a connection's live state and port if the file omits them, but does not add other live values", () => {
  const live: Definition = { id: 'c', state: 'inactive', name: 'Old', config: { port: '5439', role: 'x' } };
  const wanted: Definition = { id: 'c', config: { role: 'y' } };
  expect(completed('connection', wanted, live)).toEqual({
    id: 'c',
    state: 'inactive',
    config: { role: 'y', port: '5439' },
  });
  const explicit: Definition = { id: 'c', state: 'active', config: { role: 'y', port: '1' } };
  expect(completed('connection', explicit, live)).toEqual(explicit);
  expect(completed('pipeline', { id: 'p' }, { id: 'p', state: 'paused' })).toEqual({ id: 'p' });
});

it('removes read-only fields from a response, and null fields at any depth', () => {
  const reply = { id: 'p', status: 'idle', errors: null, schedule: { type: 'once', end: null }, extra: [null] };
  expect(toDefinition(reply)).toEqual({ id: 'p', schedule: { type: 'once' }, extra: [null] });
});

it('sets and removes values without mutating the original', () => {
  const value = { a: { b: 1 }, c: 2 };
  expect(withValue(value, ['a', 'b'], 3)).toEqual({ a: { b: 3 }, c: 2 });
  expect(withValue(value, ['a', 'b'], undefined)).toEqual({ a: {}, c: 2 });
  expect(withValue(value, ['x', 'y'], 3)).toEqual(value);
  expect(value).toEqual({ a: { b: 1 }, c: 2 });
});
