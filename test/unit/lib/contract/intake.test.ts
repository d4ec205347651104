// Intake: identities in events and attributes, and required content.
import { describe, expect, it } from 'vitest';
import { EventIntake, IdentityIntake } from '../../../../src/lib/contract/intake.ts';
import { issuesOf } from './issues.ts';

describe('events', () => {
  const body = { events: [{ event_type: 'custom_event', data: {}, more: 1 }], environment: 'development', more: 1 };
  const noIdentity = ': needs `user_identities` with at least one identity, or `xpid`';

  it.each<[object, string[]]>([
    [{ xpid: 0 }, []],
    [{ xpid: 2n ** 63n - 1n, user_identities: {} }, []],
    [{ xpid: 2n ** 63n }, ['xpid: must be a signed 64-bit integer in plain digits, such as -42']],
    [{ xpid: -0 }, ['xpid: must be a signed 64-bit integer in plain digits, such as -42']],
    [{ user_identities: { email: 'a' } }, []],
    [{}, [noIdentity]],
    [{ user_identities: {} }, [noIdentity]],
    [{ xpid: 1, events: undefined }, []],
    [{ xpid: 1, events: [] }, []],
    [{ xpid: 1, user_attributes: { tier: 'gold' } }, []],
    [{ xpid: 1, user_attributes: 'gold' }, ['user_attributes: must be an object, not a string']],
    [{ xpid: 1, events: [{ event_type: '', data: {} }] }, ['events[0].event_type: is empty']],
    [{ xpid: 1, environment: 'test' }, ['environment: must be `production` or `development`']],
  ])('are accepted, or their issues are reported: %o', (parts, issues) => {
    expect(issuesOf(EventIntake, { ...body, ...parts })).toEqual(issues);
  });
});

describe('an identity', () => {
  it.each<[object, string[]]>([
    [{ email: 'a' }, []],
    [{ email: 'a', new_type: 'b' }, []],
    [{}, [': needs `user_identities` with at least one identity, or `xpid`']],
    [{ email: '' }, ['user_identities.email: is empty']],
  ])('is accepted, or its issues are reported: %o', (user_identities, issues) => {
    expect(issuesOf(IdentityIntake, { user_identities, environment: 'production', more: 1 })).toEqual(issues);
  });
});
