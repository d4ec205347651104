// Reads, parses and checks the body of a request. Numbers keep all their digits. Each area has its own error messages.
import type { IncomingMessage } from 'node:http';
import type * as z from 'zod/mini';
import { type FieldIssue, parseWith, showPath, valueAt } from '../../contract/explain.ts';
import { parseJsonOr } from '../../kernel/json.ts';
import { type PlatformError, rejection, reject } from './platform-error.ts';
import type { Failure } from '../../contract/failures.ts';
import { MOST_ISSUES } from '../../kernel/errors.ts';

/** Checking and storing a body of this size takes about a second, during which no other request is handled. */
const MAX_BYTES = 1024 * 1024;
/** A longer list would take seconds to check. */
const MOST_ENTRIES = 10_000;
/** A longer list of issues would not help a user. */
export const MOST_ERRORS = 100;

/** The client closed the connection during its request, so there is no response. */
export class PeerGone extends Error {}

/** Reads the body. Throws 413 above `most` bytes, and PeerGone if the connection ends too early. */
export function readBody(incoming: IncomingMessage, most = MAX_BYTES): Promise<Buffer> {
  return new Promise((resolve, fail) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= most) chunks.push(chunk);
      else fail(rejection(413, `Request body is larger than ${most} bytes`, { connection: 'close' }));
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('close', () => {
      if (!incoming.complete) fail(new PeerGone());
    });
    incoming.on('error', () => fail(new PeerGone()));
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses a JSON body. `asError` turns a problem into the error to throw. */
export function parseBody(body: Buffer, asError: (detail: string) => Error, most = MOST_ENTRIES): unknown {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw asError('not valid UTF-8');
  }
  const value = parseJsonOr(text, ({ message, offset }) => {
    throw asError(offset === undefined ? message : `${message} (at character ${offset})`);
  });
  const entries = most === Infinity ? 0 : longestList(value);
  if (entries > most) throw asError(`a list of ${entries} entries; at most ${most} are allowed`);
  return value;
}

/** Returns the length of the longest list in a body, down to the deepest level of lists in the specification. */
function longestList(value: unknown, depth = 4): number {
  if (typeof value !== 'object' || value === null || depth === 0) return 0;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  const own = Array.isArray(value) ? items.length : 0;
  if (own > MOST_ENTRIES) return own;
  return items.reduce<number>((most, item) => Math.max(most, longestList(item, depth - 1)), own);
}

/** Returns the error for requests to the control address and the token service. */
export function badRequest(...details: string[]): PlatformError {
  return reject({ status: 400, message: 'Bad request' }, details);
}

/** Checks a parsed body of the control address or the token service. Throws 400 with a sentence for each issue. */
export function checkBody<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.infer<Schema> {
  const { data, issues } = parseWith(schema, value);
  if (issues.length === 0) return data as z.infer<Schema>;
  throw badRequest(...issues.slice(0, MOST_ERRORS).map(sentenceOf));
}

export function readJson(body: Buffer, failure: Failure): unknown {
  return parseBody(body, (detail) => reject(failure, detail));
}

/** Checks a parsed body. Ignores unknown fields (decision: D6). `judge` turns other issues into the error to throw. */
export function acceptBody<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  judge: (issues: FieldIssue[]) => PlatformError,
): z.infer<Schema> {
  const { data, issues } = parseWith(schema, value);
  if (issues.length === 0) return data as z.infer<Schema>;
  const unknown = issues.filter(({ isUnknown }) => isUnknown);
  if (unknown.length === 0) throw judge(issues);
  const known = structuredClone(value);
  for (const { path } of unknown)
    Reflect.deleteProperty(valueAt(known, path.slice(0, -1)) as object, path.at(-1) ?? '');
  return acceptBody(schema, known, judge);
}

/** Reads and checks a JSON body. Throws `invalid` for any issue, and `malformed` for invalid JSON. */
export function acceptJson<Schema extends z.ZodMiniType>(
  schema: Schema,
  body: Buffer,
  invalid: Failure,
  malformed: Failure = invalid,
): z.infer<Schema> {
  return acceptBody(schema, readJson(body, malformed), (issues) => reject(invalid, sentences(issues)));
}

/** Returns a sentence for each issue: first the position, then the problem. */
export function sentences(issues: readonly FieldIssue[]): string[] {
  const listed = issues.slice(0, MOST_ISSUES);
  const messages = listed.map(sentenceOf);
  return issues.length === listed.length ? messages : [...messages, `${issues.length - listed.length} more`];
}

function sentenceOf({ path, message }: FieldIssue): string {
  // This message names only the last part of the path.
  if (message.startsWith('unknown field ')) return `unknown field \`${showPath(path)}\``;
  return path.length === 0 ? message : `${showPath(path)} ${message}`;
}
