// Keeps the newest requests and responses in memory, for assertions in tests and for `emulator log --bodies`.
import type { IncomingHttpHeaders } from 'node:http';
import { tryJson } from '../../kernel/json.ts';
import { createRedactor } from '../../kernel/redact.ts';
import { isoMillis } from '../../kernel/timestamps.ts';
import { type Answer, firstOf, headersOf } from './platform-error.ts';

/** A request and its response. The response is undefined if a fault closed the connection. */
export interface SeenRequest {
  /** Epoch milliseconds on the platform's clock. */
  at: number;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  answer: Answer | undefined;
}

const MOST_REQUESTS = 1000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Number of characters after which a recorded body is truncated. */
const MOST_SHOWN = 64 * 1024;

export function createRecorder() {
  const { headers: redactHeaders, text, value } = createRedactor();
  let kept: (SeenRequest & { id: number })[] = [];
  let bytes = 0;
  let last = 0;

  function shownBody(body = ''): { body?: unknown; truncated?: true } {
    if (body === '') return {};
    if (body.length > MOST_SHOWN) return { body: text(body.slice(0, MOST_SHOWN)), truncated: true };
    const parsed = tryJson(body);
    return { body: parsed === undefined ? text(body) : value(parsed) };
  }

  return {
    add: (request: SeenRequest): void => {
      kept.push({ ...request, id: ++last });
      bytes += sizeOf(request);
      while (kept.length > MOST_REQUESTS || bytes > MOST_BYTES) {
        const oldest = kept.shift();
        if (!oldest) break;
        bytes -= sizeOf(oldest);
      }
    },
    /** Returns the requests with an id above `after`, oldest first, without secrets. */
    list: (after = 0) =>
      kept
        .filter(({ id }) => id > after)
        .map(({ id, at, method, path, headers, body, answer }) => ({
          id,
          at: isoMillis(at),
          method,
          path: text(path),
          status: answer?.status ?? null,
          headers: redactHeaders(
            Object.fromEntries(Object.entries(headers).map(([name, item]) => [name, firstOf(item) ?? ''])),
          ),
          ...shownBody(body.toString('utf8')),
          ...(answer && { response: { headers: redactHeaders(headersOf(answer)), ...shownBody(answer.text) } }),
        })),
    clear: (): void => {
      kept = [];
      bytes = 0;
    },
  };
}

function sizeOf({ body, answer }: SeenRequest): number {
  return body.length + (answer?.text?.length ?? 0);
}
