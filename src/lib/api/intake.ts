// F. Intake: one method per endpoint.
import { type EventIntake, type IdentityIntake, intakeEndpoints } from '../contract/intake.ts';
import type { Client, DescribedRequest } from '../http/types.ts';

export interface IntakeApi {
  /** POST events. Throws OutcomeUnknownError when the answer is lost: an event that came twice would count twice. */
  event(body: EventIntake, signal?: AbortSignal): Promise<void>;
  identify(body: IdentityIntake, signal?: AbortSignal): Promise<void>;
  describeEvent(body: EventIntake): DescribedRequest;
  describeIdentify(body: IdentityIntake): DescribedRequest;
}

export function createIntakeApi(client: Client): IntakeApi {
  return {
    event: async (body, signal) => {
      await client.call(intakeEndpoints.event, { body, ...(signal && { signal }) });
    },
    identify: async (body, signal) => {
      await client.call(intakeEndpoints.identify, { body, ...(signal && { signal }) });
    },
    describeEvent: (body) => client.describe(intakeEndpoints.event, { body }),
    describeIdentify: (body) => client.describe(intakeEndpoints.identify, { body }),
  };
}
