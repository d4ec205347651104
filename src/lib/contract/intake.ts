// F. Intake: one user's events, and one user's identities and attributes (specification, "F. Intake shapes").
import { array, globalRegistry, looseObject, optional, record, string, type infer as Infer, unknown } from 'zod/mini';
import { endpoints, type NameMark } from './endpoint.ts';
import { Environment, Identities, Integer, messageRule, oneFieldOf, textOf, Xpid } from './shared.ts';

/** `event_type` is an open list: the specification shows only some. */
export const IntakeEvent = looseObject({ event_type: textOf(1, 256), data: record(string(), unknown()) });

/** Only the user and the environment are required; other fields are kept (decision: D244). */
export const EventIntake = looseObject({
  user_identities: optional(Identities),
  xpid: optional(Xpid),
  events: optional(array(IntakeEvent)),
  user_attributes: optional(record(string(), unknown())),
  ip: optional(string()),
  timestamp_unixtime_ms: optional(Integer),
  environment: Environment,
})
  .check(
    messageRule(({ xpid, user_identities = {} }) =>
      xpid === undefined && Object.keys(user_identities).length === 0
        ? 'needs `user_identities` with at least one identity, or `xpid`'
        : undefined,
    ),
  )
  .register(globalRegistry, oneFieldOf(['xpid'], ['user_identities']));
export type EventIntake = Infer<typeof EventIntake>;

export const IdentityIntake = looseObject({
  user_identities: Identities.check(
    messageRule((identities) => (Object.keys(identities).length === 0 ? 'contains no identity' : undefined)),
  ).register(globalRegistry, { minProperties: 1 }),
  user_attributes: optional(record(string(), unknown())),
  ip: optional(string()),
  timestamp_unixtime_ms: optional(Integer),
  environment: Environment,
});
export type IdentityIntake = Infer<typeof IdentityIntake>;

export const INTAKE_NAMES: readonly NameMark[] = ['keys:', 'keys:user_identities'];

export const intakeEndpoints = endpoints('intake', 'seeding', 'seeding-basic', {
  event: {
    method: 'POST',
    path: '/v2/events',
    status: 202,
    body: EventIntake,
    safety: 'once',
    names: { body: INTAKE_NAMES },
  },
  identify: {
    service: 'identity',
    method: 'POST',
    path: '/v1/identify',
    status: 202,
    body: IdentityIntake,
    safety: 'repeat',
    names: { body: INTAKE_NAMES },
  },
});
