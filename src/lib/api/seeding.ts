// E. Calculated attribute seeding: one user, and the door for many.
import { seedingEndpoints, type SingleSeed } from '../contract/seeding.ts';
import type { Client, DescribedRequest, Sender } from '../http/types.ts';

export interface SeedingApi {
  /** POST for one user. */
  set(seed: SingleSeed, signal?: AbortSignal): Promise<void>;
  /** What `set` would send. */
  describeSet(seed: SingleSeed): DescribedRequest;
  /** The bulk call for bodies that are bytes already, in the words of the wire. */
  openBulk(): Sender;
  /** What a bulk call with these users would send. */
  describeBulk(seeds: SingleSeed[]): DescribedRequest;
}

export function createSeedingApi(client: Client): SeedingApi {
  return {
    set: async (body, signal) => {
      await client.call(seedingEndpoints.set, { body, ...(signal && { signal }) });
    },
    describeSet: (body) => client.describe(seedingEndpoints.set, { body }),
    openBulk: () => client.openSender(seedingEndpoints.bulk),
    describeBulk: (body) => client.describe(seedingEndpoints.bulk, { body }),
  };
}
