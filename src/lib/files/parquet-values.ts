// Exact values of a Parquet file: decimals and 64-bit integers keep their digits, dates and times become ISO 8601, and
// bytes become text only if they are UTF-8. The reader itself rounds, truncates and replaces.
import type { FileMetaData, ParquetParsers, SchemaElement, SchemaTree } from 'hyparquet';
import { JsonError, parseJson } from '../kernel/json.ts';

/** Why a cell has no exact value. */
export interface CellFault {
  column: string;
  message: string;
}

type Row = Record<string, unknown>;
type Report = (message: string) => void;
/** Turns what the reader returns for one value into the exact value; reports a value that has none. */
type Convert = (value: unknown, report: Report) => unknown;

export interface ExactValues {
  /** The schema without the annotations that make the reader convert values itself. */
  metadata: FileMetaData;
  parsers: Partial<ParquetParsers>;
  /** Converts the rows in place and returns the faults by row. */
  convert(rows: readonly Row[]): ReadonlyMap<number, CellFault[]>;
}

/** `root` is the schema of the file as a tree; its elements are those of `metadata`. */
export function createExactValues(metadata: FileMetaData, root: SchemaTree): ExactValues {
  const prepared = new Map<SchemaElement, SchemaElement>();
  for (const leaf of leavesOf(root)) prepared.set(leaf, prepare(leaf));
  const columns = root.children.flatMap((node) => {
    const convert = converterOf(node);
    const isText = node.children.length === 0 && isTextLeaf(node.element);
    return convert === undefined ? [] : [{ name: node.element.name, convert, isText }];
  });
  /** Whether any text since the last `convert` was not UTF-8; if none was, texts need no second look. */
  let hasBadText = false;

  function textOf(bytes: Uint8Array | undefined): string | symbol | undefined {
    if (bytes === undefined) return undefined;
    const text = strictText(bytes);
    if (text !== undefined) return text;
    hasBadText = true;
    // A symbol stays recognizable even where the reader makes it a key of a map.
    return Symbol(shown(bytes));
  }

  return {
    metadata: { ...metadata, schema: metadata.schema.map((element) => prepared.get(element) ?? element) },
    parsers: {
      stringFromBytes: textOf,
      jsonFromBytes: (bytes) => jsonOf(textOf(bytes)),
      timestampFromNanoseconds: same,
    },
    convert: (rows) => {
      const faults = new Map<number, CellFault[]>();
      for (const { name, convert, isText } of columns) {
        if (isText && !hasBadText) continue;
        for (const [index, row] of rows.entries()) {
          row[name] = convert(row[name], (message) => {
            faults.set(index, [...(faults.get(index) ?? []), { column: name, message }]);
          });
        }
      }
      hasBadText = false;
      return faults;
    },
  };
}

/** The leaves that are converted here; a VARIANT describes its own types. */
function leavesOf({ children, element }: SchemaTree): SchemaElement[] {
  if (element.logical_type?.type === 'VARIANT') return [];
  return children.length === 0 ? [element] : children.flatMap(leavesOf);
}

/** The element as the reader is given it: decimals and times as plain integers or bytes, any other bytes as text. */
function prepare(element: SchemaElement): SchemaElement {
  const { converted_type: _converted, logical_type: _logical, ...plain } = element;
  if (decimalScale(element) !== undefined || timeOf(element) !== undefined || isDate(element)) return plain;
  return isTextLeaf(element) ? { ...plain, converted_type: 'UTF8' } : element;
}

const BINARY_TYPES: ReadonlySet<string | undefined> = new Set(['JSON', 'BSON', 'GEOMETRY', 'GEOGRAPHY']);

function isTextLeaf(element: SchemaElement): boolean {
  const { type, converted_type, logical_type } = element;
  if (type !== 'BYTE_ARRAY' || decimalScale(element) !== undefined) return false;
  return !BINARY_TYPES.has(converted_type) && !BINARY_TYPES.has(logical_type?.type);
}

