// What those who check the platform from outside are told of each exchange.
import type { IncomingHttpHeaders } from 'node:http';

/** One exchange as it was on the wire, for whoever checks it from outside. */
export interface SeenExchange {
  method: string;
  /** Path and query as they were sent. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  answer: { status: number; text?: string; headers?: Readonly<Record<string, string>> };
}
