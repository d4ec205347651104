// Conversion of warehouse rows to attributes and events, and of warehouse timestamps.
import { describe, expect, test } from 'vitest';
import { iteratorTime } from '../../../../../src/lib/emulator/pipelines/run-work.ts';
import type { Row } from '../../../../../src/lib/emulator/warehouse/reader.ts';
import { createRowReader } from '../../../../../src/lib/emulator/pipelines/run-rows.ts';

const scope = { workspace: 1, environment: 'production' as const };
const readUser = createRowReader('user_attributes', scope, (word) => (word === 'profile_id' ? 'xpid' : word));
const readEvent = createRowReader('events', scope, (word) => word);

describe('user attributes', () => {
  test.each<[string, Row, unknown]>([
    [
      'an identity and attributes',
      { customer_id: 'c', city: 'Here' },
      { identities: { customer_id: 'c' }, user_attributes: { city: 'Here' } },
    ],
    [
      'identity names of data subject requests',
      { CONTROLLER_CUSTOMER_ID: 'c', osa_id: 'o' },
      { identities: { customer_id: 'c', osa_uuid: 'o' } },
    ],
    ['identity names of seeds', { other_id_4: 'x', other: 'y' }, { identities: { other4: 'x', other: 'y' } }],
    ['numbers as identities', { mobile_number: 491n }, { identities: { mobile_number: '491' } }],
    ['an xpid', { xpid: -5n, a: 1 }, { xpid: -5n, user_attributes: { a: 1 } }],
    ['an xpid of digits', { xpid: '9223372036854775807' }, { xpid: 9223372036854775807n }],
    ['an xpid under the name of a deployment', { profile_id: 7 }, { xpid: 7 }],
    [
      'null and empty',
      { email: 'e', customer_id: null, phone: '', city: null },
      { identities: { email: 'e' }, user_attributes: {} },
    ],
  ])('are read from %s', (_what, row, expected) => {
    expect(readUser(row)).toMatchObject({ ...scope, ...(expected as object) });
  });

  test.each<[string, Row, string]>([
    ['no identity', { city: 'Here' }, 'no identity'],
    ['an empty identity', { email: '' }, 'no identity'],
    ['an invalid xpid', { xpid: 'abc' }, 'column `xpid` does not contain a 64-bit integer'],
    ['an xpid with a fraction', { xpid: 1.5 }, 'column `xpid` does not contain a 64-bit integer'],
    ['binary data', { email: 'e', photo: new Uint8Array(2) }, 'column `photo` contains binary data'],
    [
      'an identity that is too long',
      { email: 'e'.repeat(4097) },
      'column `email` contains an identity that is too long',
    ],
  ])('are rejected if a row has %s', (_what, row, reason) => {
    expect(() => readUser(row)).toThrow(reason);
  });
});

describe('events', () => {
  test('are read with their name, type and custom attributes', () => {
    const row = { email: 'e', event_name: 'n', event_type: 'screen_view', timestamp_unixtime_ms: 5, a: 1, b: null };
    expect(readEvent(row).events).toEqual([
      { event_type: 'screen_view', data: { event_name: 'n', timestamp_unixtime_ms: 5, custom_attributes: { a: 1 } } },
    ]);
  });

  test('are rejected without a name', () => {
    expect(() => readEvent({ email: 'e', event_name: 3 })).toThrow('no `event_name`');
  });
});

test.each([
  ['2026-01-31T08:00:00Z', '2026-01-31T08:00:00.000Z'],
  ['2026-01-31 08:00:00', '2026-01-31T08:00:00.000Z'],
  ['2026-01-31 08:00', '2026-01-31T08:00:00.000Z'],
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31 08:00:00.123456', '2026-01-31T08:00:00.123Z'],
  ['2026-01-31 08:00:00 UTC', '2026-01-31T08:00:00.000Z'],
  ['2026-01-31 08:00:00+02', '2026-01-31T06:00:00.000Z'],
  ['2026-01-31T08:00:00-0230', '2026-01-31T10:30:00.000Z'],
  [' 1769846400 ', '2026-01-31T08:00:00.000Z'],
  [1769846400, '2026-01-31T08:00:00.000Z'],
  [1769846400.5, '2026-01-31T08:00:00.500Z'],
  [1769846400000n, '2026-01-31T08:00:00.000Z'],
])('reads the timestamp %o as %s', (value, expected) => {
  expect(new Date(iteratorTime(value) ?? NaN).toISOString()).toBe(expected);
});

test.each<unknown>(['2026-02-30', '31.01.2026', 'soon', 1e300, new Uint8Array(1)])(
  'does not read a timestamp from %o',
  (value) => {
    expect(iteratorTime(value)).toBeUndefined();
  },
);