function decimalScale({ converted_type, logical_type, scale }: SchemaElement): number | undefined {
  if (logical_type?.type === 'DECIMAL') return logical_type.scale;
  return converted_type === 'DECIMAL' ? (scale ?? 0) : undefined;
}

function isDate({ converted_type, logical_type }: SchemaElement): boolean {
  return converted_type === 'DATE' || logical_type?.type === 'DATE';
}

type TimeUnit = 'MILLIS' | 'MICROS' | 'NANOS';

/** What the integers of a TIMESTAMP (since 1970) or a TIME (since midnight) count; `zone` is `Z` or empty for local time. */
interface TimeKind {
  kind: 'timestamp' | 'time';
  unit: TimeUnit;
  zone: '' | 'Z';
}

const CONVERTED_TIMES: Readonly<Partial<Record<string, TimeKind>>> = {
  TIMESTAMP_MILLIS: { kind: 'timestamp', unit: 'MILLIS', zone: 'Z' },
  TIMESTAMP_MICROS: { kind: 'timestamp', unit: 'MICROS', zone: 'Z' },
  TIME_MILLIS: { kind: 'time', unit: 'MILLIS', zone: 'Z' },
  TIME_MICROS: { kind: 'time', unit: 'MICROS', zone: 'Z' },
};

function timeOf({ converted_type, logical_type: logical }: SchemaElement): TimeKind | undefined {
  if (logical?.type === 'TIMESTAMP' || logical?.type === 'TIME') {
    const kind = logical.type === 'TIME' ? 'time' : 'timestamp';
    return { kind, unit: logical.unit, zone: logical.isAdjustedToUTC ? 'Z' : '' };
  }
  return CONVERTED_TIMES[converted_type ?? ''];
}

/** Undefined where the reader's values are exact as they are. */
function converterOf(node: SchemaTree): Convert | undefined {
  const convert = node.children.length === 0 ? leafConverter(node.element) : groupConverter(node);
  return convert && node.element.repetition_type === 'REPEATED' ? listConverter(convert) : convert;
}

function groupConverter({ element, children }: SchemaTree): Convert | undefined {
  const [only] = children;
  if (element.logical_type?.type === 'VARIANT') return undefined;
  if (element.converted_type === 'LIST' && only?.element.repetition_type === 'REPEATED' && only.children.length < 2) {
    const [item] = only.children;
    if (item !== undefined) {
      const convert = converterOf(item);
      return convert && listConverter(convert);
    }
    return converterOf(only);
  }
  if (element.converted_type === 'MAP' && only?.children.length === 2) return mapConverter(only);
  const fields = children.flatMap((child): [string, Convert][] => {
    const convert = converterOf(child);
    return convert === undefined ? [] : [[child.element.name, convert]];
  });
  if (fields.length === 0) return undefined;
  return (value, report) => {
    if (!isObject(value)) return value;
    const converted = { ...value };
    for (const [name, convert] of fields) converted[name] = convert(value[name], report);
    return converted;
  };
}

function mapConverter({ children: [key, item] }: SchemaTree): Convert {
  const convert = item && converterOf(item);
  const hasPlainKeys = key !== undefined && (isTextLeaf(key.element) || leafConverter(key.element) === undefined);
  return (value, report) => {
    if (!isObject(value)) return value;
    for (const symbol of Object.getOwnPropertySymbols(value)) report(notUtf8(symbol.description));
    if (!hasPlainKeys) report('has keys that are neither texts nor integers');
    if (convert === undefined) return value;
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, convert(entry, report)]));
  };
}

function listConverter(convert: Convert): Convert {
  return (value, report) => (Array.isArray(value) ? value.map((item) => convert(item, report)) : value);
}

