// Definitions: what is compared, what is hidden, what a file leaves open, and secrets that are never sent as masks.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  comparable,
  completed,
  type Definition,
  findMasks,
  toDefinition,
  valueAt,
  withHiddenSecrets,
  withValue,
} from '../../../../src/lib/domain/warehouse/definition.ts';
import { secretIssues, secretUses, withSecrets } from '../../../../src/lib/domain/warehouse/secrets.ts';
import { anyMask } from '../../../helpers/any-warehouse.ts';
import { size } from '../../../helpers/size.ts';

const CONNECTION: Definition = {
  id: 'crm',
  service_provider: 'PROVIDER_A',
  config: { role: 'sync', password: 'env:PASSWORD' },
};

describe('comparable', () => {
  it.each<[string, Definition, Definition]>([
    ['a mask', CONNECTION, { ...CONNECTION, config: { role: 'sync', password: '********' } }],
    ['what the platform adds', CONNECTION, { ...CONNECTION, status: 'healthy', errors: [], created_on: 'x' }],
    ['null and absent', CONNECTION, { ...CONNECTION, name: null }],
  ])('is the same for a connection but for %s', (_what, one, other) => {
    expect(comparable('connection', one)).toEqual(comparable('connection', other));
  });

  it.each([
    [{ schedule: { type: 'on-demand' } }, { schedule: { type: 'on_demand' } }],
    [{ data_plan_version: 2 }, { data_plan_version: '2' }],
    [{ sync_mode: { from: '2026-01-01T00:00:00Z' } }, { sync_mode: { from: '2026-01-01T00:00:00.000Z' } }],
    [{ schedule: { start: '2026-01-01T01:00:00+01:00' } }, { schedule: { start: '2026-01-01T00:00:00Z' } }],
    [{ partner_feed_key: 'env:KEY' }, { partner_feed_key: 'shown' }],
  ])('takes %j for %j', (one, other) => {
    expect(comparable('pipeline', { id: 'p', ...one })).toEqual(comparable('pipeline', { id: 'p', ...other }));
  });

  it.each([
    [{ schedule: { type: 'once' } }, { schedule: { type: 'on_demand' } }],
    [{ data_plan_version: 2 }, { data_plan_version: '3' }],
    [{ sync_mode: { from: '2026-01-01T00:00:00Z' } }, { sync_mode: { from: '2026-01-01T00:00:01Z' } }],
    [{ schedule: { start: 'not a time' } }, { schedule: { start: 'no time' } }],
  ])('tells %j from %j', (one, other) => {
    expect(comparable('pipeline', { id: 'p', ...one })).not.toEqual(comparable('pipeline', { id: 'p', ...other }));
  });

  it('minds no line ends around a query, and every character within', () => {
    const model = (sql_query: string) => comparable('data_model', { id: 'm', config: { sql_query } });
    expect(model('SELECT 1\n')).toEqual(model('SELECT 1'));
    expect(model("SELECT 'a b'")).not.toEqual(model("SELECT 'a  b'"));
  });
});

it('leaves to the platform what the file does not mention, and nothing else', () => {
  const live: Definition = { id: 'c', state: 'inactive', name: 'Old', config: { port: '5439', role: 'x' } };
  const wanted: Definition = { id: 'c', config: { role: 'y' } };
  expect(completed('connection', wanted, live)).toEqual({
    id: 'c',
    state: 'inactive',
    config: { role: 'y', port: '5439' },
  });
  const told: Definition = { id: 'c', state: 'active', config: { role: 'y', port: '1' } };
  expect(completed('connection', told, live)).toEqual(told);
  expect(completed('pipeline', { id: 'p' }, { id: 'p', state: 'paused' })).toEqual({ id: 'p' });
});

it('takes nulls and read-only fields out of an answer, however deep', () => {
  const reply = { id: 'p', status: 'idle', errors: null, schedule: { type: 'once', end: null }, extra: [null] };
  expect(toDefinition(reply)).toEqual({ id: 'p', schedule: { type: 'once' }, extra: [null] });
});

it('sets and takes out values without touching the original', () => {
  const value = { a: { b: 1 }, c: 2 };
  expect(withValue(value, ['a', 'b'], 3)).toEqual({ a: { b: 3 }, c: 2 });
  expect(withValue(value, ['a', 'b'], undefined)).toEqual({ a: {}, c: 2 });
  expect(withValue(value, ['x', 'y'], 3)).toEqual(value);
  expect(value).toEqual({ a: { b: 1 }, c: 2 });
});

/** May hold a short text by chance. */
const SENTENCE = secretIssues('connection', { ...CONNECTION, config: { password: 'written out' } })[0]?.message ?? '';

describe('secrets', () => {
  const secretPaths = fc.constantFrom(['config', 'password'], ['config', 'service_account_key']);

  it('are refused in every form of a mask, wherever one stands', () => {
    fc.assert(
      fc.property(anyMask, fc.constantFrom('name', 'role', 'password', 'service_account_key'), (mask, field) => {
        const value = { ...CONNECTION, config: { ...(CONNECTION.config as object), [field]: mask } };
        expect(findMasks(value)).toEqual([['config', field]]);
        expect(secretIssues('connection', value)).toHaveLength(1);
      }),
      { numRuns: size(1000) },
    );
  });

  it('are refused when they are written out, and not repeated', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6 }), secretPaths, (secret, [, field = '']) => {
        fc.pre(secret.trim().length >= 6 && !/^(?:env|file|keychain|command):\s*\S/.test(secret));
        const issues = secretIssues('connection', { ...CONNECTION, config: { [field]: secret } });
        fc.pre(!issues.some((issue) => issue.message.includes(secret)) || !SENTENCE.includes(secret));
        expect(issues).toHaveLength(1);
        expect(JSON.stringify(issues.map(({ message }) => message))).not.toContain(secret);
      }),
    );
  });

  it.each(['env:NAME', 'file:path/to it', 'keychain:entry', 'command:pass show x'])(
    '%s is a reference',
    (reference) => {
      const value: Definition = { id: 'c', config: { password: reference } };
      expect(secretIssues('connection', value)).toEqual([]);
      expect(secretUses('connection', value)).toEqual([{ path: ['config', 'password'], reference }]);
    },
  );

  it('are put in when they are sent and only there; on screens they are always masks', async () => {
    const sent = await withSecrets('connection', CONNECTION, () => Promise.resolve('s3cret'));
    expect(valueAt(sent, ['config', 'password'])).toBe('s3cret');
    expect(valueAt(CONNECTION, ['config', 'password'])).toBe('env:PASSWORD');
    fc.assert(
      fc.property(fc.string(), (secret) => {
        const shown = withHiddenSecrets('connection', { ...CONNECTION, config: { password: secret } });
        expect(shown).toEqual({ ...CONNECTION, config: { password: '********' } });
      }),
    );
  });
});
