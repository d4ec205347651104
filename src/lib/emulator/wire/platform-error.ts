// How a route refuses: thrown, and written as an answer in one place (`exchange.ts`).
import { stringifyJson } from '../../kernel/json.ts';

/** What a route answers. `text` is JSON; absent when the answer has no body. */
export interface Answer {
  status: number;
  text?: string;
  headers?: Readonly<Record<string, string>>;
}

/** A refusal of the platform; `body` is its JSON as the area writes errors. */
export class PlatformError extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    super(`the platform answers ${status}`);
    this.name = 'PlatformError';
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A refusal in the shape of A, B and D, of the token call and of whatever has no shape of its own (decision: D5). */
export function refusal(status: number, messages: string | string[], headers?: Record<string, string>): PlatformError {
  const list = typeof messages === 'string' ? [messages] : messages;
  return new PlatformError(status, { statusCode: status, errors: list.map((message) => ({ message })) }, headers);
}

/** An answer with a JSON body. */
export function answer(status: number, body: unknown, headers?: Record<string, string>): Answer {
  return { status, text: stringifyJson(body), ...(headers && { headers }) };
}

/** A refusal as an answer; anything else that was thrown is a bug of ours and says so. */
export function refusalAnswer(error: unknown): Answer {
  if (error instanceof PlatformError) return answer(error.status, error.body, error.headers);
  const bug = refusal(500, `The embedded platform failed: ${error instanceof Error ? error.message : String(error)}`);
  return answer(bug.status, bug.body);
}
