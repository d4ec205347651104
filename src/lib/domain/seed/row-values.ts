// The kinds of values in a user's body, as scans that accept only values that are certainly valid.
import { SEED_RULES } from '../../contract/seed-rules.ts';
import type { NullWords } from '../null-words.ts';
import * as scan from './scan.ts';
import { FAIL } from './scan.ts';

/** Returns the offset after a value that is certainly valid, or FAIL for one that needs the exact check. */
export type Kind = (bytes: Buffer, start: number) => number;

/** The kind of a value that is part of a row's fixed text. */
export const FIXED = 'fixed';

/** Longer numbers need the exact check, because they may be rounded. */
const MAX_NUMBER = 16;
const MAX_QUOTED_NUMBER = 39;
/** Characters after the backslash of an escape, except `u`. */
const ESCAPES = Buffer.from('"\\/bfnrt');
const LETTER_U = 0x75;

/** Content of each seed that is a single value (specification, E, the table of seeds). */
const VALUES: Record<'number' | 'whole-number' | 'milliseconds' | 'anything', Kind> = {
  number: scanNumeric,
  'whole-number': scanWhole,
  milliseconds: scanWhole,
  anything: (bytes, start) => (bytes[start] === scan.QUOTE ? scanText : scanNumeric)(bytes, start),
};

/**
 * Returns the kind of a value in an attribute, by the value's key and the attribute's calculation type. Returns
 * undefined if only the exact check can check the value.
 */
export function attributeKind(key: string, type: string): Kind | typeof FIXED | undefined {
  const rule = Object.hasOwn(SEED_RULES, type) ? SEED_RULES[type as keyof typeof SEED_RULES] : undefined;
  switch (key) {
    case 'attribute_name':
      return scanName;
    case 'cutoff_date':
      return scan.scanDate;
    case 'attribute_value':
      return scanText;
    case 'list':
      return scanList;
    case 'value':
      return rule?.form === 'value' ? VALUES[rule.holds] : undefined;
    case 'key_value_pairs':
      return rule?.form !== key ? undefined : rule.pairs === 'counts' ? scanCounts : FIXED;
    case 'sum':
      return scanNumeric;
    case 'count':
      return scanPositive;
    case 'calculation_type':
    case 'seed':
      return FIXED;
    default:
      // The exact check corrects the key `cuttoff_date`, and it can read keys with escapes.
      return undefined;
  }
}

export function createIdentityKind(nulls: NullWords): Kind {
  const findNull = scan.createWordFinder(nulls.words);
  return (bytes, start) => {
    const end = scanPlainText(bytes, start);
    const [first, last] = [start + 1, end - 1];
    return first < last && scan.isUsualIdentity(bytes, first, last) && !findNull(bytes, first, last) ? end : FAIL;
  };
}

export function scanText(bytes: Buffer, start: number): number {
  if (bytes[start] !== scan.QUOTE) return FAIL;
  for (let at = start + 1; ; at++) {
    const code = bytes[at] as number;
    if (code === scan.QUOTE) return at + 1;
    if (code === scan.BACKSLASH) {
      const end = scanEscape(bytes, at);
      if (end === FAIL) return FAIL;
      at = end - 1;
    } else if (!(code >= scan.SPACE)) return FAIL;
  }
}

/** Scans an escape in a string, such as `\n` or `\u00fc`. */
function scanEscape(bytes: Buffer, start: number): number {
  const code = bytes[start + 1] as number;
  if (code !== LETTER_U) return ESCAPES.includes(code) ? start + 2 : FAIL;
  const end = start + 6;
  for (let at = start + 2; at < end; at++) if (!scan.isHexDigit(bytes[at])) return FAIL;
  return end;
}

/** Scans a string that is not empty. */
function scanName(bytes: Buffer, start: number): number {
  return bytes[start + 1] === scan.QUOTE ? FAIL : scanText(bytes, start);
}

/** Scans a string without escapes. */
function scanPlainText(bytes: Buffer, start: number): number {
  if (bytes[start] !== scan.QUOTE) return FAIL;
  for (let at = start + 1; ; at++) {
    const code = bytes[at] as number;
    if (code === scan.QUOTE) return at + 1;
    if (code === scan.BACKSLASH || !(code >= scan.SPACE)) return FAIL;
  }
}

/** Scans a number, or a string with the form of a number. Long numbers need the exact check. */
function scanNumeric(bytes: Buffer, start: number): number {
  const isQuoted = bytes[start] === scan.QUOTE;
  const from = isQuoted ? start + 1 : start;
  const end = scan.scanDecimal(bytes, from);
  if (end - from > (isQuoted ? MAX_QUOTED_NUMBER : MAX_NUMBER)) return FAIL;
  if (isQuoted) return bytes[end] === scan.QUOTE ? end + 1 : FAIL;
  const first = bytes[start] === scan.MINUS ? start + 1 : start;
  return bytes[first] === scan.ZERO && scan.isDigit(bytes[first + 1]) ? FAIL : end;
}

/** Scans an integer from 0, or a string of digits. */
function scanWhole(bytes: Buffer, start: number): number {
  const isQuoted = bytes[start] === scan.QUOTE;
  const from = isQuoted ? start + 1 : start;
  const end = scan.scanDigits(bytes, from);
  if (end === from || end - from > scan.MAX_WHOLE_DIGITS) return FAIL;
  if (isQuoted) return bytes[end] === scan.QUOTE ? end + 1 : FAIL;
  return bytes[from] === scan.ZERO && end > from + 1 ? FAIL : end;
}

function scanPositive(bytes: Buffer, start: number): number {
  let at = bytes[start] === scan.QUOTE ? start + 1 : start;
  while (bytes[at] === scan.ZERO) at++;
  return scan.isDigit(bytes[at]) ? scanWhole(bytes, start) : FAIL;
}

const scanList: Kind = (bytes, start) => scanItems(bytes, start, scan.OPEN_BRACKET, scan.CLOSE_BRACKET, scanText);

const scanCounts: Kind = (bytes, start) => scanItems(bytes, start, scan.OPEN_BRACE, scan.CLOSE_BRACE, scanCount);

/** Scans an item of `key_value_pairs`. */
function scanCount(bytes: Buffer, start: number, count: number): number {
  const end = scanPlainText(bytes, start);
  if (end === FAIL || scan.isReserved(bytes, start + 1) || !scan.isNewKey(bytes, count, start, end)) return FAIL;
  const colon = scan.skipSpace(bytes, end);
  return bytes[colon] === scan.COLON ? scanWhole(bytes, scan.skipSpace(bytes, colon + 1)) : FAIL;
}

function scanItems(
  bytes: Buffer,
  start: number,
  open: number,
  close: number,
  item: (bytes: Buffer, start: number, count: number) => number,
): number {
  if (bytes[start] !== open) return FAIL;
  let at = scan.skipSpace(bytes, start + 1);
  if (bytes[at] === close) return at + 1;
  for (let count = 0; ; count++) {
    at = item(bytes, at, count);
    if (at === FAIL) return FAIL;
    at = scan.skipSpace(bytes, at);
    if (bytes[at] === close) return at + 1;
    if (bytes[at] !== scan.COMMA) return FAIL;
    at = scan.skipSpace(bytes, at + 1);
  }
}