function leafConverter(element: SchemaElement): Convert | undefined {
  const { type, converted_type, logical_type } = element;
  const scale = decimalScale(element);
  if (scale !== undefined) return present((value) => decimalOf(value as number, scale));
  const time = timeOf(element);
  if (time !== undefined) return present((value, report) => timeText(BigInt(value as number), time, report));
  if (isDate(element)) return present((value, report) => dateText(value as number, report));
  if (type === 'INT96') {
    return present((value, report) =>
      timeText(value as bigint, { kind: 'timestamp', unit: 'NANOS', zone: 'Z' }, report),
    );
  }
  if (converted_type === 'UINT_64' || (logical_type?.type === 'INTEGER' && isUnsignedLong(logical_type))) {
    return present((value) => BigInt.asUintN(64, value as bigint));
  }
  if (isTextLeaf(element) || converted_type === 'JSON' || logical_type?.type === 'JSON') {
    return (value, report) => (typeof value === 'symbol' ? unreadable(value.description, report) : value);
  }
  if (type !== 'FIXED_LEN_BYTE_ARRAY' || logical_type !== undefined) return undefined;
  return present((value, report) => strictText(value as Uint8Array) ?? unreadable(shown(value as Uint8Array), report));
}

function isUnsignedLong({ bitWidth, isSigned }: { bitWidth: number; isSigned: boolean }): boolean {
  return bitWidth === 64 && !isSigned;
}

/** Null stays null. */
function present(convert: Convert): Convert {
  return (value, report) => (value === null || value === undefined ? value : convert(value, report));
}

/** An integer for scale 0, else the decimal text with all its digits. */
function decimalOf(value: number | bigint | Uint8Array, scale: number): bigint | string {
  const unscaled = value instanceof Uint8Array ? bigEndian(value) : BigInt(value);
  if (scale <= 0) return unscaled * 10n ** BigInt(-scale);
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Two's complement. */
function bigEndian(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex(bytes)}`));
}

const UNITS = {
  MILLIS: { perSecond: 1_000n, digits: 3 },
  MICROS: { perSecond: 1_000_000n, digits: 6 },
  NANOS: { perSecond: 1_000_000_000n, digits: 9 },
} as const;

/** `2026-01-31T12:00:00.123Z`; microseconds and nanoseconds appear only where they are not zero. */
function timeText(value: bigint, { kind, unit, zone }: TimeKind, report: Report): string {
  const { perSecond, digits } = UNITS[unit];
  const fraction = ((value % perSecond) + perSecond) % perSecond;
  const whole = isoOf(Number((value - fraction) / perSecond) * 1000);
  if (whole === undefined) return outOfRange(value, report);
  let text = String(fraction).padStart(digits, '0');
  while (text.length > 3 && text.endsWith('000')) text = text.slice(0, -3);
  const seconds = whole.slice(kind === 'time' ? whole.indexOf('T') + 1 : 0, whole.indexOf('.'));
  return `${seconds}.${text}${zone}`;
}

function dateText(days: number, report: Report): string {
  const whole = isoOf(days * 86_400_000);
  return whole === undefined ? outOfRange(BigInt(days), report) : whole.slice(0, whole.indexOf('T'));
}

function isoOf(ms: number): string | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function outOfRange(value: bigint, report: Report): string {
  report(`is beyond every calendar date (${value})`);
  return String(value);
}

function unreadable(text = '', report: Report): string {
  report(notUtf8(text));
  return text;
}

function notUtf8(text = ''): string {
  return `is not UTF-8 (${text})`;
}

// A byte-order mark belongs to the text: without it, two different texts would become one.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function strictText(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Numbers stay exact. Text that is not JSON stays text: whether that is allowed depends on the column. */
function jsonOf(text: string | symbol | undefined): unknown {
  if (typeof text !== 'string') return text;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return text;
    throw error;
  }
}

const SHOWN_BYTES = 16;

/** The bytes as hexadecimal digits, the first of many. */
function shown(bytes: Uint8Array): string {
  return `0x${hex(bytes.subarray(0, SHOWN_BYTES))}${bytes.length > SHOWN_BYTES ? '…' : ''}`;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function same(value: bigint): bigint {
  return value;
}
