// Secrets in definitions: references are accepted; masks and plaintext secrets are reported without their values.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Definition,
  findMasks,
  withHiddenSecrets,
  isReference,
  maskedSecrets,
  maskIssue,
  secretIssues,
  secretUses,
  withoutPaths,
} from '../../../../../src/lib/domain/warehouse/definition.ts';
import { anyMask } from '../../../../helpers/any-warehouse.ts';
import { runs } from '../../../../helpers/size.ts';

const MASK = '********';
const connection = (config: Record<string, unknown>) => ({ id: 'c', config });

describe('a reference', () => {
  it.each([['env:PASSWORD'], ['file: /run/secret'], ['keychain:warehouse'], ['command:pass show x']])(
    'is recognized: %j',
    (text) => {
      expect(isReference(text)).toBe(true);
    },
  );

  it.each([['env:'], ['env:  '], ['hunter2'], ['xenv:A'], ['ENV:A'], ['']])('is not recognized: %j', (text) => {
    expect(isReference(text)).toBe(false);
  });
});

describe('the value of a secret field', () => {
  it.each(['env:PASSWORD', '', '  ', undefined, null, 7])('is allowed to be %j', (password) => {
    expect(secretIssues('connection', connection({ password }))).toEqual([]);
  });

  it('is reported with its path and a fix, but without the secret itself, if it is not a reference', () => {
    const issues = secretIssues('connection', connection({ password: 'hunter2', service_account_key: 'key' }));
    expect(issues.map(({ path }) => path)).toEqual([
      ['config', 'password'],
      ['config', 'service_account_key'],
    ]);
    expect(issues[0]?.message).toMatch(
      /^must be a reference, not the secret itself: env:NAME, file:PATH, keychain:NAME or command:LINE$/,
    );
    expect(JSON.stringify(issues)).not.toContain('hunter2');
    expect(secretIssues('pipeline', { id: 'p', partner_feed_key: 'key' })).toMatchObject([
      { path: ['partner_feed_key'] },
    ]);
  });

  it('is reported if it is a file reference in a query, with the field to use instead', () => {
    expect(secretIssues('data_model', { config: { sql_query: 'file:x.sql' } })).toEqual([
      { path: ['config', 'sql_query'], message: expect.stringContaining('set sql_file to its path') as string },
    ]);
    expect(secretIssues('data_model', { config: { sql_query: 'SELECT 1 -- file:x.sql' } })).toEqual([]);
  });

  it('is reported only once if it is a mask', () => {
    expect(secretIssues('connection', connection({ password: MASK }))).toEqual([maskIssue(['config', 'password'])]);
    expect(maskIssue(['a', 0])).toMatchObject({
      path: ['a', 0],
      message: expect.stringMatching(/^is a masked value; .* env:NAME/) as string,
    });
  });

  it('is recognized if it is a mask', () => {
    expect(maskedSecrets('connection', connection({ password: MASK, role: MASK }))).toEqual([['config', 'password']]);
    expect(maskedSecrets('connection', connection({ password: 'env:A' }))).toEqual([]);
  });
});

it('finds masks in every field, even in lists', () => {
  expect(findMasks({ a: [1, { b: MASK }, ['x', MASK]], c: { d: MASK }, e: 'x' })).toEqual([
    ['a', 1, 'b'],
    ['a', 2, 1],
    ['c', 'd'],
  ]);
  expect(findMasks(MASK)).toEqual([[]]);
  expect([findMasks(null), findMasks(undefined), findMasks(7)]).toEqual([[], [], []]);
});

it('returns only references from secret fields', () => {
  const uses = (password: unknown) => secretUses('connection', { id: 'c', config: { password, role: 'env:ROLE' } });
  expect(uses('env:PASSWORD')).toEqual([{ path: ['config', 'password'], reference: 'env:PASSWORD' }]);
  expect([uses('hunter2'), uses(undefined), uses(['env:A'])]).toEqual([[], [], []]);
});

it('removes only the values at the given paths', () => {
  const value = { id: 'c', config: { password: 'x', role: 'r' } };
  expect(
    withoutPaths(value, [
      ['config', 'password'],
      ['nothing', 'there'],
    ]),
  ).toStrictEqual({ id: 'c', config: { role: 'r' } });
  expect(value.config.password).toBe('x');
});

const CONNECTION: Definition = {
  id: 'crm',
  service_provider: 'PROVIDER_A',
  config: { role: 'sync', password: 'env:PASSWORD' },
};

/** By chance, the fixed text of this message might contain a generated secret. */
const MESSAGE = secretIssues('connection', { ...CONNECTION, config: { password: 'written out' } })[0]?.message ?? '';

describe('secrets', () => {
  const secretPaths = fc.constantFrom(['config', 'password'], ['config', 'service_account_key']);

  it('are rejected in every field if they are masks, whatever the form of the mask', () => {
    fc.assert(
      fc.property(anyMask, fc.constantFrom('name', 'role', 'password', 'service_account_key'), (mask, field) => {
        const value = { ...CONNECTION, config: { ...(CONNECTION.config as object), [field]: mask } };
        expect(findMasks(value)).toEqual([['config', field]]);
        expect(secretIssues('connection', value)).toHaveLength(1);
      }),
      runs(1000),
    );
  });

  it('are rejected without being quoted if they are not references', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6 }), secretPaths, (secret, [, field = '']) => {
        fc.pre(secret.trim().length >= 6 && !/^(?:env|file|keychain|command):\s*\S/.test(secret));
        const issues = secretIssues('connection', { ...CONNECTION, config: { [field]: secret } });
        fc.pre(!issues.some((issue) => issue.message.includes(secret)) || !MESSAGE.includes(secret));
        expect(issues).toHaveLength(1);
        expect(JSON.stringify(issues.map(({ message }) => message))).not.toContain(secret);
      }),
    );
  });

  it.each(['env:NAME', 'file:path/to it', 'keychain:entry', 'command:pass show x'])(
    'are accepted as the reference %s',
    (reference) => {
      const value: Definition = { id: 'c', config: { password: reference } };
      expect(secretIssues('connection', value)).toEqual([]);
      expect(secretUses('connection', value)).toEqual([{ path: ['config', 'password'], reference }]);
    },
  );

  it('are masked for display', () => {
    fc.assert(
      fc.property(fc.string(), (secret) => {
        const shown = withHiddenSecrets('connection', { ...CONNECTION, config: { password: secret } });
        expect(shown).toEqual({ ...CONNECTION, config: { password: '********' } });
      }),
    );
  });
});
