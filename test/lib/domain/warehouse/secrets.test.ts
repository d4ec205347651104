// Secrets in definitions: references pass, everything else is told without being repeated.
import { describe, expect, it } from 'vitest';
import { findMasks } from '../../../../src/lib/domain/warehouse/definition.ts';
import {
  isReference,
  maskedSecrets,
  maskIssue,
  secretIssues,
  secretUses,
  withoutPaths,
} from '../../../../src/lib/domain/warehouse/secrets.ts';

const MASK = '********';
const connection = (config: Record<string, unknown>) => ({ id: 'c', config });

describe('a reference', () => {
  it.each([
    ['env:PASSWORD', true],
    ['file: /run/secret', true],
    ['keychain:warehouse', true],
    ['command:pass show x', true],
    ['env:', false],
    ['env:  ', false],
    ['hunter2', false],
    ['xenv:A', false],
    ['ENV:A', false],
    ['', false],
  ])('%j: %s', (text, expected) => {
    expect(isReference(text)).toBe(expected);
  });
});

describe('what stands in the place of a secret', () => {
  it.each(['env:PASSWORD', '', '  ', undefined, null, 7])('may be %j', (password) => {
    expect(secretIssues('connection', connection({ password }))).toEqual([]);
  });

  it('is told when it is written out: where, and what to write instead, but not the secret', () => {
    const issues = secretIssues('connection', connection({ password: 'hunter2', service_account_key: 'key' }));
    expect(issues.map(({ path }) => path)).toEqual([
      ['config', 'password'],
      ['config', 'service_account_key'],
    ]);
    expect(issues[0]?.message).toMatch(
      /^is a secret written out; .* env:NAME, file:PATH, keychain:NAME or command:LINE$/,
    );
    expect(JSON.stringify(issues)).not.toContain('hunter2');
    expect(secretIssues('pipeline', { id: 'p', partner_feed_key: 'key' })).toMatchObject([
      { path: ['partner_feed_key'] },
    ]);
  });

  it('is told once when it is a mask', () => {
    expect(secretIssues('connection', connection({ password: MASK }))).toEqual([maskIssue(['config', 'password'])]);
    expect(maskIssue(['a', 0])).toEqual({
      path: ['a', 0],
      message: expect.stringMatching(/^is a mask and no secret; .* env:NAME/) as string,
    });
  });

  it('is known as a mask that came back', () => {
    expect(maskedSecrets('connection', connection({ password: MASK, role: MASK }))).toEqual([['config', 'password']]);
    expect(maskedSecrets('connection', connection({ password: 'env:A' }))).toEqual([]);
  });
});

it('a mask is found wherever it stands, also within lists', () => {
  expect(findMasks({ a: [1, { b: MASK }, ['x', MASK]], c: { d: MASK }, e: 'x' })).toEqual([
    ['a', 1, 'b'],
    ['a', 2, 1],
    ['c', 'd'],
  ]);
  expect(findMasks(MASK)).toEqual([[]]);
  expect([findMasks(null), findMasks(undefined), findMasks(7)]).toEqual([[], [], []]);
});

it('the references of a definition are those in the places of secrets', () => {
  const uses = (password: unknown) => secretUses('connection', { id: 'c', config: { password, role: 'env:ROLE' } });
  expect(uses('env:PASSWORD')).toEqual([{ path: ['config', 'password'], reference: 'env:PASSWORD' }]);
  expect([uses('hunter2'), uses(undefined), uses(['env:A'])]).toEqual([[], [], []]);
});

it('what is taken out is gone, and nothing else', () => {
  const value = { id: 'c', config: { password: 'x', role: 'r' } };
  expect(
    withoutPaths(value, [
      ['config', 'password'],
      ['nothing', 'there'],
    ]),
  ).toStrictEqual({ id: 'c', config: { role: 'r' } });
  expect(value.config.password).toBe('x');
});
