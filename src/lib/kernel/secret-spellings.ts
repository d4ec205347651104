// The forms of a secret in a text: plain, escaped or encoded, alone or inside a longer text.

/** A shorter piece of Base64 or line is too likely to occur in other text. */
const MIN_FRAGMENT = 10;

/** All forms of a secret, including itself. */
export function spellingsOf(secret: string): Set<string> {
  const spellings = new Set<string>();
  for (const part of [secret, ...valuesOf(secret)].flatMap((text) => [text, ...longLines(text)])) {
    for (const spelling of [part, ...escaped(part), ...encoded(part)]) spellings.add(spelling);
  }
  return spellings;
}

/** Public members of a key document, which also occur in other text. */
const PUBLIC_MEMBERS = /(?:^|_)(?:type|id|email|ur[il]|domain)$/i;

/** Each string of a JSON document: one member alone reveals the secret too. */
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

/** A key of many lines may be printed line by line; in a JSON key file, its line feeds are `\n`. */
function longLines(secret: string): string[] {
  const lines = secret.split(/\r?\n|\\n/);
  return lines.length === 1 ? [] : lines.filter((line) => line.length >= MIN_FRAGMENT && !line.startsWith('-----'));
}

function escaped(text: string): string[] {
  const json = inJson(text);
  const ascii = json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const url = encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'));
  const form = new URLSearchParams([['', text]]).toString().slice(1);
  return [
    json,
    inJson(json),
    ascii,
    json.replaceAll('/', '\\/'),
    ...[url, form].flatMap((each) => [each, each.replace(/%../g, (octet) => octet.toLowerCase())]),
  ];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function encoded(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8');
  const hex = bytes.toString('hex');
  // Inside `key:secret`, the secret's Base64 depends on its offset in a group of three bytes.
  const shifted = [0, 1, 2].map((shift) => base64Inside(bytes, shift)).filter((part) => part.length >= MIN_FRAGMENT);
  const base64 = [bytes.toString('base64'), ...shifted];
  return [hex, hex.toUpperCase(), ...base64, ...base64.map(toBase64Url)];
}

/** The Base64 characters that depend on `bytes` alone, after `shift` other bytes and before any others. */
function base64Inside(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
  return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
}

function toBase64Url(base64: string): string {
  return base64
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/(?<!=)=+$/, '');
}
