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

/** A refusal that takes the shape of the service that it comes from; by itself it has that of A, B and D (decision: D5). */
export class PlainRefusal extends PlatformError {
  readonly messages: readonly string[];

  constructor(status: number, messages: readonly string[], headers?: Record<string, string>) {
    super(status, { statusCode: status, errors: messages.map((message) => ({ message })) }, headers);
    this.messages = messages;
  }
}

export function refusal(status: number, messages: string | string[], headers?: Record<string, string>): PlainRefusal {
  return new PlainRefusal(status, typeof messages === 'string' ? [messages] : messages, headers);
}

/** An answer with a JSON body. */
export function answer(status: number, body: unknown, headers?: Record<string, string>): Answer {
  return { status, text: stringifyJson(body), ...(headers && { headers }) };
}

/** What was thrown, as a refusal; anything that is none is a bug of ours and says so. */
export function asRefusal(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  return refusal(500, `The embedded platform failed: ${error instanceof Error ? error.message : String(error)}`);
}

/** A refusal as an answer. */
export function refusalAnswer(error: unknown): Answer {
  const { body, headers, status } = asRefusal(error);
  return answer(status, body, headers);
}
