// The fast check. The rows of a file look alike, so this learns the shape of each row that the exact check accepts: its
// fixed text, and the kinds of its values. A row with the same fixed text and values of the same kinds is valid, too. It
// is sent without being parsed, so its bytes are unchanged and 64-bit ids stay exact.
import type { RowRules } from './read-row.ts';
import { attributeKind, createIdentityKind, FIXED, type Kind, scanText } from './row-values.ts';
import * as scan from './scan.ts';
import { FAIL } from './scan.ts';

/** Fixed text, the kind of the value after it, and the steps that may follow. The last step of a row has no value. */
interface Step {
  text: DataView;
  kind: Kind | undefined;
  next: Step[];
}

/** A value of a row, its range in the bytes, and the state after it. */
interface Value {
  kind: Kind;
  start: number;
  end: number;
  state: string;
}

/** Memory for shapes in bytes, so that a file whose rows all differ cannot fill it, and the part that a step needs. */
const MAX_MEMORY = 8 * 1024 * 1024;
const STEP_MEMORY = 300;
/** With more steps to choose from, a match would take longer than the exact check. */
const MAX_CHOICES = 100;

const FIELDS = ['environment', 'xpid', 'identities', 'calculated_attributes', 'user_attributes'] as const;
/** The beginning of a string, a number or another word, or a bracket. */
const TOKEN = /"|[\w.+-]+|[{}[\]]/g;
/** Number of brackets around a field of a row, a workspace's list, and an item of the list. */
const [FIELD_DEPTH, LIST_DEPTH, ITEM_DEPTH] = [1, 2, 3];
/** Represents a value in a state, because no row contains this character. */
const ANY = '\0';

export class RowShapes {
  readonly #first: Step[] = [];
  /** The steps that may follow each state. */
  readonly #states = new Map<string, Step[]>();
  readonly #fields: ReadonlyMap<string, string>;
  readonly #identities: ReadonlyMap<string, Kind>;
  #memory = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #view = viewOf(this.#bytes);

  constructor({ identityTypes, names: { toWire }, nulls }: Pick<RowRules, 'identityTypes' | 'names' | 'nulls'>) {
    const identity = createIdentityKind(nulls);
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

  /**
   * Learns the shape of a row that the exact check accepts. Returns false if only the exact check can write the row, or
   * if its shape is unusual.
   */
  learn(bytes: Buffer, start: number, end: number): boolean {
    const values = this.#valuesOf(bytes, start, end) ?? [];
    const last = { kind: undefined, start: end, end, state: '' };
    let steps: Step[] | undefined = values.length === 0 ? undefined : this.#first;
    let at = start;
    for (const { kind, state, ...value } of [...values, last]) {
      steps &&= this.#addStep(steps, bytes.subarray(at, value.start), kind, state);
      at = value.end;
    }
    return steps !== undefined;
  }

  /** Returns the steps that may follow; undefined if there are too many steps. */
  #addStep(steps: Step[], bytes: Buffer, kind: Kind | undefined, state: string): Step[] | undefined {
    const known = steps.find(
      ({ kind: other, text }) =>
        kind === other && text.byteLength === bytes.length && isSameText(viewOf(bytes), 0, text),
    );
    if (known !== undefined) return known.next;
    const memory = this.#memory + bytes.length + state.length + STEP_MEMORY;
    if (steps.length >= MAX_CHOICES || memory > MAX_MEMORY) return undefined;
    this.#memory = memory;
    const next = this.#states.get(state) ?? [];
    this.#states.set(state, next);
    steps.push({ text: viewOf(Buffer.from(bytes)), kind, next });
    // No value starts with a space, so if several texts match, the longest one is right.
    steps.sort((a, b) => b.text.byteLength - a.text.byteLength);
    return next;
  }

  /** Returns the values of a valid row; undefined if the row always needs the exact check. */
  #valuesOf(bytes: Buffer, start: number, end: number): Value[] | undefined {
    // The exact check removes a byte order mark, which a row has if files with marks were joined.
    if (bytes[start] !== scan.OPEN_BRACE) return undefined;
    const text = bytes.toString('latin1', start, end);
    const values: Value[] = [];
    const prefix = new Prefix(text);
    let [field, key, type] = ['', '', ''];

    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
      const [token] = match;
      const { index } = match;
      let content = '';
      if (token === '"') {
        const to = scanText(bytes, start + index);
        content = text.slice(index + 1, to - start - 1);
        TOKEN.lastIndex = to - start;
        if (bytes[scan.skipSpace(bytes, to)] === scan.COLON) {
          key = content;
          if (prefix.depth === FIELD_DEPTH) field = this.#fields.get(key) ?? '';
          continue;
        }
      } else if (token === '}' || token === ']') {
        prefix.close(index);
        continue;
      }
      const kind = prefix.depth > ITEM_DEPTH ? attributeKind(key, type) : this.#kindOf(prefix.depth, field, key);
      if (kind === undefined) return undefined;
      if (kind !== FIXED) {
        const to = kind(bytes, start + index);
        if (to === FAIL) return undefined;
        TOKEN.lastIndex = to - start;
        values.push({ kind, start: start + index, end: to, state: prefix.skip(index, to - start) });
      } else if (token === '{' || token === '[') {
        // Each item has its own type.
        if (prefix.depth === ITEM_DEPTH) type = '';
        prefix.open(index);
      } else if (key === 'calculation_type') type = content;
    }
    return values;
  }

  /** Returns the kind of a value outside attributes; undefined if only the exact check can check the value. */
  #kindOf(depth: number, field: string, key: string): Kind | typeof FIXED | undefined {
    if (depth === FIELD_DEPTH) return field === 'xpid' ? scan.scanLong : field === '' ? undefined : FIXED;
    return depth === LIST_DEPTH && field === 'identities' ? this.#identities.get(key) : FIXED;
  }
}

/**
 * The part of a row before a place. Its state is the text without anything that has no effect on the rest of the row:
 * values, complete items of a list, and the content of complete fields. So few shapes are needed if each user has other
 * attributes.
 */
class Prefix {
  depth = 0;
  readonly #text: string;
  /** The state at the offset `#end`. */
  #state = '';
  #end = 0;
  /** The states after the brackets that are open. */
  readonly #open: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Passes a value. Returns the state after it. */
  skip(start: number, end: number): string {
    this.#set(this.#at(start) + ANY, end);
    return this.#state;
  }

  open(at: number): void {
    if (this.depth === ITEM_DEPTH) this.#set(this.#open[LIST_DEPTH] ?? '', at);
    this.#open[this.depth++] = this.#at(at + 1);
  }

  close(at: number): void {
    const before = this.#open[--this.depth] ?? '';
    if (this.depth === LIST_DEPTH) this.#set(before, at);
    // Empty identities differ from others, because they name no user.
    else if (this.depth === FIELD_DEPTH && this.#state.length > before.length) this.#set(before + ANY, at);
  }

  #at(offset: number): string {
    return this.#state + this.#text.slice(this.#end, offset);
  }

  #set(state: string, end: number): void {
    this.#state = state;
    this.#end = end;
  }
}

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
