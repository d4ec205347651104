// The body of a request: read whole and raw before anything else looks at it, and parsed without losing digits.
import type { IncomingMessage } from 'node:http';
import type { infer as Infer, ZodMiniType } from 'zod/mini';
import { explainIssues, showPath } from '../../contract/explain.ts';
import { JsonError, parseJson } from '../../kernel/json.ts';
import { refusal } from './platform-error.ts';

/** The platform answers no other request while it checks and stores a body: one of this size takes at most a second or so. */
const MAX_BYTES = 1024 * 1024;
/** A longer list takes seconds to check. */
const MOST_ENTRIES = 10_000;
/** As many as help a person. */
export const MOST_ERRORS = 100;

/** The peer went away in the middle of its request: there is nobody to answer. */
export class PeerGone extends Error {}

/** Reads the body. Throws 413 beyond `most` bytes, 1 MiB by default, and PeerGone when the connection ends too early. */
export function readBody(incoming: IncomingMessage, most = MAX_BYTES): Promise<Buffer> {
  const { promise, resolve, reject } = deferred<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= most) chunks.push(chunk);
    else reject(refusal(413, `Request body is larger than ${most} bytes`, { connection: 'close' }));
  });
  incoming.on('end', () => resolve(Buffer.concat(chunks)));
  incoming.on('close', () => {
    if (!incoming.complete) reject(new PeerGone());
  });
  incoming.on('error', () => reject(new PeerGone()));
  return promise;
}

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: Error) => void = () => undefined;
  const promise = new Promise<T>((onValue, onReason) => {
    resolve = onValue;
    reject = onReason;
  });
  return { promise, resolve, reject };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses a JSON body; `refuse` is given what is wrong with it and makes the refusal that is thrown. */
export function parseBody(body: Buffer, refuse: (detail: string) => Error, most = MOST_ENTRIES): unknown {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw refuse('not valid UTF-8');
  }
  try {
    const value = parseJson(text);
    const entries = most === Infinity ? 0 : longestList(value);
    if (entries > most) throw refuse(`a list of ${entries} entries; at most ${most} are taken`);
    return value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw refuse(error.offset === undefined ? error.message : `${error.message} (at character ${error.offset})`);
  }
}

/** Entries of the longest list in a body, as far down as the specification's bodies have lists. */
function longestList(value: unknown, depth = 4): number {
  if (typeof value !== 'object' || value === null || depth === 0) return 0;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  const own = Array.isArray(value) ? items.length : 0;
  if (own > MOST_ENTRIES) return own;
  return items.reduce<number>((most, item) => Math.max(most, longestList(item, depth - 1)), own);
}

/** Checks a parsed body. Throws 400 with a sentence per place, each after `prefix`. */
export function checkBody<Schema extends ZodMiniType>(schema: Schema, value: unknown, prefix: string): Infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw refusal(
    400,
    explainIssues(parsed.error.issues, value)
      .slice(0, MOST_ERRORS)
      .map(({ path, message }) => [`${prefix}:`, showPath(path), message].filter((part) => part !== '').join(' ')),
  );
}
