// What the platform says in the body of a refusal, whatever shape it has (decision: D5).
import { JsonError, parseJson } from '../kernel/json.ts';
import type { Answer } from './answer.ts';

/** One entry of an error body. */
export interface ServerError {
  code?: string | number;
  message?: string;
  domain?: string;
  reason?: string;
}

export interface Envelope {
  /** What to show: the platform's own sentences, without repeats. */
  sentences: string[];
  /** The entries of `errors`, for programs. */
  errors: ServerError[];
}

const MAX_PLAIN_TEXT = 500;

/** A larger one is no error body, and is not worth its memory. */
const MAX_PARSED_TEXT = 1024 * 1024;

/**
 * Reads `{errors:[{message}]}`, `{errors:[{code,message}]}`, `{code,message,errors:[…]}`, `{error:{…}}`,
 * `{error,error_description}`, `{statusCode,errors}`, plain text, HTML (its title) and nothing at all.
 */
export function readEnvelope(answer: Answer): Envelope {
  const text = answer.text.trim();
  if (text === '') return { sentences: [], errors: [] };
  const value = text.length > MAX_PARSED_TEXT ? undefined : tryJson(text);
  if (value === undefined) {
    const sentence = isHtml(answer) ? htmlTitle(text) : text.slice(0, MAX_PLAIN_TEXT);
    return { sentences: sentence ? [sentence] : [], errors: [] };
  }
  if (typeof value === 'string') return { sentences: [value], errors: [] };
  return readObject(value);
}

/** Whether an answer is a page for a browser: a proxy's, a login's, not the platform's. */
export function isHtml(answer: Answer): boolean {
  return /\bhtml\b/i.test(answer.headers['content-type'] ?? '') || /^\s*<(!doctype|html)\b/i.test(answer.text);
}

export function htmlTitle(text: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? '';
  return title.replace(/\s+/g, ' ').trim().slice(0, MAX_PLAIN_TEXT);
}

function readObject(value: unknown): Envelope {
  const record = asRecord(value);
  const nested = asRecord(record['error']);
  const listed = [record['errors'], nested['errors']].flatMap((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  );
  const errors = listed.map(readError).filter((error) => Object.keys(error).length > 0);
  const general = [
    textOf(record['message']),
    textOf(record['error_description']) ?? textOf(record['error']),
    textOf(nested['message']),
  ];
  const details = errors.map(
    (error) => error.message ?? error.reason ?? (error.code === undefined ? undefined : String(error.code)),
  );
  const sentences = [...general, ...details].filter((sentence) => sentence !== undefined);
  return { sentences: [...new Set(sentences)], errors };
}

function readError(item: unknown): ServerError {
  if (typeof item === 'string') return { message: item };
  const record = asRecord(item);
  const code = typeof record['code'] === 'number' ? record['code'] : textOf(record['code']);
  const [message, domain, reason] = [textOf(record['message']), textOf(record['domain']), textOf(record['reason'])];
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

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function tryJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
