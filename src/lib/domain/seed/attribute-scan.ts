// The part of the byte check that concerns one attribute: its name, type, date and seed (specification, E, CASeed).
import { SEED_RULES } from '../../contract/seed-rules.ts';
import type { CalculationType } from '../../contract/seeding.ts';
import { isCalendarDay } from '../../kernel/timestamps.ts';
import {
  afterItem,
  CLOSE_BRACE,
  COMMA,
  FAIL,
  isNewKey,
  OPEN_BRACE,
  QUOTE,
  scanColon,
  scanItems,
  scanNumber,
  scanNumeric,
  scanPlainKey,
  scanString,
  scanWhole,
  skipSpace,
  standsAt,
  word,
} from './scan.ts';

const ATTRIBUTE_NAME = word('attribute_name');
const CALCULATION_TYPE = word('calculation_type');
const CUTOFF_DATE = word('cutoff_date');
const SEED = word('seed');
const FORMS = { value: word('value'), key_value_pairs: word('key_value_pairs'), list: word('list') };
const SUM = word('sum');
const COUNT = word('count');
const DATE_LENGTH = '"2026-01-31"'.length;

type Rule = (typeof SEED_RULES)[CalculationType];

/** Calculation types by the length of their word with its quotes. */
const TYPES: { text: Uint8Array; rule: Rule }[][] = [];
for (const [type, rule] of Object.entries(SEED_RULES)) {
  const text = word(type);
  (TYPES[text.length] ??= []).push({ text, rule });
}

/** One element of a workspace's list. */
export function scanAttribute(bytes: Buffer, start: number): number {
  if (bytes[start] !== OPEN_BRACE) return FAIL;
  let at = skipSpace(bytes, start + 1);
  let rule: Rule | undefined;
  // attribute_name 1, calculation_type 2, cutoff_date 4, seed 8
  for (let seen = 0; ;) {
    let field: number;
    if (standsAt(bytes, at, ATTRIBUTE_NAME)) {
      field = 1;
      const value = scanColon(bytes, at + ATTRIBUTE_NAME.length);
      at = value === FAIL ? FAIL : scanString(bytes, value);
      if (at === value + 2) return FAIL;
    } else if (standsAt(bytes, at, CALCULATION_TYPE)) {
      field = 2;
      const value = scanColon(bytes, at + CALCULATION_TYPE.length);
      at = value === FAIL ? FAIL : scanPlainKey(bytes, value);
      if (at === FAIL) return FAIL;
      rule = ruleAt(bytes, value, at);
      if (rule === undefined) return FAIL;
    } else if (standsAt(bytes, at, CUTOFF_DATE)) {
      field = 4;
      at = scanColon(bytes, at + CUTOFF_DATE.length);
      at = at === FAIL ? FAIL : scanDate(bytes, at);
    } else if (standsAt(bytes, at, SEED)) {
      field = 8;
      at = scanColon(bytes, at + SEED.length);
      // Before its type is known a seed cannot be judged in one walk.
      if (at === FAIL || rule === undefined) return FAIL;
      at = openSeed(bytes, at, rule);
      if (at === FAIL) return FAIL;
      at = scanForm(bytes, at, rule);
      if (at === FAIL) return FAIL;
      at = skipSpace(bytes, at);
      if (bytes[at] !== CLOSE_BRACE) return FAIL;
      at++;
    } else return FAIL;
    if (at === FAIL || (seen & field) !== 0) return FAIL;
    seen |= field;
    at = afterItem(bytes, at);
    if (bytes[at] !== COMMA) return seen === 15 && bytes[at] === CLOSE_BRACE ? at + 1 : FAIL;
    at = skipSpace(bytes, at + 1);
  }
}

function ruleAt(bytes: Buffer, start: number, end: number): Rule | undefined {
  const candidates = TYPES[end - start];
  if (candidates === undefined) return undefined;
  for (const { text, rule } of candidates) if (standsAt(bytes, start, text)) return rule;
  return undefined;
}

