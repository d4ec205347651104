// Tests that normalizing a body reports all issues and warnings.
import { describe, expect, it } from 'vitest';
import type { DsrRequest } from '../../../../../src/lib/contract/dsr.ts';
import { showPath } from '../../../../../src/lib/contract/explain.ts';
import { createWireNames } from '../../../../../src/lib/contract/names.ts';
import { identitiesOf, normalizeRequest, skipsWaiting } from '../../../../../src/lib/domain/dsr/normalize.ts';

const VENDOR = 'vendor.example';
const KEY = 'opendsr.vendor.example';
const raw = (value: string) => ({ value, encoding: 'raw' });
const GOOD = {
  regulation: 'gdpr',
  subject_request_id: 'a7551968-d5d6-44b2-9831-815ac9017798',
  subject_request_type: 'erasure',
  submitted_time: '2026-11-21T08:00:00Z',
  subject_identities: { email: raw('a@b.example') },
  api_version: '3.0',
};

const NOW = Date.parse('2026-11-21T09:00:00Z');
const normalized = (change: Record<string, unknown> = {}, wire: Record<string, string> = {}) =>
  normalizeRequest({ ...GOOD, ...change }, { vendorDomain: VENDOR, names: createWireNames(wire) }, NOW);
const shown = (found: { path: (string | number)[]; message: string }[]): string[] =>
  found.map(({ path, message }) => `${showPath(path)}: ${message}`);

describe('normalizing a request', () => {
  it('returns a valid body unchanged, without issues or warnings', () => {
    expect(normalized()).toEqual({ request: GOOD, issues: [], warnings: [], changes: [] });
  });

  it('upgrades an older body and lists the changes', () => {
    const { request, changes } = normalized({
      api_version: '2.0',
      subject_identities: [{ identity_type: 'email', identity_value: 'a@b.example', identity_format: 'raw' }],
    });
    expect(request).toEqual(GOOD);
    expect(changes).toHaveLength(2);
  });

  it('accepts deployment-specific names', () => {
    const extensions = { [KEY]: { subject_identities: { other: raw('7') } } };
    const deployed = { [KEY]: { subject_identities: { elsewhere: raw('7') } } };
    expect(normalized({ extensions: deployed }, { other: 'elsewhere' }).request).toMatchObject({ extensions });
  });

  it('rejects a body with both names of the same identity type', () => {
    const extensions = { [KEY]: { subject_identities: { other: raw('7'), elsewhere: raw('8') } } };
    const { issues, request } = normalized({ extensions }, { other: 'elsewhere' });
    expect(request).toBeUndefined();
    expect(issues).toMatchObject([{ path: ['other'], message: expect.stringContaining('appears twice') as string }]);
  });

  it('returns all issues, and no request, if there are any issues', () => {
    const { request, issues, warnings } = normalized({
      regulation: 'lgpd',
      extensions: { 'opendsr.other.example': { skip_waiting_period: true } },
    });
    expect(request).toBeUndefined();
    expect(warnings).toEqual([]);
    expect(shown(issues)).toEqual([
      expect.stringMatching(/^regulation: /),
      "extensions.opendsr.other.example: belongs to a different vendor; the profile's extension is `opendsr.vendor.example`",
    ]);
  });

  it("rejects another vendor's extension at its key", () => {
    const { request, issues } = normalized({ extensions: { 'opendsr.other.example': { skip_waiting_period: true } } });
    expect(request).toBeUndefined();
    expect(issues).toMatchObject([{ path: ['extensions', 'opendsr.other.example'], at: 'key' }]);
  });

  it("accepts its own vendor's extension", () => {
    expect(normalized({ extensions: { [KEY]: { skip_waiting_period: true } } })).toMatchObject({
      issues: [],
      warnings: [],
    });
  });

  it('reports an issue for a value that is not a request', () => {
    for (const value of [null, 'x', 7, [], { extensions: null }, { extensions: 'x' }]) {
      const { request, issues } = normalizeRequest(value, { vendorDomain: VENDOR, names: createWireNames({}) }, NOW);
      expect([request, issues.length > 0]).toEqual([undefined, true]);
    }
  });
});

it.each([
  ['GDPR', 'Erasure'],
  ['Gdpr', 'ERASURE'],
])('converts %s and %s to lower case', (regulation, type) => {
  const { changes, request } = normalized({ regulation, subject_request_type: type });
  expect([request, changes]).toEqual([GOOD, []]);
});

