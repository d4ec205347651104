// Reads the body of an error response, whatever its shape (decision: D5).
import { tryJson } from '../../kernel/json.ts';
import type { Answer } from './answer.ts';

export interface ServerError {
  code?: string | number;
  message?: string;
  domain?: string;
  reason?: string;
}

export interface Envelope {
  /** The platform's own messages, without secrets or duplicates. */
  sentences: string[];
  /** The entries of `errors` without secrets, for machine-readable output. */
  errors: ServerError[];
}

const MAX_PLAIN_TEXT = 500;

/** Masks secrets. Runs before any text is truncated, because a truncated secret would not be recognized. */
type Redact = (text: string) => string;

const MAX_PARSED_TEXT = 1024 * 1024;

/**
 * Reads `{errors:[{message}]}`, `{errors:[{code,message}]}`, `{code,message,errors:[…]}`, `{error:{…}}`,
 * `{error,error_description}`, `{statusCode,errors}`, plain text, the title of an HTML page, or an empty body.
 */
export function readEnvelope(answer: Answer, redact: Redact): Envelope {
  const text = answer.text.trim();
  if (text === '') return { sentences: [], errors: [] };
  const value = text.length > MAX_PARSED_TEXT ? undefined : tryJson(text);
  if (value === undefined) {
    const sentence = isHtml(answer)
      ? htmlTitle(answer.text, redact)
      : redact(answer.text).trim().slice(0, MAX_PLAIN_TEXT);
    return { sentences: sentence ? [sentence] : [], errors: [] };
  }
  if (typeof value === 'string') return { sentences: [redact(value)], errors: [] };
  return readObject(value, redact);
}

/** True for a web page. A proxy or a login server may send one, but the platform never does. */
export function isHtml(answer: Answer): boolean {
  return /\bhtml\b/i.test(answer.headers['content-type'] ?? '') || /^\s*<(!doctype|html)\b/i.test(answer.text);
}

/** True if the body reports an error, which is possible even with a 2xx status. */
export function isErrorDocument(answer: Answer): boolean {
  const text = answer.text.trim();
  if (!text.startsWith('{') || text.length > MAX_PARSED_TEXT) return false;
  const { error, errors, statusCode, code } = asRecord(tryJson(text));
  const isFailure = (status: unknown): boolean => Number(status) >= 400;
  return (Array.isArray(errors) && errors.length > 0) || Boolean(error) || isFailure(statusCode) || isFailure(code);
}

/** Returns a page's title on one line, without secrets; an empty string if there is no title. */
export function htmlTitle(text: string, redact: Redact): string {
  const [, title = ''] = /<title[^<>]*>([^]*?)(?:<\/title|$)/i.exec(text) ?? [];
  const [shown = ''] = redact(title).split('<');
  return shown.replace(/\s+/g, ' ').trim().slice(0, MAX_PLAIN_TEXT);
}

function readObject(value: unknown, redact: Redact): Envelope {
  const record = asRecord(value);
  const nested = asRecord(record['error']);
  const listed = [record['errors'], nested['errors']].flatMap((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  );
  const errors = listed.map((item) => readError(item, redact)).filter((error) => Object.keys(error).length > 0);
  const general = [
    textOf(record['message'], redact),
    textOf(record['error_description'], redact) ?? textOf(record['error'], redact),
    textOf(nested['message'], redact),
  ];
  const details = errors.map(
    (error) => error.message ?? error.reason ?? (error.code === undefined ? undefined : redact(String(error.code))),
  );
  const sentences = [...general, ...details].filter((sentence) => sentence !== undefined);
  return { sentences: [...new Set(sentences)], errors };
}

function readError(item: unknown, redact: Redact): ServerError {
  if (typeof item === 'string') return { message: redact(item) };
  const record = asRecord(item);
  const said = (name: string): string | undefined => textOf(record[name], redact);
  const code = typeof record['code'] === 'number' ? record['code'] : said('code');
  const [message, domain, reason] = [said('message'), said('domain'), said('reason')];
  return {
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
    ...(domain !== undefined && { domain }),
    ...(reason !== undefined && { reason }),
  };
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown, redact: Redact): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? redact(value).trim() : undefined;
}
