// Intake: one user's events, and one user's identities and attributes (specification, "F. Intake shapes").
import * as z from 'zod/mini';
import { endpoints, type NameMark } from './endpoint.ts';
import { Environment, Identities, Integer, namesUser, oneFieldOf, textOf, Xpid } from './shared.ts';

/** `event_type` is an open list: the specification shows only some of its values. */
export const IntakeEvent = z.looseObject({ event_type: textOf(1, 256), data: z.record(z.string(), z.unknown()) });

/** Fields that both bodies share. Only the environment and one of the fields that name the user are required. */
const USER_FIELDS = {
  user_identities: z.optional(Identities),
  xpid: z.optional(Xpid),
  user_attributes: z.optional(z.record(z.string(), z.unknown())),
  ip: z.optional(z.string()),
  timestamp_unixtime_ms: z.optional(Integer),
  environment: Environment,
};

const namesOne = namesUser<{ xpid?: unknown; user_identities?: unknown }>(
  'user_identities',
  'needs `user_identities` with at least one identity, or `xpid`',
);
const ONE_USER = oneFieldOf(['xpid'], ['user_identities']);

/** Unknown fields are kept (decision: D244). */
export const EventIntake = z
  .looseObject({ ...USER_FIELDS, events: z.optional(z.array(IntakeEvent)) })
  .check(namesOne)
  .register(z.globalRegistry, ONE_USER);
export type EventIntake = z.infer<typeof EventIntake>;

export const IdentityIntake = z.looseObject(USER_FIELDS).check(namesOne).register(z.globalRegistry, ONE_USER);
export type IdentityIntake = z.infer<typeof IdentityIntake>;

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