describe("a request's time", () => {
  it.each([
    ['gdpr', '2026-11-21T09:00:00Z'],
    // The clocks of two systems may differ by a few minutes.
    ['gdpr', '2026-11-21T09:05:00Z'],
    ['gdpr', '2026-11-21T11:04:00+02:00'],
    ['gdpr', '2026-10-21T09:00:00Z'],
    ['ccpa', '2026-10-21T08:59:59Z'],
  ])('is accepted for %s: %s', (regulation, submitted_time) => {
    const { issues, request, warnings } = normalized({ regulation, submitted_time });
    expect([issues, warnings]).toEqual([[], []]);
    expect(request).toBeDefined();
  });

  it.each([
    ['gdpr', '2026-11-21T09:05:01Z'],
    ['gdpr', '2026-11-21T09:04:00-02:00'],
    ['ccpa', '2062-11-21T09:00:00Z'],
  ])('is rejected for %s because it is in the future: %s', (regulation, submitted_time) => {
    const { issues, request, warnings } = normalized({ regulation, submitted_time });
    expect(shown(issues)).toEqual([expect.stringMatching(/^submitted_time: is in the future/)]);
    expect([request, warnings]).toEqual([undefined, []]);
  });

  it.each([
    ['gdpr', '2026-10-21T08:59:59Z', 'submitted_time: has a deadline that passed 1 day ago'],
    ['gdpr', '2026-10-19T08:00:00Z', 'submitted_time: has a deadline that passed 2 days ago'],
    ['ccpa', '2026-09-01T09:00:00Z', 'submitted_time: has a deadline that passed 36 days ago'],
  ])('is accepted with a warning if the deadline has passed: %s, %s', (regulation, submitted_time, warning) => {
    const { issues, request, warnings } = normalized({ regulation, submitted_time });
    expect([issues, shown(warnings)]).toEqual([[], [warning]]);
    expect(request).toBeDefined();
  });
});

describe('the warning about identities', () => {
  it('appears if all identities identify devices', () => {
    const { request, warnings } = normalized({ subject_identities: { osb_vendor_id: raw('x') } });
    expect(request).toBeDefined();
    expect(shown(warnings)).toEqual([expect.stringMatching(/^subject_identities: has only device identities/)]);
  });

  it.each(['jane\u200b@example.com', '\u202ajane@example.com\u202c', 'ja\u00adne@example.com'])(
    'appears for invisible characters in %j, which no comparison ignores',
    (value) => {
      const { warnings } = normalized({ subject_identities: { email: raw(value) } });
      expect(shown(warnings)).toEqual([expect.stringMatching(/^subject_identities: has invisible characters/)]);
    },
  );

  it.each([
    ['Jane Doe', 1],
    ['jane@example.com, jd@example.com', 1],
    ['jane@example.com', 0],
    ['0123456789abcdef0123456789abcdef', 0],
  ])('appears for the email %j %i times', (value, count) => {
    const { warnings } = normalized({ subject_identities: { email: raw(value) } });
    expect(warnings.filter(({ message }) => message.includes('does not look like an email address'))).toHaveLength(
      count,
    );
  });

  it('does not appear if an identity identifies a person, even in the extension', () => {
    expect(normalized({ subject_identities: { osb_vendor_id: raw('x'), email: raw('a@b.example') } }).warnings).toEqual(
      [],
    );
    const extensions = { [KEY]: { subject_identities: { other: raw('7') } } };
    const { request, warnings } = normalized({ subject_identities: { osb_vendor_id: raw('x') }, extensions });
    expect([request?.extensions, warnings]).toEqual([extensions, []]);
  });
});

describe('a normalized request', () => {
  const request = (extensions?: unknown): DsrRequest =>
    ({ ...GOOD, ...(extensions ? { extensions } : {}) }) as DsrRequest;

  it("lists all identities, with the extension's identities last", () => {
    expect(identitiesOf(request())).toEqual([['email', 'a@b.example']]);
    expect(identitiesOf(request({ [KEY]: { subject_identities: { xpid: raw('7') } } }))).toEqual([
      ['email', 'a@b.example'],
      ['xpid', '7'],
    ]);
    expect(identitiesOf(request({ [KEY]: { skip_waiting_period: true } }))).toEqual([['email', 'a@b.example']]);
  });

  it('skips the waiting period only if the extension requests it', () => {
    expect(skipsWaiting(request())).toBe(false);
    expect(skipsWaiting(request({ [KEY]: { skip_waiting_period: false } }))).toBe(false);
    expect(skipsWaiting(request({ [KEY]: {} }))).toBe(false);
    expect(skipsWaiting(request({ 'opendsr.a': {}, [KEY]: { skip_waiting_period: true } }))).toBe(true);
  });
});
