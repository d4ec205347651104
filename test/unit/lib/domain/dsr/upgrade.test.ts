// Bodies from earlier versions are upgraded to version 3 without losing an identity, and every change is reported.
import { describe, expect, it } from 'vitest';
import { upgradeRequest } from '../../../../../src/lib/domain/dsr/upgrade.ts';

const VENDOR = 'vendor.example';
const KEY = 'opendsr.vendor.example';
const raw = (value: unknown) => ({ value, encoding: 'raw' });
const entry = (type: string, value: string, over: Record<string, unknown> = {}) => ({
  identity_type: type,
  identity_value: value,
  identity_format: 'raw',
  ...over,
});
const upgrade = (value: unknown) => upgradeRequest(value, VENDOR);

describe('a body that is not of version 1 or 2', () => {
  it.each<[string, unknown]>([
    ['with everything', { api_version: '3.0', subject_identities: { email: raw('a') }, extensions: { [KEY]: {} } }],
    ['without a version', { subject_identities: { email: raw('a') } }],
    ['with an extension type in the wrong position', { api_version: '3.0', subject_identities: { xpid: raw('7') } }],
    ['of a later version', { api_version: '4.0', subject_identities: { email: raw('a') } }],
    ['of version 30', { api_version: '30' }],
    ['of version 12', { api_version: '12' }],
    ['of a version that only starts like an old one', { api_version: '2.0-beta' }],
    ['of a version that only ends like an old one', { api_version: 'draft-2.0' }],
    ['of a version that is not a string', { api_version: ['2.0'] }],
    ['of a numeric version', { api_version: 3 }],
    ['of version 0', { api_version: 0 }],
    ['that is null', null],
    ['that is a list', [{ api_version: '1.0' }]],
    ['with invalid extensions', { extensions: { [KEY]: 'x', other: null } }],
  ])('is returned unchanged: %s', (_what, value) => {
    const { changes, issues, value: same } = upgrade(value);
    expect(same).toBe(value);
    expect([changes, issues]).toEqual([[], []]);
  });
});

describe('an older body', () => {
  it.each<[unknown, string]>([
    ['1.0', '1.0'],
    ['2.0', '2.0'],
    ['2', '2'],
    ['2.10', '2.10'],
    ['v1.1', 'v1.1'],
    [1, '1.0'],
    [2, '2.0'],
    [2.5, '2.5'],
  ])('is recognized by its version: %j', (version, shown) => {
    expect(upgrade({ api_version: version })).toEqual({
      value: { api_version: '3.0' },
      changes: [`api_version: ${shown} became 3.0`],
      issues: [],
    });
  });

  it('is recognized by its list of identities, even without a version', () => {
    expect(upgrade({ subject_identities: [entry('email', 'a@b.example'), entry('osb_vendor_id', 'x')] })).toEqual({
      value: { api_version: '3.0', subject_identities: { email: raw('a@b.example'), osb_vendor_id: raw('x') } },
      changes: ['subject_identities: the list of 2 became an object keyed by identity type'],
      issues: [],
    });
  });

  it('is recognized by a list of identities in an extension, and keeps all extensions', () => {
    const { changes, value } = upgrade({
      api_version: '3.0',
      extensions: { 'opendsr.a': {}, [KEY]: { identities: [entry('xpid', '7')], skip_waiting_period: true } },
    });
    expect(value).toEqual({
      api_version: '3.0',
      extensions: { 'opendsr.a': {}, [KEY]: { subject_identities: { xpid: raw('7') }, skip_waiting_period: true } },
    });
    expect(changes).toEqual([
      `extensions.${KEY}.identities: became subject_identities`,
      `extensions.${KEY}.identities: the list of 1 became an object keyed by identity type`,
    ]);
    expect(upgrade({ extensions: { [KEY]: { subject_identities: [entry('xpid', '7')] } } })).toEqual({
      value: { api_version: '3.0', extensions: { [KEY]: { subject_identities: { xpid: raw('7') } } } },
      changes: [`extensions.${KEY}.subject_identities: the list of 1 became an object keyed by identity type`],
      issues: [],
    });
  });

  it('keeps invalid extensions, which the version 3 validation rejects', () => {
    const extensions = { [KEY]: null, other: 'x', third: 7 };
    expect(upgrade({ api_version: '2.0', extensions })).toMatchObject({ value: { extensions }, issues: [] });
  });

  it('is not mutated', () => {
    const value = {
      api_version: '2.0',
      subject_identities: { xpid: raw('7'), email: raw('a') },
      extensions: { [KEY]: { subject_identities: { other: raw('o') } } },
    };
    const before = structuredClone(value);
    upgrade(value);
    expect(value).toEqual(before);
  });

  it('has its extension identities moved into the existing extension or a new one', () => {
    const identities = { email: raw('a'), xpid: raw('7'), mobile_number: raw('+49') };
    const moved = { xpid: raw('7'), mobile_number: raw('+49') };
    expect(upgrade({ api_version: '2.0', subject_identities: identities })).toMatchObject({
      value: { subject_identities: { email: raw('a') }, extensions: { [KEY]: { subject_identities: moved } } },
      changes: [
        'api_version: 2.0 became 3.0',
        `xpid: moved from subject_identities into extensions.${KEY}`,
        `mobile_number: moved from subject_identities into extensions.${KEY}`,
      ],
      issues: [],
    });
    const extensions = {
      note: 'x',
      'opendsr.theirs': { skip_waiting_period: true, subject_identities: { other: raw('o') } },
    };
    expect(upgrade({ api_version: '2.0', subject_identities: identities, extensions }).value).toEqual({
      api_version: '3.0',
      subject_identities: { email: raw('a') },
      extensions: {
        note: 'x',
        'opendsr.theirs': { skip_waiting_period: true, subject_identities: { other: raw('o'), ...moved } },
      },
    });
  });

  it('has no empty identity map if all identities were moved, and no extension if none were moved', () => {
    expect(upgrade({ api_version: '2.0', subject_identities: { xpid: raw('7') } }).value).toStrictEqual({
      api_version: '3.0',
      extensions: { [KEY]: { subject_identities: { xpid: raw('7') } } },
    });
    expect(upgrade({ api_version: '2.0', subject_identities: { email: raw('a') } }).value).toStrictEqual({
      api_version: '3.0',
      subject_identities: { email: raw('a') },
    });
  });
});

