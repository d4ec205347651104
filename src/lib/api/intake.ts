// F. Intake: one method per endpoint.
import { type EventIntake, type IdentityIntake, intakeEndpoints } from '../contract/intake.ts';
import type { Client, DescribedRequest } from '../http/types.ts';

export type IntakeApi = ReturnType<typeof createIntakeApi>;

export function createIntakeApi(client: Client) {
  return {
    /** POST events. Throws OutcomeUnknownError when the answer is lost: an event that came twice would count twice. */
    event: async (body: EventIntake, signal?: AbortSignal): Promise<void> => {
      await client.call(intakeEndpoints.event, { body, ...(signal && { signal }) });
    },
    identify: async (body: IdentityIntake, signal?: AbortSignal): Promise<void> => {
      await client.call(intakeEndpoints.identify, { body, ...(signal && { signal }) });
    },
    describeEvent: (body: EventIntake): DescribedRequest => client.describe(intakeEndpoints.event, { body }),
    describeIdentify: (body: IdentityIntake): DescribedRequest => client.describe(intakeEndpoints.identify, { body }),
  };
}
