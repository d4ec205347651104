// The fast check. The rows of a file look alike, so this learns the shape of each row that the exact check accepts: its
// fixed text, and the kinds of its values. A row with the same fixed text and values of the same kinds is valid, too. It
// is sent without being parsed, so its bytes are unchanged and 64-bit ids stay exact.
import { SEED_RULES } from '../../contract/seed-rules.ts';
import type { RowRules } from './read-row.ts';
import * as scan from './scan.ts';
import { FAIL } from './scan.ts';

/** Returns the offset after a value that is certainly valid, or FAIL for one that needs the exact check. */
type Kind = (bytes: Buffer, start: number) => number;

/** Fixed text, the kind of the value after it, and the steps that may follow. The last step of a row has no value. */
interface Step {
  text: DataView;
  kind: Kind | undefined;
  next: Step[];
}

/** A value of a row, and its range in the bytes. */
interface Value {
  kind: Kind;
  start: number;
  end: number;
}

/** Memory for shapes in bytes, so that a file whose rows all differ cannot fill it, and the part that a step needs. */
const MAX_MEMORY = 8 * 1024 * 1024;
const STEP_MEMORY = 300;
/** With more steps to choose from, a match would take longer than the exact check. */
const MAX_CHOICES = 100;

const FIELDS = ['environment', 'xpid', 'identities', 'calculated_attributes', 'user_attributes'] as const;
/** The beginning of a string, a number or another word, or a bracket. */
const TOKEN = /"|[\w.+-]+|[{}[\]]/g;
/** The kind of a value that is part of the fixed text. */
const FIXED = 'fixed';
/** Number of brackets around an item of a workspace's list. */
const ITEM_DEPTH = 3;
/** Longer numbers need the exact check, because they may be rounded. */
const MAX_NUMBER = 16;
const MAX_QUOTED_NUMBER = 39;

export class RowShapes {
  readonly #first: Step[] = [];
  readonly #fields: ReadonlyMap<string, string>;
  readonly #identities: ReadonlyMap<string, Kind>;
  #memory = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #view = viewOf(this.#bytes);

  constructor({ identityTypes, names: { toWire }, nulls }: Pick<RowRules, 'identityTypes' | 'names' | 'nulls'>) {
    const findNull = scan.createWordFinder(nulls.words);
    const identity: Kind = (bytes, start) => {
      const end = scanPlainText(bytes, start);
      const [first, last] = [start + 1, end - 1];
      return first < last && scan.isUsualIdentity(bytes, first, last) && !findNull(bytes, first, last) ? end : FAIL;
    };
    // A row with other words than the deployment's needs translation, so it has no shape.
    this.#fields = new Map(FIELDS.map((name) => [toWire(name), name]));
    const types = Array.from(identityTypes.words, toWire).filter((type) => toWire(type) === type);
    this.#identities = new Map(types.map((type) => [type, identity]));
  }

