// Publishes each exchange within this process, for tests that check the platform's responses.
import { channel } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders } from 'node:http';

/** One exchange as it was on the wire. */
export interface SeenExchange {
  /** The platform's address. */
  platform: string;
  /** Bodies and parameters use a deployment's own words. */
  hasOwnWords: boolean;
  method: string;
  /** Path and query as they were sent. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  answer: { status: number; text?: string; headers?: Readonly<Record<string, string>> };
}

/** The channel that gets each `SeenExchange` before its response is sent. Responses of faults are omitted. */
export const SEEN_EXCHANGES = 'cdpadm.emulator.exchange';

const seen = channel(SEEN_EXCHANGES);

/** Does nothing without a subscriber. */
export function tellExchange(make: () => SeenExchange): void {
  if (seen.hasSubscribers) seen.publish(make());
}
