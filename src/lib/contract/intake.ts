// F. Intake: one user's events, and one user's identities and attributes (specification, "F. Intake shapes").
import { array, check, looseObject, optional, record, string, type infer as Infer, unknown } from 'zod/mini';
import { endpoint, type NameMark } from './endpoint.ts';
import { Environment, Identities, Integer, textOf, Xpid } from './shared.ts';

/** `event_type` is an open list: the specification only shows some. */
export const IntakeEvent = looseObject({
  event_type: textOf(1, 256),
  data: record(string(), unknown()),
});

/** No field of the body is required but the user and the environment; other fields are kept (decision: D244). */
export const EventIntake = looseObject({
  user_identities: optional(Identities),
  xpid: optional(Xpid),
  events: optional(array(IntakeEvent)),
  user_attributes: optional(record(string(), unknown())),
  ip: optional(string()),
  timestamp_unixtime_ms: optional(Integer),
  environment: Environment,
}).check(
  check((context) => {
    const { xpid, user_identities } = context.value;
    if (xpid !== undefined || Object.keys(user_identities ?? {}).length > 0) return;
    const message = 'needs `user_identities` with at least one identity, or `xpid`';
    context.issues.push({ code: 'custom', message, input: context.value });
  }),
);
export type EventIntake = Infer<typeof EventIntake>;

export const IdentityIntake = looseObject({
  user_identities: Identities.check(
    check((context) => {
      if (Object.keys(context.value).length > 0) return;
      context.issues.push({ code: 'custom', message: 'holds no identity', input: context.value });
    }),
  ),
  user_attributes: optional(record(string(), unknown())),
  ip: optional(string()),
  timestamp_unixtime_ms: optional(Integer),
  environment: Environment,
});
export type IdentityIntake = Infer<typeof IdentityIntake>;

export const INTAKE_NAMES: readonly NameMark[] = ['keys:', 'keys:user_identities'];

export const intakeEndpoints = {
  event: endpoint({
    id: 'intake.event',
    service: 'seeding',
    auth: 'seeding-basic',
    method: 'POST',
    path: '/v2/events',
    status: 202,
    body: EventIntake,
    safety: 'once',
    names: { body: INTAKE_NAMES },
  }),
  identify: endpoint({
    id: 'intake.identify',
    service: 'identity',
    auth: 'seeding-basic',
    method: 'POST',
    path: '/v1/identify',
    status: 202,
    body: IdentityIntake,
    safety: 'repeat',
    names: { body: INTAKE_NAMES },
  }),
};
