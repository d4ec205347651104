// Tests the body of a data subject request: accepted fields, normalization, and the message for each issue.
import { describe, expect, it, test } from 'vitest';
import {
  CreateReply,
  DiscoveryReply,
  DsrRequest,
  extensionKey,
  RequestStatusReply,
} from '../../../../src/lib/contract/dsr.ts';
import { explain } from '../../../../src/lib/contract/explain.ts';
import { EXTENSION_IDENTITY_TYPES, REQUEST_IDENTITY_TYPES } from '../../../../src/lib/contract/identities.ts';
import { issuesOf } from './issues.ts';

const ID = 'a3b9c1d2-0000-4000-8000-000000000001';
const entry = (value: unknown = 'v', encoding: unknown = 'raw') => ({ value, encoding });
const PLAIN = {
  regulation: 'gdpr',
  subject_request_id: ID,
  subject_request_type: 'erasure',
  submitted_time: '2026-11-01T12:00:00Z',
  subject_identities: { email: entry('ada@people.example') },
};
const EXTENSION = 'opendsr.platform.example';
const extended = (subject_identities: unknown, more: object = {}) => ({
  extensions: { [EXTENSION]: { subject_identities, ...more } },
});
const issuesWith = (change: object): string[] => issuesOf(DsrRequest, { ...PLAIN, ...change });

