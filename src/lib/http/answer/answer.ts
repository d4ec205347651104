// Converts response bytes to text (decompresses and decodes them within the size limit), and reads the body of an error
// response, whatever its shape (decision: D5).
import { isUtf8 } from 'node:buffer';
import { sizeText } from '../../kernel/words.ts';
import { MAX_ANSWER_BYTES, type RawReply } from '../types.ts';
import { tryJson } from '../../kernel/json.ts';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** As much of the body as could be decoded. */
  text: string;
  size: number;
  /** Why the body cannot be trusted. Completes the sentence "the response …". */
  problem: string | undefined;
}

const TOO_LARGE = `is larger than ${sizeText(MAX_ANSWER_BYTES)}`;

export async function readAnswer({ status, headers, body, size, tooLarge }: RawReply): Promise<Answer> {
  const read = tooLarge ? { problem: TOO_LARGE } : await readBody(body, headers);
  return { status, headers, text: '', size, problem: undefined, ...read };
}

async function readBody(body: Buffer, headers: Record<string, string>): Promise<Partial<Answer>> {
  let bytes = body;
  const encodings = (headers['content-encoding'] ?? '').toLowerCase().split(/[\s,]+/);
  for (const encoding of encodings.reverse()) {
    if (encoding === '' || encoding === 'identity' || bytes.length === 0) continue;
    const decoded = await decompress(bytes, encoding);
    if (typeof decoded === 'string') return { problem: decoded };
    bytes = decoded;
  }
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
    const text = decoderFor(charset)?.decode(bytes);
    if (text === undefined) return { problem: `is in an unknown charset ("${charset}")` };
    return { text, ...(text.includes('\ufffd') && { problem: `is not valid ${charset}` }) };
  }
  // Text with undecodable bytes may be shown in messages, but must never be sent back.
  return { text: bytes.toString('utf8'), ...(!isUtf8(bytes) && { problem: 'is not valid UTF-8' }) };
}

async function decompress(bytes: Buffer, encoding: string): Promise<Buffer | string> {
  const zlib = await import('node:zlib');
  const limit = { maxOutputLength: MAX_ANSWER_BYTES };
  try {
    if (encoding === 'gzip' || encoding === 'x-gzip') return zlib.gunzipSync(bytes, limit);
    if (encoding === 'br') return zlib.brotliDecompressSync(bytes, limit);
    if (encoding !== 'deflate') return `has an unknown content encoding ("${encoding}")`;
    // Servers disagree on whether "deflate" includes a zlib header.
    return ((bytes[0] ?? 0) & 0x0f) === 8 ? zlib.inflateSync(bytes, limit) : zlib.inflateRawSync(bytes, limit);
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return tooLarge ? TOO_LARGE : `is not valid ${encoding} data (${(error as Error).message})`;
  }
}

function decoderFor(charset: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset, { ignoreBOM: true });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

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
  const fields = { code, message: said('message'), domain: said('domain'), reason: said('reason') };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown, redact: Redact): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? redact(value).trim() : undefined;
}
