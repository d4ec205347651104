// The part of the byte check that concerns one attribute: its name, type, date and seed (specification, E, CASeed).
import { SEED_RULES } from '../../contract/seed-rules.ts';
import type { CalculationType } from '../../contract/seeding.ts';
import { isCalendarDay } from '../../kernel/timestamps.ts';
import {
  FAIL,
  type Field,
  fieldOf,
  QUOTE,
  scanFields,
  scanItems,
  scanMembers,
  scanName,
  scanNumber,
  scanNumeric,
  scanPlainKey,
  scanString,
  scanWhole,
  matchesAt,
  word,
} from './scan.ts';

const DATE_LENGTH = '"2026-01-31"'.length;
const AVERAGE = [fieldOf('sum', scanNumeric), fieldOf('count', (bytes, at) => scanWhole(bytes, at, 1))];

/** The only field that the seed of a type has. */
function seedOf(rule: (typeof SEED_RULES)[CalculationType]): Field {
  switch (rule.form) {
    case 'value':
      return fieldOf(
        rule.form,
        rule.holds === 'number' ? scanNumeric : rule.holds === 'anything' ? scanText : scanCount,
      );
    case 'list':
      return fieldOf(rule.form, (bytes, at) => scanItems(bytes, at, scanString));
    case 'key_value_pairs':
      return fieldOf(rule.form, rule.pairs === 'average' ? scanAverage : scanCounts);
  }
}

interface SeedType {
  text: Uint8Array;
  seed: readonly Field[];
}

/** Calculation types by the length of their word with its quotes. */
const TYPES: SeedType[][] = [];
for (const [type, rule] of Object.entries(SEED_RULES)) {
  const text = word(type);
  (TYPES[text.length] ??= []).push({ text, seed: [seedOf(rule)] });
}

/** The type of the current attribute. */
let current: SeedType | undefined;

const ATTRIBUTE = [
  fieldOf('attribute_name', scanName),
  fieldOf('calculation_type', scanType),
  fieldOf('cutoff_date', scanDate),
  // A seed before its type is left to the exact check.
  fieldOf('seed', (bytes, at) => (current === undefined ? FAIL : scanFields(bytes, at, current.seed, 1))),
];

/** One element of a workspace's list. */
export function scanAttribute(bytes: Buffer, start: number): number {
  current = undefined;
  return scanFields(bytes, start, ATTRIBUTE, 0b1111);
}

function scanType(bytes: Buffer, start: number): number {
  const end = scanPlainKey(bytes, start);
  const candidates = end === FAIL ? undefined : TYPES[end - start];
  current = candidates?.find(({ text }) => matchesAt(bytes, start, text));
  return current === undefined ? FAIL : end;
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

function scanText(bytes: Buffer, at: number): number {
  return bytes[at] === QUOTE ? scanString(bytes, at) : scanNumber(bytes, at);
}

function scanCount(bytes: Buffer, at: number): number {
  return scanWhole(bytes, at, 0);
}

function scanAverage(bytes: Buffer, at: number): number {
  return scanFields(bytes, at, AVERAGE, 0b11);
}

function scanCounts(bytes: Buffer, at: number): number {
  return scanMembers(bytes, at, (_bytes, _key, _end, value) => scanWhole(bytes, value, 0));
}
