// Composes a request body from individual values, with each identity in its field.
import { describe, expect, it } from 'vitest';
import { composeRequest, isExtensionType } from '../../../../../src/lib/domain/dsr/compose.ts';

const VENDOR = 'vendor.example';
const KEY = 'opendsr.vendor.example';
const raw = (value: string) => ({ value, encoding: 'raw' });

describe('a composed request', () => {
  it('contains only the version and the fields that were given', () => {
    expect(composeRequest({ identities: [] }, VENDOR)).toStrictEqual({ api_version: '3.0' });
    expect(composeRequest({ identities: [], status_callback_urls: [] }, VENDOR)).toStrictEqual({ api_version: '3.0' });
  });

  it('contains each value in the field that the specification defines for it', () => {
    const parts = {
      regulation: 'gdpr',
      subject_request_type: 'erasure',
      subject_request_id: 'a7551968-d5d6-44b2-9831-815ac9017798',
      submitted_time: '2026-11-21T08:00:00Z',
      group_id: 'g',
      status_callback_urls: ['https://a.example', 'https://b.example'],
    };
    expect(composeRequest({ ...parts, identities: [['email', 'a@b.example']] }, VENDOR)).toStrictEqual({
      ...parts,
      api_version: '3.0',
      subject_identities: { email: raw('a@b.example') },
    });
  });

  it("has exactly the identities of the extension's types in its extension", () => {
    const identities = [
      ['email', 'a@b.example'],
      ['xpid', '7'],
      ['mobile_number', '+49'],
    ] as const;
    expect(composeRequest({ identities }, VENDOR)).toStrictEqual({
      api_version: '3.0',
      subject_identities: { email: raw('a@b.example') },
      extensions: { [KEY]: { subject_identities: { xpid: raw('7'), mobile_number: raw('+49') } } },
    });
    expect(composeRequest({ identities: identities.slice(1) }, VENDOR)).not.toHaveProperty('subject_identities');
  });

  it.each([true, false])('contains the requested skip_waiting_period in its extension: %s', (skip) => {
    expect(composeRequest({ identities: [['email', 'a']], skip_waiting_period: skip }, VENDOR)).toHaveProperty(
      'extensions',
      { [KEY]: { skip_waiting_period: skip } },
    );
  });
});

it("recognizes the extension's identity types", () => {
  expect(['xpid', 'other10', 'phone_number_3', 'email', 'toString', ''].map(isExtensionType)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
