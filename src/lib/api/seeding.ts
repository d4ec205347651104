// E. Calculated attribute seeding: one user, and the door for many.
import { seedingEndpoints, type SingleSeed } from '../contract/seeding.ts';
import { KnownError } from '../kernel/errors.ts';
import type { Client, DescribedRequest, Sender } from '../http/types.ts';

export interface SeedingApi {
  /** POST for one user. */
  set(seed: SingleSeed, signal?: AbortSignal): Promise<void>;
  /**
   * POST of a list without users: nothing can change by it. Returns when the credentials were taken, for they are looked
   * at before the body (specification, E); throws as any call does when they were not.
   */
  tryCredentials(signal?: AbortSignal): Promise<void>;
  /** What `set` would send. */
  describeSet(seed: SingleSeed): DescribedRequest;
  /** The bulk call for bodies that are bytes already, in the words of the wire. */
  openBulk(): Promise<Sender<undefined>>;
  /** What a bulk call with these users would send. */
  describeBulk(seeds: SingleSeed[]): DescribedRequest;
}

export function createSeedingApi(client: Client): SeedingApi {
  return {
    set: async (body, signal) => {
      await client.call(seedingEndpoints.set, { body, ...(signal && { signal }) });
    },
    tryCredentials: async (signal) => {
      try {
        await client.call(seedingEndpoints.bulk, { body: [], ...(signal && { signal }) });
      } catch (error) {
        if (!(error instanceof KnownError) || (error.status !== 400 && error.status !== 422)) throw error;
      }
    },
    describeSet: (body) => client.describe(seedingEndpoints.set, { body }),
    openBulk: () => client.openSender(seedingEndpoints.bulk),
    describeBulk: (body) => client.describe(seedingEndpoints.bulk, { body }),
  };
}
