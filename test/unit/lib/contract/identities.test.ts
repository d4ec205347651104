// The identity types that names in a request map to, and the names that a deployment may replace.
import { describe, expect, it } from 'vitest';
import {
  inOfferedOrder,
  internalIdentityType,
  REQUEST_IDENTITY_TYPES,
} from '../../../../src/lib/contract/identities.ts';
import { isNeutralName } from '../../../../src/lib/contract/neutral-words.ts';

it('lists types that identify a person first, then unknown types, devices, and the rest of the vendor extension', () => {
  const types = ['osa_id', 'other', 'xpid', 'loyalty_card', 'osb_vendor_id', 'phone_number_2', 'other2', 'email'];
  expect(inOfferedOrder([...types, 'controller_customer_id', 'mobile_number'])).toEqual([
    ...['email', 'controller_customer_id', 'mobile_number', 'phone_number_2', 'loyalty_card'],
    ...['osa_id', 'osb_vendor_id', 'other', 'other2', 'xpid'],
  ]);
});

describe('internalIdentityType', () => {
  it('maps every name in a request to its type', () => {
    for (const [name, type] of Object.entries(REQUEST_IDENTITY_TYPES)) expect(internalIdentityType(name)).toBe(type);
  });

  it.each([
    ['other_id', 'other'],
    ['other_id_2', 'other2'],
    ['other_id_10', 'other10'],
    ['other_id_', 'other_id_'],
    ['other_id_x', 'other_id_x'],
    ['another_id_2', 'another_id_2'],
    ['other_id_2x', 'other_id_2x'],
    ['loyalty_card', 'loyalty_card'],
    ['toString', 'toString'],
  ])('maps %s to %s', (name, type) => {
    expect(internalIdentityType(name)).toBe(type);
  });
});

describe('isNeutralName', () => {
  it.each([['email'], ['xpid'], ['PROVIDER_A'], ['osa_advertising_id'], ['osa_*'], ['os*']])('accepts %j', (name) => {
    expect(isNeutralName(name)).toBe(true);
  });

  it.each([['osa_'], ['advertising_id*'], ['osz_*'], ['loyalty_card'], ['']])('rejects %j', (name) => {
    expect(isNeutralName(name)).toBe(false);
  });
});
