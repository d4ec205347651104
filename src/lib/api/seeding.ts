// E. Calculated attribute seeding: one user, and the door for many.
import { seedingEndpoints, type SingleSeed } from '../contract/seeding.ts';
import { KnownError } from '../kernel/errors.ts';
import type { Client, DescribedRequest, Sender } from '../http/types.ts';

export type SeedingApi = ReturnType<typeof createSeedingApi>;

export function createSeedingApi(client: Client) {
  return {
    /** POST for one user. */
    set: async (body: SingleSeed, signal?: AbortSignal): Promise<void> => {
      await client.call(seedingEndpoints.set, { body, ...(signal && { signal }) });
    },
    /**
     * POST of a list without users: nothing can change by it. Returns when the credentials were taken, for they are looked
     * at before the body (specification, E); throws as any call does when they were not.
     */
    tryCredentials: async (signal?: AbortSignal): Promise<void> => {
      try {
        await client.call(seedingEndpoints.bulk, { body: [], ...(signal && { signal }) });
      } catch (error) {
        if (!(error instanceof KnownError) || (error.status !== 400 && error.status !== 422)) throw error;
      }
    },
    /** What `set` would send. */
    describeSet: (body: SingleSeed): DescribedRequest => client.describe(seedingEndpoints.set, { body }),
    /** The bulk call for bodies that are bytes already, in the words of the wire. */
    openBulk: (): Promise<Sender<undefined>> => client.openSender(seedingEndpoints.bulk),
    /** What a bulk call with these users would send. */
    describeBulk: (body: SingleSeed[]): DescribedRequest => client.describe(seedingEndpoints.bulk, { body }),
  };
}
