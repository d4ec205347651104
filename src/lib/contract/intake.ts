// F. Intake: one user's events, and one user's identities and attributes (specification, "F. Intake shapes").
import { array, globalRegistry, looseObject, optional, record, string, type infer as Infer, unknown } from 'zod/mini';
import { endpoints, type NameMark } from './endpoint.ts';
import { Environment, Identities, Integer, messageRule, oneFieldOf, textOf, Xpid } from './shared.ts';

/** `event_type` is an open list: the specification shows only some. */
export const IntakeEvent = looseObject({ event_type: textOf(1, 256), data: record(string(), unknown()) });

/** The user and the circumstances, which both bodies have. Only the user and the environment are required. */
const USER_FIELDS = {
  user_identities: optional(Identities),
  xpid: optional(Xpid),
  user_attributes: optional(record(string(), unknown())),
  ip: optional(string()),
  timestamp_unixtime_ms: optional(Integer),
  environment: Environment,
};

const namesUser = messageRule<{ xpid?: unknown; user_identities?: Record<string, string> | undefined }>(
  ({ xpid, user_identities = {} }) =>
    xpid === undefined && Object.keys(user_identities).length === 0
      ? 'needs `user_identities` with at least one identity, or `xpid`'
      : undefined,
);
const ONE_USER = oneFieldOf(['xpid'], ['user_identities']);

/** Other fields are kept (decision: D244). */
export const EventIntake = looseObject({ ...USER_FIELDS, events: optional(array(IntakeEvent)) })
  .check(namesUser)
  .register(globalRegistry, ONE_USER);
export type EventIntake = Infer<typeof EventIntake>;

export const IdentityIntake = looseObject(USER_FIELDS).check(namesUser).register(globalRegistry, ONE_USER);
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
