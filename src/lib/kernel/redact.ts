// The one redactor: nothing secret passes it on the way to a screen, a log, a trace or an error.

/** What stands in place of a secret. */
export const MASK = '********';

const SECRET_HEADERS = /^(authorization|proxy-authorization|cookie|set-cookie|x-api-key)$/i;
const SECRET_KEYS =
  /^(client_secret|access_token|refresh_token|id_token|password|passwd|secret|service_account_key|private_key|authorization|workspace_secret|partner_feed_key|encoded_request)$/i;
/** Shorter values are too likely to stand in innocent text; they are still hidden by key and by header. */
const MIN_SECRET_LENGTH = 4;

export interface Redactor {
  /** Makes a value known as secret: from now on it, its Base64, URL and hex spellings are masked in every text. */
  add(secret: string): void;
  /** Masks known secrets and bearer or basic credentials in free text. */
  text(text: string): string;
  /** A deep copy with the values of secret keys masked and every string passed through `text`. */
  value(value: unknown): unknown;
  /** Headers with the secret ones masked. */
  headers(headers: Record<string, string>): Record<string, string>;
}

export function createRedactor(): Redactor {
  const known = new Set<string>();

  function add(secret: string): void {
    if (secret.length < MIN_SECRET_LENGTH || secret === MASK) return;
    const bytes = Buffer.from(secret, 'utf8');
    const spellings = [
      secret,
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
    ];
    for (const spelling of spellings) known.add(spelling);
  }

  function text(source: string): string {
    let result = source;
    // Longest first: a secret that holds another must not leave its rest behind.
    for (const secret of [...known].sort((a, b) => b.length - a.length)) result = result.replaceAll(secret, MASK);
    return result.replace(/\b(Bearer|Basic)\s+[A-Za-z0-9+/=._~-]{6,}/g, `$1 ${MASK}`);
  }

  function value(source: unknown): unknown {
    if (typeof source === 'string') return text(source);
    if (Array.isArray(source)) return source.map(value);
    if (typeof source !== 'object' || source === null) return source;
    return Object.fromEntries(
      Object.entries(source).map(([key, item]) => [key, SECRET_KEYS.test(key) && item !== null ? MASK : value(item)]),
    );
  }

  function headers(source: Record<string, string>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(source).map(([name, item]) => [name, SECRET_HEADERS.test(name) ? MASK : text(item)]),
    );
  }

  return { add, text, value, headers };
}