  /** True if the row in `bytes` from `start` to `end` has a known shape. */
  matches(bytes: Buffer, start: number, end: number): boolean {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = viewOf(bytes);
    }
    let at = start;
    for (let steps = this.#first; ;) {
      const step = this.#stepAt(steps, at, end);
      if (step === undefined) return false;
      at += step.text.byteLength;
      if (step.kind === undefined) return true;
      at = step.kind(bytes, at);
      if (at === FAIL) return false;
      steps = step.next;
    }
  }

  #stepAt(steps: readonly Step[], at: number, end: number): Step | undefined {
    for (const step of steps) {
      const after = at + step.text.byteLength;
      if ((step.kind ? after < end : after === end) && isSameText(this.#view, at, step.text)) return step;
    }
    return undefined;
  }

  /** Learns the shape of a valid row. Returns false if its shape is unusual, so that it always needs the exact check. */
  learn(bytes: Buffer, start: number, end: number): boolean {
    const values = this.#valuesOf(bytes, start, end) ?? [];
    const last = { kind: undefined, start: end, end };
    let steps: Step[] | undefined = values.length === 0 ? undefined : this.#first;
    let at = start;
    for (const value of [...values, last]) {
      steps &&= this.#addStep(steps, bytes.subarray(at, value.start), value.kind);
      at = value.end;
    }
    return steps !== undefined;
  }

  /** Returns the steps that may follow; undefined if there are too many steps. */
  #addStep(steps: Step[], bytes: Buffer, kind: Kind | undefined): Step[] | undefined {
    const known = steps.find(
      ({ kind: other, text }) =>
        kind === other && text.byteLength === bytes.length && isSameText(viewOf(bytes), 0, text),
    );
    if (known !== undefined) return known.next;
    const memory = this.#memory + bytes.length + STEP_MEMORY;
    if (steps.length >= MAX_CHOICES || memory > MAX_MEMORY) return undefined;
    this.#memory = memory;
    const step: Step = { text: viewOf(Buffer.from(bytes)), kind, next: [] };
    steps.push(step);
    // No value starts with a space, so if several texts match, the longest one is right.
    steps.sort((a, b) => b.text.byteLength - a.text.byteLength);
    return step.next;
  }

  #valuesOf(bytes: Buffer, start: number, end: number): Value[] | undefined {
    const text = bytes.toString('latin1', start, end);
    const values: Value[] = [];
    let [field, key, type] = ['', '', ''];
    let depth = 0;
    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
      const [token] = match;
      const from = start + match.index;
      let content = '';
      if (token === '"') {
        const to = scanText(bytes, from);
        content = text.slice(match.index + 1, to - start - 1);
        TOKEN.lastIndex = to - start;
        if (bytes[scan.skipSpace(bytes, to)] === scan.COLON) {
          key = content;
          if (depth === 1) field = this.#fields.get(key) ?? '';
          continue;
        }
      } else if (token === '}' || token === ']') {
        depth--;
        continue;
      }
      const kind = this.#kindOf(depth, field, key, type);
      if (kind === undefined) return undefined;
      if (kind !== FIXED) {
        const to = kind(bytes, from);
        if (to === FAIL) return undefined;
        values.push({ kind, start: from, end: to });
        TOKEN.lastIndex = to - start;
      } else if (token === '{' || token === '[') {
        // Each item has its own type.
        if (depth === ITEM_DEPTH) type = '';
        depth++;
      } else if (key === 'calculation_type') type = content;
    }
    return values;
  }

  /** Returns the kind of a value in a valid row; undefined if only the exact check can check it. */
  #kindOf(depth: number, field: string, key: string, type: string): Kind | typeof FIXED | undefined {
    if (depth === 1) return field === 'xpid' ? scan.scanLong : field === '' ? undefined : FIXED;
    if (depth === 2 && field === 'identities') return this.#identities.get(key);
    if (depth <= ITEM_DEPTH) return FIXED;
    const rule = Object.hasOwn(SEED_RULES, type) ? SEED_RULES[type as keyof typeof SEED_RULES] : undefined;
    switch (key) {
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
      default:
        return FIXED;
    }
  }
}

/** Content of each seed that is a single value (specification, E, the table of seeds). */
const VALUES: Record<'number' | 'whole-number' | 'milliseconds' | 'anything', Kind> = {
  number: scanNumeric,
  'whole-number': scanWhole,
  milliseconds: scanWhole,
  anything: (bytes, start) => (bytes[start] === scan.QUOTE ? scanText : scanNumeric)(bytes, start),
};

function viewOf({ buffer, byteLength, byteOffset }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Compares four bytes at a time. */
function isSameText(view: DataView, start: number, text: DataView): boolean {
  const length = text.byteLength;
  let at = 0;
  for (; at + 4 <= length; at += 4) if (view.getInt32(start + at) !== text.getInt32(at)) return false;
  for (; at < length; at++) if (view.getInt8(start + at) !== text.getInt8(at)) return false;
  return true;
}

function scanText(bytes: Buffer, start: number): number {
  if (bytes[start] !== scan.QUOTE) return FAIL;
  for (let at = start + 1; ; at++) {
    const code = bytes[at] as number;
    if (code === scan.QUOTE) return at + 1;
    if (code === scan.BACKSLASH) {
      const escape = /^(?:["\\/bfnrt]|u[\da-fA-F]{4})/.exec(bytes.toString('latin1', at + 1, at + 6));
      if (escape === null) return FAIL;
      at += escape[0].length;
    } else if (!(code >= scan.SPACE)) return FAIL;
  }
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
