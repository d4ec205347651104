// Intake: identities in events and attributes, and required content.
import { describe, expect, it } from 'vitest';
import { EventIntake, IdentityIntake } from '../../../../src/lib/contract/intake.ts';
import { issuesOf, withIssuesFirst } from './issues.ts';

describe('events', () => {
  const body = { events: [{ event_type: 'custom_event', data: {}, more: 1 }], environment: 'development', more: 1 };
  const noIdentity = ': needs `user_identities` with at least one identity, or `xpid`';

  it.each<[object]>([
    [{ xpid: 0 }],
    [{ xpid: 2n ** 63n - 1n, user_identities: {} }],
    [{ user_identities: { email: 'a' } }],
    [{ xpid: 1, events: undefined }],
    [{ xpid: 1, events: [] }],
    [{ xpid: 1, user_attributes: { tier: 'gold' } }],
  ])('are accepted: %o', (parts) => {
    expect(issuesOf(EventIntake, { ...body, ...parts })).toEqual([]);
  });

  it.each(
    withIssuesFirst<object>([
      [{ xpid: 2n ** 63n }, ['xpid: must be a signed 64-bit integer in plain digits, such as -42']],
      [{ xpid: -0 }, ['xpid: must be a signed 64-bit integer in plain digits, such as -42']],
      [{}, [noIdentity]],
      [{ user_identities: {} }, [noIdentity]],
      [{ environment: 'test' }, ['environment: must be `production` or `development`', noIdentity]],
      [{ xpid: 1, user_attributes: 'gold' }, ['user_attributes: must be an object, not a string']],
      [{ xpid: 1, events: [{ event_type: '', data: {} }] }, ['events[0].event_type: is empty']],
      [{ xpid: 1, environment: 'test' }, ['environment: must be `production` or `development`']],
    ]),
  )('are rejected: %s', (_issues, parts, issues) => {
    expect(issuesOf(EventIntake, { ...body, ...parts })).toEqual(issues);
  });
});

describe('an identity', () => {
  it.each<[object]>([[{ email: 'a' }], [{ email: 'a', new_type: 'b' }]])('is accepted: %o', (user_identities) => {
    expect(issuesOf(IdentityIntake, { user_identities, environment: 'production', more: 1 })).toEqual([]);
  });

  it.each(
    withIssuesFirst<object>([
      [{}, [': needs `user_identities` with at least one identity, or `xpid`']],
      [{ email: '' }, ['user_identities.email: is empty']],
    ]),
  )('is rejected: %s', (_issues, user_identities, issues) => {
    expect(issuesOf(IdentityIntake, { user_identities, environment: 'production', more: 1 })).toEqual(issues);
  });
});