function scanDate(bytes: Buffer, start: number): number {
  const end = start + DATE_LENGTH;
  if (bytes[start] !== QUOTE || bytes[end - 1] !== QUOTE) return FAIL;
  for (let at = start + 1; at < end - 1; at++) {
    const code = bytes[at] as number;
    const separator = at === start + 5 || at === start + 8;
    if (separator ? code !== 0x2d : code < 0x30 || code > 0x39) return FAIL;
  }
  const year = twoDigits(bytes, start + 1) * 100 + twoDigits(bytes, start + 3);
  return isCalendarDay(year, twoDigits(bytes, start + 6), twoDigits(bytes, start + 9)) ? end : FAIL;
}

function twoDigits(bytes: Buffer, at: number): number {
  return ((bytes[at] as number) - 0x30) * 10 + (bytes[at + 1] as number) - 0x30;
}

/** `{form:`, with the one form that the rule asks for: at its value. */
function openSeed(bytes: Buffer, start: number, rule: Rule): number {
  if (bytes[start] !== OPEN_BRACE) return FAIL;
  const at = skipSpace(bytes, start + 1);
  const form = FORMS[rule.form];
  return standsAt(bytes, at, form) ? scanColon(bytes, at + form.length) : FAIL;
}

function scanForm(bytes: Buffer, at: number, rule: Rule): number {
  switch (rule.form) {
    case 'value':
      return scanValue(bytes, at, rule.holds);
    case 'list':
      return scanItems(bytes, at, scanString);
    case 'key_value_pairs':
      return rule.pairs === 'average' ? scanAverage(bytes, at) : scanCounts(bytes, at);
  }
}

function scanValue(bytes: Buffer, at: number, holds: (Rule & { form: 'value' })['holds']): number {
  switch (holds) {
    case 'number':
      return scanNumeric(bytes, at);
    case 'whole-number':
    case 'milliseconds':
      return scanWhole(bytes, at, 0);
    case 'anything':
      return bytes[at] === QUOTE ? scanString(bytes, at) : scanNumber(bytes, at);
  }
}

function scanAverage(bytes: Buffer, start: number): number {
  if (bytes[start] !== OPEN_BRACE) return FAIL;
  let at = skipSpace(bytes, start + 1);
  for (let seen = 0; ;) {
    const isSum = standsAt(bytes, at, SUM);
    if (!isSum && !standsAt(bytes, at, COUNT)) return FAIL;
    const field = isSum ? 1 : 2;
    if ((seen & field) !== 0) return FAIL;
    seen |= field;
    at = scanColon(bytes, at + (isSum ? SUM.length : COUNT.length));
    if (at === FAIL) return FAIL;
    at = isSum ? scanNumeric(bytes, at) : scanWhole(bytes, at, 1);
    if (at === FAIL) return FAIL;
    at = afterItem(bytes, at);
    if (bytes[at] !== COMMA) return seen === 3 && bytes[at] === CLOSE_BRACE ? at + 1 : FAIL;
    at = skipSpace(bytes, at + 1);
  }
}

function scanCounts(bytes: Buffer, start: number): number {
  if (bytes[start] !== OPEN_BRACE) return FAIL;
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === CLOSE_BRACE) return at + 1;
  for (let count = 0; ; count++) {
    const key = at;
    at = scanPlainKey(bytes, at);
    if (at === FAIL || !isNewKey(bytes, count, key, at)) return FAIL;
    at = scanColon(bytes, at);
    at = at === FAIL ? FAIL : scanWhole(bytes, at, 0);
    if (at === FAIL) return FAIL;
    at = afterItem(bytes, at);
    if (bytes[at] !== COMMA) return bytes[at] === CLOSE_BRACE ? at + 1 : FAIL;
    at = skipSpace(bytes, at + 1);
  }
}
