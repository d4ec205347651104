// Reads Parquet values without losing precision. Decimals and 64-bit integers keep their digits, dates and times become
// ISO 8601, and bytes become text only if they are UTF-8.
import { isUtf8 } from 'node:buffer';
import type { SchemaElement } from 'hyparquet';
import { parseFloat16 } from 'hyparquet/src/convert.js';
import { tryJson } from '../kernel/json.ts';
import type { Raw } from './parquet-chunk.ts';

/** A stored value that has no exact conversion; `text` is shown instead. */
export class BadValue {
  readonly message: string;
  readonly text: string;
  constructor(message: string, text: string) {
    this.message = message;
    this.text = text;
  }
}

type Convert = (raw: Raw) => unknown;

/** Types whose values cannot be used in a row. */
const UNREADABLE: ReadonlySet<string> = new Set(['BSON', 'GEOMETRY', 'GEOGRAPHY', 'INTERVAL']);

/** Returns a function that converts a stored value to an exact value or a BadValue. Throws for an unsupported type. */
export function leafConverter(element: SchemaElement): Convert {
  const { type, converted_type, logical_type } = element;
  const kind = logical_type?.type ?? converted_type ?? '';
  if (UNREADABLE.has(kind)) throw new Error(kind);
  const scale = decimalScale(element);
  if (scale !== undefined) return (raw) => decimalOf(raw as number, scale);
  const time = timeOf(element);
  if (time !== undefined) return (raw) => timeText(BigInt(raw as number), time);
  if (kind === 'DATE') return (raw) => dateText(raw as number);
  if (type === 'INT96') return (raw) => timeText(int96Nanoseconds(raw as bigint), NANOSECONDS_UTC);
  if (isUnsigned(element)) return (raw) => (typeof raw === 'bigint' ? BigInt.asUintN(64, raw) : (raw as number) >>> 0);
  if (type === 'FLOAT') return (raw) => shortestOf(raw as number);
  if (kind === 'FLOAT16') return (raw) => parseFloat16(raw as Buffer);
  if (kind === 'UUID')
    return (raw) => (raw as Buffer).toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  if (kind === 'JSON') return (raw) => jsonOf(textOf(raw as Buffer));
  return type === 'BYTE_ARRAY' || type === 'FIXED_LEN_BYTE_ARRAY' ? (raw) => textOf(raw as Buffer) : (raw) => raw;
}

function isUnsigned({ converted_type, logical_type }: SchemaElement): boolean {
  return logical_type?.type === 'INTEGER' ? !logical_type.isSigned : (converted_type ?? '').startsWith('UINT_');
}

function decimalScale({ converted_type, logical_type, scale }: SchemaElement): number | undefined {
  if (logical_type?.type === 'DECIMAL') return logical_type.scale;
  return converted_type === 'DECIMAL' ? (scale ?? 0) : undefined;
}

/** The unit of a TIMESTAMP (since 1970) or a TIME (since midnight). `zone` is `Z`, or empty for local time. */
interface TimeKind {
  type: 'TIMESTAMP' | 'TIME';
  unit: keyof typeof UNITS;
  zone: '' | 'Z';
}

const NANOSECONDS_UTC: TimeKind = { type: 'TIMESTAMP', unit: 'NANOS', zone: 'Z' };

/** Returns nanoseconds since 1970. The lower 64 bits contain the time of day, and the upper bits the Julian day. */
function int96Nanoseconds(value: bigint): bigint {
  return ((value >> 64n) - 2_440_588n) * 86_400_000_000_000n + BigInt.asUintN(64, value);
}

function timeOf({ converted_type, logical_type: logical }: SchemaElement): TimeKind | undefined {
  if (logical?.type === 'TIMESTAMP' || logical?.type === 'TIME')
    return { type: logical.type, unit: logical.unit, zone: logical.isAdjustedToUTC ? 'Z' : '' };
  const [, type, unit] = /^(TIMESTAMP|TIME)_(MILLIS|MICROS)$/.exec(converted_type ?? '') ?? [];
  return type === undefined ? undefined : ({ type, unit, zone: 'Z' } as TimeKind);
}

/** Returns an integer for a scale of 0 or less; otherwise decimal text with all digits. */
function decimalOf(value: number | bigint | Buffer, scale: number): bigint | string {
  const unscaled = typeof value === 'object' ? bigEndian(value) : BigInt(value);
  if (scale <= 0) return unscaled * 10n ** BigInt(-scale);
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Two's complement. */
function bigEndian(bytes: Buffer): bigint {
  if (bytes.length === 0) return 0n;
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`));
}

const UNITS = {
  MILLIS: { perSecond: 1_000n, digits: 3 },
  MICROS: { perSecond: 1_000_000n, digits: 6 },
  NANOS: { perSecond: 1_000_000_000n, digits: 9 },
} as const;

/** Returns text such as `2026-01-31T12:00:00.123Z`. Microseconds and nanoseconds appear only if they are not zero. */
function timeText(value: bigint, { type, unit, zone }: TimeKind): string | BadValue {
  const { perSecond, digits } = UNITS[unit];
  const fraction = ((value % perSecond) + perSecond) % perSecond;
  const whole = isoOf(Number((value - fraction) / perSecond) * 1000);
  if (whole === undefined) return outOfRange(value);
  let text = String(fraction).padStart(digits, '0');
  while (text.length > 3 && text.endsWith('000')) text = text.slice(0, -3);
  const seconds = whole.slice(type === 'TIME' ? whole.indexOf('T') + 1 : 0, whole.indexOf('.'));
  return `${seconds}.${text}${zone}`;
}

function dateText(days: number): string | BadValue {
  const whole = isoOf(days * 86_400_000);
  return whole === undefined ? outOfRange(BigInt(days)) : whole.slice(0, whole.indexOf('T'));
}

function isoOf(ms: number): string | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

const outOfRange = (value: bigint): BadValue => new BadValue(`is out of range for a date (${value})`, String(value));

/** Returns the shortest fraction that a 32-bit float stores as `raw`: 0.1 instead of 0.10000000149011612. */
function shortestOf(raw: number): number {
  for (let digits = 6; digits < 10 && !Number.isInteger(raw); digits++) {
    const short = Number(raw.toPrecision(digits));
    if (Math.fround(short) === raw) return short;
  }
  return raw;
}

const REPLACEMENT = '\ufffd';

/** Keeps a byte order mark: without it, two different strings would become equal. */
function textOf(bytes: Buffer): string | BadValue {
  const text = bytes.toString('utf8');
  // A replacement character indicates invalid UTF-8, unless the stored text itself contains the character.
  if (!text.includes(REPLACEMENT) || isUtf8(bytes)) return text;
  return new BadValue(`is not UTF-8 (${shown(bytes)})`, shown(bytes));
}

/** Parses JSON with exact numbers. Any other text remains a string; the column determines whether that is allowed. */
function jsonOf(text: string | BadValue): unknown {
  if (typeof text !== 'string') return text;
  const value = tryJson(text);
  return value === undefined ? text : value;
}

const SHOWN_BYTES = 16;

/** Returns the first bytes as hexadecimal digits. */
function shown(bytes: Buffer): string {
  return `0x${bytes.toString('hex', 0, SHOWN_BYTES)}${bytes.length > SHOWN_BYTES ? '…' : ''}`;
}
