// The redactor masks secrets and private values, in any of their spellings, on the screen, in logs, traces and errors.

export const MASK = '********';

const SECRET_HEADERS =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie|(?:x-)?api-?key|x-(?:auth|access|amz-security)-token)$/i;

const KEY =
  '(?:client|workspace)_?secret|secret|(?:access|refresh|id)_?token|token|passw(?:or)?d|passphrase|api_?key|' +
  'private_?key|service_?account_?key|partner_?feed_?key|(?:proxy-)?authorization|encoded_?request';
const SECRET_KEYS = new RegExp(`^(?:${KEY})$`, 'i');

/** Returns patterns for secrets in free text. Masking keeps `$1`. A value that starts with `$` is a placeholder. */
function secretPatterns(): RegExp[] {
  return [
    new RegExp(String.raw`("(?:${KEY})"\s{0,9}:\s{0,9}")(?!\$)[^"\\]*(?:\\[^][^"\\]*)*`, 'gi'),
    new RegExp(String.raw`(\\"(?:${KEY})\\"\s{0,9}:\s{0,9}\\")(?!\$)[^"\\]*(?:\\[^"][^"\\]*)*`, 'gi'),
    new RegExp(String.raw`((?<![a-z0-9])(?:${KEY})=)(?!["']?\$)[^&\s"']+`, 'gi'),
    /(:\/\/[^\s/:@]{0,256}:)[^\s/@]{1,1024}(?=@)/g,
  ];
}

const CREDENTIALS = /\b(Bearer|Basic)(\s{1,9})([\w+/=.~-]{4,})/gi;
/** Matches a word that is not a credential, as in `Basic authentication` or `Bearer TOKEN`. */
const WORD = /^(?=.{1,20}$)(?:[A-Z]?[a-z]+|[A-Z_]+)(?:-[a-z]+)*\.?$/;

/** Shorter values are too likely to occur in other text. They are still masked as values of secret keys and headers. */
export const MIN_SECRET_LENGTH = 4;
const MIN_HIDDEN_LENGTH = 3;

/** A shorter spelling is likely to occur inside other text, such as `home` in `/home/me`. */
const MIN_PART_LENGTH = 8;

export type Redactor = ReturnType<typeof createRedactor>;

export function createRedactor() {
  const known = new Set<string>();
  const fresh: string[] = [];
  /** Private values, each with its number of holders and its lowercase spellings. */
  const hidden = new Map<string, { holders: number; spellings?: Set<string> }>();
  // Created on first use, like the spellings, because most commands do not show any text from the platform.
  let patterns: RegExp[] | undefined;
  const announced = new Set<string>();
  let announce: ((secret: string) => void) | undefined;

  // The platform's own masks are not secret.
  const isMaskable = (value: string, length: number): boolean => value.length >= length && !/^\*+$/.test(value);

  /** Masks a private value, such as an identity, in any letter case. Returns a function that stops masking it. */
  function hide(value: string): () => void {
    if (!isMaskable(value, MIN_HIDDEN_LENGTH)) return () => undefined;
    const entry = hidden.get(value) ?? { holders: 0 };
    hidden.set(value, entry);
    entry.holders++;
    return () => {
      if (--entry.holders === 0) hidden.delete(value);
    };
  }

  /** Adds a secret: from now on, the secret and its Base64, URL and hex forms are masked in all text. */
  function add(secret: string): void {
    if (!isMaskable(secret, MIN_SECRET_LENGTH)) return;
    fresh.push(secret);
    if (!announce || announced.has(secret)) return;
    announced.add(secret);
    announce(secret);
  }

  function knownSpellings(): Set<string> {
    for (const secret of fresh.splice(0)) for (const spelling of spellingsOf(secret)) known.add(spelling);
    return known;
  }

  function* hiddenSpellings(): Iterable<string> {
    for (const [value, entry] of hidden) yield* (entry.spellings ??= privateSpellings(value));
  }

  /** True if the text equals any spelling of a known secret, or contains a spelling of 8 or more characters. */
  function knows(source: string): boolean {
    const spellings = [...knownSpellings()];
    return spellings.some((one) => one === source || (one.length >= MIN_PART_LENGTH && source.includes(one)));
  }

  function text(source: string): string {
    const ranges = findAll(source, knownSpellings());
    let result = maskRanges(
      source,
      hidden.size > 0 ? [...ranges, ...findAll(lowerCase(source), hiddenSpellings())] : ranges,
    );
    patterns ??= secretPatterns();
    for (const pattern of patterns) result = result.replace(pattern, `$1${MASK}`);
    return result.replace(CREDENTIALS, (whole, scheme: string, space: string, token: string) =>
      WORD.test(token) ? whole : `${scheme}${space}${MASK}`,
    );
  }

  function value(source: unknown, around: readonly object[] = []): unknown {
    if (typeof source === 'string') return text(source);
    if (typeof source === 'number' || typeof source === 'bigint') {
      const shown = text(String(source));
      return shown === String(source) ? source : shown;
    }
    if (typeof source !== 'object' || source === null) return source;
    if (around.includes(source)) return '[circular]';
    const within = [...around, source];
    if (Array.isArray(source)) return source.map((item) => value(item, within));
    if (source instanceof Uint8Array) return text(Buffer.from(source).toString());
    if (writesItself(source)) return value(source.toJSON(), within);
    return Object.fromEntries(
      membersOf(source).map(([key, item]) => [text(key), isSecret(key, item) ? MASK : value(item, within)]),
    );
  }

  return {
    add,
    hide,
    /** Calls `listener` once for every secret added from now on, but not for hidden values. */
    onSecret: (listener: (secret: string) => void): void => void (announce = listener),
    knows,
    text,
    /** Returns a masked deep copy for JSON. An error becomes its name, message and data; bytes become text. */
    value: (source: unknown): unknown => value(source),
    headers: (source: Record<string, string>): Record<string, string> =>
      Object.fromEntries(
        Object.entries(source).map(([name, item]) => [name, SECRET_HEADERS.test(name) ? MASK : text(item)]),
      ),
  };
}

