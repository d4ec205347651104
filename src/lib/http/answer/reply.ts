// Parses the body of a 2xx response with exact integers, and checks it against the contract.
import { changes } from '../../contract/endpoint.ts';
import { parseWith, showPath } from '../../contract/explain.ts';
import { NameCollision } from '../../contract/names.ts';
import type { KnownError } from '../../kernel/errors.ts';
import { JsonError, parseJson, TooManyValues } from '../../kernel/json.ts';
import { type Answer, isErrorDocument, isHtml } from './answer.ts';
import { type FailedCall, outcomeUnknown, unreadable } from './failure.ts';
import { isUuid } from '../../kernel/words.ts';
import type { Reply } from '../types.ts';

/**
 * `about` lists fields that must repeat values from the request. Without a schema, the documented status is the only
 * proof (decision: D212). An unreadable response is failed (1) for a read, and OutcomeUnknownError for a write.
 */
export function readReply(
  call: FailedCall,
  answer: Answer,
  decode: (value: unknown) => unknown = (value) => value,
  about: readonly (readonly [field: string, value: string])[] = [],
): Reply<unknown> {
  const { status, headers, text } = answer;
  const { anyReply, anyStatus, method, reply } = call.endpoint;
  const isWrite = changes(call.endpoint);
  if (!reply) {
    // A captive portal answers any request with 200 and a web page.
    if (isHtml(answer)) throw unreadableReply('is a web page');
    if (anyReply) return { status, headers, text, body: anyBody() };
    if (method === 'GET') {
      // In a download, a sink has already received the bytes. Only a download in ranges has statuses other than 200.
      if (!anyStatus) requireStatus();
      return { status, headers, text, body: undefined };
    }
    if (answer.problem !== undefined) throw unreadableReply(answer.problem);
    // Only a read confirms a DELETE. For any other call without a body, the status is the only proof.
    if (method !== 'DELETE') requireStatus();
    if (isErrorDocument(answer)) throw unreadableReply(`is an error document with status ${status}`);
    return { status, headers, text, body: undefined };
  }
  const value = decoded(parsedBody());
  // A 202, for example, only promises that the write will take effect, even if its body is complete.
  if (isWrite && !anyStatus) requireStatus();
  const parsed = parseWith(reply, value);
  const [issue] = parsed.issues;
  if (issue)
    throw unreadableReply(`does not have the expected shape (${showPath(issue.path) || 'the body'} ${issue.message})`);
  const body = parsed.data as Record<string, unknown> | null;
  for (const [field, wanted] of about) {
    const other = valuesOf(body, field).find((found) => !repeats(found, wanted));
    if (other !== undefined) throw unreadableReply(`describes a different resource (${field} ${other as string})`);
  }
  return { status, headers, text, body };

  function requireStatus(): void {
    if (status !== call.endpoint.status) throw unreadableReply(`has the undocumented status ${status}`);
  }

  function anyBody(): unknown {
    if (answer.problem !== undefined) throw unreadableReply(answer.problem);
    if (text.trim() === '') return undefined;
    if (!/json/i.test(headers['content-type'] ?? '')) return text;
    return decoded(parsedBody());
  }

  function decoded(value: unknown): unknown {
    try {
      return decode(value);
    } catch (error) {
      if (error instanceof NameCollision) throw unreadableReply('has two names for one field');
      throw error;
    }
  }

  function parsedBody(): unknown {
    if (answer.problem !== undefined) throw unreadableReply(answer.problem);
    if (text.trim() === '') throw unreadableReply('is empty');
    try {
      return parseJson(text, MAX_VALUES);
    } catch (error) {
      if (error instanceof TooManyValues) throw unreadableReply('has more values than any response from the platform');
      if (!(error instanceof JsonError)) throw error;
      const place = error.offset === undefined ? '' : ` at character ${error.offset}`;
      throw unreadableReply(`is not usable JSON: ${error.message}${place}`);
    }
  }

  function unreadableReply(problem: string): KnownError {
    const error = unreadable(call, answer, problem);
    return isWrite ? outcomeUnknown(call, error) : error;
  }
}

/** Returns the value of a field, or its values in a list: `items[].pipeline_id`. */
function valuesOf(body: Record<string, unknown> | null, field: string): unknown[] {
  const [name = '', inner] = field.split('[].');
  const value = body?.[name];
  return inner === undefined ? [value] : (value as Record<string, unknown>[]).map((item) => item[inner]);
}

/** Compares a field with the requested value. The case of a UUID does not matter. An absent field counts as equal. */
function repeats(value: unknown, wanted: string): boolean {
  if (value === undefined || value === null) return true;
  const text = String(value as string | number | bigint);
  return text === wanted || (isUuid(wanted) && text.toLowerCase() === wanted.toLowerCase());
}

/** Limits memory, because a value can take forty times as many bytes as in JSON. Responses have far fewer values. */
const MAX_VALUES = 400_000;
