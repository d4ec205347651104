// F. Intake: events and identities of a person (specification, F; decisions: D29, D70, D71, D244).
import { EventIntake, IdentityIntake, intakeEndpoints } from '../../contract/intake.ts';
import { defineArea, type OpenArea, type Platform } from '../platform/area.ts';
import { workspaceOf } from '../platform/auth.ts';
import { readIngestBody } from '../profiles/ingest.ts';
import type { Answer } from '../wire/platform-error.ts';

/** Stores events in the profiles, whose tables the seeding area creates. */
export const intakeArea = defineArea({
  name: 'intake',
  endpoints: intakeEndpoints,
  migrations: [],
  open: openIntake,
});

const ACCEPTED: Answer = { status: 202 };

function openIntake({ profiles, ingest, clock }: Platform): OpenArea<typeof intakeEndpoints> {
  return {
    handlers: {
      event: ({ caller, body }) => {
        const { id: workspace } = workspaceOf(caller);
        ingest.admit(workspace, body.length);
        const intake = readIngestBody(EventIntake, body);
        const { environment, xpid, user_identities: identities, user_attributes, ip, timestamp_unixtime_ms } = intake;
        // These fields of the body apply to each of its events.
        const about = {
          ...(ip !== undefined && { ip }),
          ...(timestamp_unixtime_ms !== undefined && { timestamp_unixtime_ms }),
        };
        const events = intake.events?.map((event) => ({ ...event, ...about }));
        profiles.apply([{ workspace, environment, xpid, identities, user_attributes, events }], clock.now());
        return ACCEPTED;
      },
      identify: ({ caller, body }) => {
        const { id: workspace } = workspaceOf(caller);
        ingest.admit(workspace, body.length);
        const { environment, user_identities: identities, user_attributes } = readIngestBody(IdentityIntake, body);
        profiles.apply([{ workspace, environment, identities, user_attributes }], clock.now());
        return ACCEPTED;
      },
    },
  };
}