/** True for an object that defines its own JSON, such as a Date or a URL. */
function writesItself(source: object): source is { toJSON(): unknown } {
  return 'toJSON' in source && typeof source.toJSON === 'function';
}

function membersOf(source: object): [string, unknown][] {
  const own = Object.entries(source);
  return source instanceof Error ? [['name', source.name], ['message', source.message], ...own] : own;
}

/** A boolean that states whether a secret exists is not a secret itself. */
function isSecret(key: string, item: unknown): boolean {
  return SECRET_KEYS.test(key) && item !== null && item !== undefined && typeof item !== 'boolean';
}

type Range = [start: number, end: number];

/** Returns the ranges of all occurrences, including overlapping ones, so that no part of a secret remains. */
function findAll(text: string, words: Iterable<string>): Range[] {
  const ranges: Range[] = [];
  for (const word of words)
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) ranges.push([at, at + word.length]);
  return ranges;
}

/** Converts to lowercase, except letters whose lowercase form has another length, so that positions stay the same. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return text.replace(/\p{Lu}/gu, (letter) =>
    letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter,
  );
}

/** Replaces each group of overlapping or adjacent ranges with one mask. */
function maskRanges(text: string, ranges: Range[]): string {
  let result = '';
  let done = 0;
  let coveredTo = -1;
  for (const [start, end] of ranges.sort((a, b) => a[0] - b[0])) {
    if (start > coveredTo) {
      result += text.slice(done, start) + MASK;
      coveredTo = end;
    } else coveredTo = Math.max(coveredTo, end);
    done = coveredTo;
  }
  return result + text.slice(done);
}

/** A shorter line, member or piece of Base64 is too likely to occur in other text. */
const MIN_FRAGMENT = 10;

/** Returns the lowercase spellings, including HTML-escaped ones and both Unicode normal forms. */
function privateSpellings(value: string): Set<string> {
  const forms = [value, value.normalize('NFC'), value.normalize('NFD')];
  const all = forms.flatMap((form) => [...spellingsOf(form), inHtml(form, '&#39;'), inHtml(form, '&#x27;')]);
  return new Set(all.map(lowerCase));
}

export function inHtml(text: string, apostrophe: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": apostrophe };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

function spellingsOf(secret: string): Set<string> {
  const spellings = new Set<string>();
  for (const part of [secret, ...valuesOf(secret)].flatMap((text) => [text, ...longLines(text)]))
    for (const spelling of [part, ...escaped(part), ...encoded(part)]) spellings.add(spelling);
  return spellings;
}

/** Public members of a JSON key file. Their values can also occur in other text. */
const PUBLIC_MEMBERS = /(?:^|_)(?:type|id|email|ur[il]|domain)$/i;

/** Returns the long, non-public strings in a JSON document, because a single member can reveal the secret. */
function valuesOf(secret: string): string[] {
  if (!/^\s*[[{]/.test(secret)) return [];
  const values: string[] = [];
  try {
    JSON.parse(secret, (member, value: unknown) => {
      if (typeof value === 'string' && value.length >= MIN_FRAGMENT && !PUBLIC_MEMBERS.test(member)) values.push(value);
      return value;
    });
  } catch {
    return [];
  }
  return values;
}

/** A multi-line key may be printed line by line. In a JSON key file, newlines are `\n`. */
function longLines(secret: string): string[] {
  const lines = secret.split(/\r?\n|\\n/);
  return lines.length === 1 ? [] : lines.filter((line) => line.length >= MIN_FRAGMENT && !line.startsWith('-----'));
}

function escaped(text: string): string[] {
  const json = inJson(text);
  const ascii = json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const valid = text.replace(/\p{Surrogate}/gu, '\uFFFD');
  const url = encodeURIComponent(valid);
  const form = new URLSearchParams([['', text]]).toString().slice(1);
  return [
    json,
    inJson(json),
    ascii,
    json.replaceAll('/', '\\/'),
    // Some encoders leave slashes, or all characters with a meaning in a URL, unescaped.
    ...[url, url.replaceAll('%2F', '/'), encodeURI(valid), form].flatMap((each) => [
      each,
      each.replace(/%../g, (octet) => octet.toLowerCase()),
    ]),
  ];
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

function encoded(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8');
  const hex = bytes.toString('hex');
  // In the Base64 form of `key:secret`, the characters of the secret depend on its offset in a group of three bytes.
  const base64 = (['base64', 'base64url'] as const).flatMap((form) => {
    const shifted = [0, 1, 2].map((shift) => base64Inside(bytes, shift, form));
    return [bytes.toString(form), ...shifted.filter((part) => part.length >= MIN_FRAGMENT)];
  });
  return [hex, hex.toUpperCase(), ...base64];
}

/** Returns the Base64 characters that depend only on `bytes`, after `shift` other bytes and before any others. */
function base64Inside(bytes: Buffer, shift: number, form: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString(form);
  return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
}
