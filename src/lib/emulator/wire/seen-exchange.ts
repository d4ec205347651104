// What those who check the platform from outside are told of each exchange, in this process.
import { channel } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders } from 'node:http';

/** One exchange as it was on the wire, for whoever checks it from outside. */
export interface SeenExchange {
  /** The platform's address. */
  platform: string;
  /** Whether bodies and parameters are in a deployment's own words. */
  hasOwnWords: boolean;
  method: string;
  /** Path and query as they were sent. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  answer: { status: number; text?: string; headers?: Readonly<Record<string, string>> };
}

/** Where each `SeenExchange` is published before its answer is sent; what faults answer is left out. */
export const SEEN_EXCHANGES = 'cdpadm.emulator.exchange';

const seen = channel(SEEN_EXCHANGES);

/** Costs nothing as long as nobody listens. */
export function tellExchange(make: () => SeenExchange): void {
  if (seen.hasSubscribers) seen.publish(make());
}