describe('an upgrade', () => {
  it('keeps both values if an extension has identities under both names', () => {
    const extension = { identities: [entry('xpid', '7')], subject_identities: { xpid: raw('8') } };
    expect(upgrade({ api_version: '2.0', extensions: { [KEY]: extension } }).value).toEqual({
      api_version: '3.0',
      extensions: { [KEY]: extension },
    });
  });

  it('reports an identity type that occurs both in the request and in the extension', () => {
    const { issues } = upgrade({
      api_version: '2.0',
      subject_identities: { xpid: raw('7') },
      extensions: { [KEY]: { subject_identities: { xpid: raw('8') } } },
    });
    expect(issues).toEqual([
      { path: ['subject_identities'], message: 'has `xpid` both here and in the vendor extension' },
    ]);
  });

  it('reports two identities of the same type', () => {
    const { issues, value } = upgrade({
      subject_identities: [entry('email', 'a'), entry('osa_id', 'o'), entry('email', 'b')],
    });
    expect(issues).toEqual([
      {
        path: ['subject_identities', 2],
        message: 'is a second `email`; version 3 allows one identity of each type, so submit a separate request for it',
      },
    ]);
    expect(value).toHaveProperty('subject_identities.osa_id', raw('o'));
  });

  it('reports the positions of entries without a type, and keeps the other entries', () => {
    const list = [null, 'x', {}, { identity_type: 7 }, entry('email', 'a')];
    const { issues, value } = upgrade({ extensions: { [KEY]: { identities: list } } });
    expect(issues).toEqual(
      [0, 1, 2, 3].map((at) => ({ path: ['extensions', KEY, 'identities', at], message: 'needs an `identity_type`' })),
    );
    expect(value).toHaveProperty(['extensions', KEY, 'subject_identities'], { email: raw('a') });
  });

  it.each([
    ['identity_format', 'sha256'],
    ['identity_encoding', 'sha-256'],
    ['encoding', 'md5'],
  ])('reports values that are not raw according to %s', (field, format) => {
    const { identity_format, ...bare } = entry('email', 'a');
    const { issues } = upgrade({ subject_identities: [{ ...bare, [field]: format }] });
    expect(issues).toEqual([{ path: ['subject_identities', 0], message: `must be raw, not ${format}` }]);
  });
});

it('treats an entry without an encoding as raw, and accepts the newer name of the value field', () => {
  expect(upgrade({ subject_identities: [{ identity_type: 'email', value: 'a' }] })).toMatchObject({
    value: { subject_identities: { email: raw('a') } },
    issues: [],
  });
});