describe('a request', () => {
  it('is accepted unchanged', () => {
    const body = {
      ...PLAIN,
      api_version: '3.0',
      status_callback_urls: ['https://receiver.example/callbacks?a=b', 'http://127.0.0.1:8080/', 'http://localhost'],
      group_id: 'a group',
      ...extended({ other2: entry(), mobile_number: entry('+49 151 0000000') }, { skip_waiting_period: true }),
    };
    expect(DsrRequest.parse(body)).toEqual(body);
  });

  it('is accepted with one identity of every type in the specification except xpid', () => {
    const { ose_publishing_id: _other, ...types } = REQUEST_IDENTITY_TYPES;
    const all = Object.fromEntries(Object.keys(types).map((type) => [type, entry()]));
    const extensions = EXTENSION_IDENTITY_TYPES.filter((type) => type !== 'xpid').map((type) => [type, entry()]);
    expect(issuesWith({ subject_identities: all, ...extended(Object.fromEntries(extensions)) })).toEqual([]);
  });

  it('is accepted if only the vendor extension contains identities', () => {
    const { subject_identities: _none, ...rest } = PLAIN;
    for (const own of [{}, { subject_identities: {} }]) {
      expect(explain(DsrRequest, { ...rest, ...own, ...extended({ xpid: entry('-7201284209016359738') }) })).toEqual(
        [],
      );
    }
  });

  it('has its id converted to lower case', () => {
    expect(DsrRequest.parse({ ...PLAIN, subject_request_id: ID.toUpperCase() }).subject_request_id).toBe(ID);
  });

  it('has its publisher id converted to one spelling', () => {
    const body = { ...PLAIN, subject_identities: { ose_publishing_id: entry('p'), email: entry() } };
    expect(DsrRequest.parse(body).subject_identities).toEqual({ ose_publisher_id: entry('p'), email: entry() });
    expect(body.subject_identities).toHaveProperty('ose_publishing_id');
  });

  test.each<[string, object, string[]]>([
    ['an unknown regulation', { regulation: 'lgpd' }, ['regulation: must be `gdpr` or `ccpa`']],
    ['a missing type', { subject_request_type: undefined }, ['subject_request_type: is missing']],
    [
      'a different type',
      { subject_request_type: 'delete' },
      ['subject_request_type: must be `access`, `portability` or `erasure`'],
    ],
    ['an empty id', { subject_request_id: '' }, ['subject_request_id: is empty']],
    [
      'a version 1 UUID',
      { subject_request_id: ID.replace('-4', '-1') },
      ['subject_request_id: is not a version 4 UUID'],
    ],
    [
      'a UUID of another variant',
      { subject_request_id: ID.replace('-8', '-c') },
      ['subject_request_id: is not a version 4 UUID'],
    ],
    ['a UUID in braces', { subject_request_id: `{${ID}}` }, ['subject_request_id: is not a version 4 UUID']],
    [
      'a time without a time zone',
      { submitted_time: '2026-11-01T12:00:00' },
      ['submitted_time: must be a time with a time zone, such as 2026-01-31T08:00:00Z'],
    ],
    [
      'a day that does not exist',
      { submitted_time: '2026-02-30T12:00:00Z' },
      ['submitted_time: must be a time with a time zone, such as 2026-01-31T08:00:00Z'],
    ],
    ['a version 1 body', { api_version: '1.0' }, ['api_version: must be `3.0`; other versions have a different body']],
    [
      'a version 2 body',
      {
        api_version: '2.0',
        subject_identities: [{ identity_type: 'email', identity_value: 'a', identity_format: 'raw' }],
      },
      [
        'subject_identities: must be an object, not a list',
        'api_version: must be `3.0`; other versions have a different body',
      ],
    ],
    ['a blank group', { group_id: ' \t' }, ['group_id: is empty']],
    ['an empty group', { group_id: '' }, ['group_id: is empty']],
    ['a control character', { group_id: 'a\u0000' }, ['group_id: contains a control character']],
    [
      'a string that is not a URL',
      { status_callback_urls: ['receiver.example'] },
      ['status_callback_urls[0]: is not a URL'],
    ],
    [
      'a URL without TLS',
      { status_callback_urls: ['https://a.example', 'http://receiver.example/'] },
      ['status_callback_urls[1]: must be an https URL; http is allowed only for this machine'],
    ],
    [
      'a URL with another scheme',
      { status_callback_urls: ['ftp://receiver.example/'] },
      ['status_callback_urls[0]: must be an https URL; http is allowed only for this machine'],
    ],
    [
      'a localhost URL with another scheme',
      { status_callback_urls: ['ftp://localhost/'] },
      ['status_callback_urls[0]: must be an https URL; http is allowed only for this machine'],
    ],
    [
      'a NUL in a URL',
      { status_callback_urls: ['https://a.example/\0'] },
      ['status_callback_urls[0]: contains a control character'],
    ],
    [
      'no identities',
      { subject_identities: {} },
      [': needs at least one identity in `subject_identities` or in the vendor extension'],
    ],
    [
      'an extension without identities',
      { subject_identities: undefined, ...extended(undefined, { skip_waiting_period: true }) },
      [': needs at least one identity in `subject_identities` or in the vendor extension'],
    ],
    ['an empty value', { subject_identities: { email: entry('') } }, ['subject_identities.email.value: is empty']],
    [
      'a number as a value',
      { subject_identities: { email: entry(7) } },
      ['subject_identities.email.value: must be a string, not a number; put it in quotes'],
    ],
    [
      'a hashed value',
      { subject_identities: { email: entry('v', 'sha256') } },
      ['subject_identities.email.encoding: must be `raw`'],
    ],
    [
      'an unknown type',
      { subject_identities: { mail: entry() } },
      ['subject_identities.mail: unknown identity type `mail`; did you mean `email`?'],
    ],
    [
      'a type that belongs in the extension',
      { subject_identities: { other2: entry() } },
      ['subject_identities.other2: belongs in the vendor extension'],
    ],
    [
      'a type that does not belong in the extension',
      extended({ email: entry() }),
      [`extensions.${EXTENSION}.subject_identities.email: belongs in \`subject_identities\``],
    ],
    [
      'an internal type',
      { subject_identities: { customer_id: entry() } },
      ['subject_identities.customer_id: unknown identity type `customer_id`'],
    ],
    [
      'both spellings of a type',
      { subject_identities: { ose_publisher_id: entry(), ose_publishing_id: entry() } },
      [
        'subject_identities.ose_publishing_id: is the same identity type as `ose_publisher_id`; only one identity of each type is allowed',
      ],
    ],
    [
      'xpid together with an identity',
      extended({ xpid: entry('1') }),
      [`extensions.${EXTENSION}.subject_identities.xpid: cannot be combined with other identities`],
    ],
    [
      'xpid together with an identity in the extension',
      { subject_identities: undefined, ...extended({ other: entry(), xpid: entry('1') }) },
      [`extensions.${EXTENSION}.subject_identities.xpid: cannot be combined with other identities`],
    ],
    [
      'an xpid that is not a number',
      { subject_identities: undefined, ...extended({ xpid: entry('ada@people.example') }) },
      [
        `extensions.${EXTENSION}.subject_identities.xpid.value: must be a signed 64-bit integer in plain digits, such as -42`,
      ],
    ],
    [
      'an empty xpid',
      { subject_identities: undefined, ...extended({ xpid: entry('') }) },
      [`extensions.${EXTENSION}.subject_identities.xpid.value: is empty`],
    ],
    [
      'an xpid with characters other than digits',
      { subject_identities: undefined, ...extended({ xpid: entry('x7') }) },
      [
        `extensions.${EXTENSION}.subject_identities.xpid.value: must be a signed 64-bit integer in plain digits, such as -42`,
      ],
    ],
    [
      'an xpid that is too large',
      { subject_identities: undefined, ...extended({ xpid: entry('18446744073709551616') }) },
      [
        `extensions.${EXTENSION}.subject_identities.xpid.value: must be a signed 64-bit integer in plain digits, such as -42`,
      ],
    ],
    [
      'an extension with an empty name',
      { extensions: { 'opendsr.': {} } },
      ['extensions.opendsr.: must be `opendsr.` followed by a domain'],
    ],
    [
      'an extension without the prefix `opendsr.`',
      { extensions: { 'platform.example': {} } },
      ['extensions.platform.example: must be `opendsr.` followed by a domain'],
    ],
    [
      'a type in two extensions',
      {
        extensions: {
          [EXTENSION]: { subject_identities: { other: entry() } },
          'opendsr.b': { subject_identities: { other: entry() } },
        },
      },
      ['extensions.opendsr.b.subject_identities.other: is a duplicate; only one identity of each type is allowed'],
    ],
    ['an unknown field', { regluation: 'gdpr' }, ['regluation: unknown field `regluation`']],
    [
      'several issues at once',
      { regulation: 'x', submitted_time: '', subject_identities: { mail: entry('') } },
      [
        'regulation: must be `gdpr` or `ccpa`',
        'submitted_time: is empty',
        'subject_identities.mail.value: is empty',
        'subject_identities.mail: unknown identity type `mail`; did you mean `email`?',
      ],
    ],
  ])('is rejected: %s', (_name, change, sentences) => {
    expect(issuesWith(change)).toEqual(sentences);
  });

  it.each<[string, object]>([
    ['an unknown type', { subject_identities: { mail: entry() } }],
    ['both spellings of a type', { subject_identities: { ose_publisher_id: entry(), ose_publishing_id: entry() } }],
    ['xpid together with an identity', extended({ xpid: entry('1') })],
    [
      'a type in two extensions',
      {
        subject_identities: undefined,
        extensions: Object.fromEntries(
          ['opendsr.a', 'opendsr.b'].map((key) => [key, { subject_identities: { other: entry() } }]),
        ),
      },
    ],
  ])('is rejected at a key rather than at a value: %s', (_name, change) => {
    expect(explain(DsrRequest, { ...PLAIN, ...change })).toEqual([expect.objectContaining({ at: 'key' })]);
  });

  it('is rejected if it has more than 50 identities, and the message contains only their number', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`type_${at}`, {}]));
    const sentence = [': has 51 identities; at most 50 are allowed'];
    expect(issuesWith({ regulation: 'x', subject_identities: many(51) })).toEqual(sentence);
    expect(issuesWith({ subject_identities: many(25), ...extended(many(26)) })).toEqual(sentence);
    expect(issuesWith({ subject_identities: many(25), ...extended(many(25)) }).length).toBeGreaterThan(50);
  });

  test.each<[unknown]>([[null], [[]], ['text'], [7], [[PLAIN]]])('is rejected if it is not an object: %j', (body) => {
    expect(explain(DsrRequest, body)).toHaveLength(1);
  });
});

test("derives the extension's name from the vendor's domain", () => {
  expect(extensionKey('platform.example')).toBe(EXTENSION);
});

describe('responses', () => {
  it('are accepted with more or fewer fields than in the specification', () => {
    const bare = { subject_request_id: ID };
    expect(CreateReply.parse({ ...bare, new: 1 })).toEqual({ ...bare, new: 1 });
    const status = { ...bare, request_status: 'paused', extensions: [{ domain: 'a.example', status: 'retrying' }] };
    expect(RequestStatusReply.parse(status)).toEqual(status);
    const shouted = { ...status, subject_request_id: status.subject_request_id.toUpperCase() };
    expect(RequestStatusReply.parse(shouted)).toEqual(status);
    expect(RequestStatusReply.safeParse(bare).success).toBe(false);
    expect(DiscoveryReply.safeParse({ supported_identities: [] }).success).toBe(false);
  });
});
