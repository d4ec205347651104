// Reads a JSON document strictly, and finds where its parts stand.
import { JsonError, parseJson } from '../kernel/json.ts';
import {
  type DocumentReading,
  findSpot,
  keyProblem,
  MAX_DEPTH,
  type Problem,
  type Spot,
  TOO_DEEP,
  type ValuePath,
} from './reading.ts';

/** Reads JSON as RFC 8259 has it; a byte-order mark at the beginning is let pass. */
export function readJson(text: string): DocumentReading {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return refused({ offset: error.offset ?? 0, message: error.message });
  }
  const walk = new JsonWalk(text);
  const root = walk.root();
  return { value, problems: walk.problems, offsetOf: (path, at) => findSpot(root, path, at).offset };
}

/** From where to before where the value at `path` stands in a text that is JSON. */
export function jsonSpan(text: string, path: ValuePath): { from: number; to: number } {
  const { offset, end } = findSpot(new JsonWalk(text).root(), path);
  return { from: offset, to: end ?? offset };
}

function refused(problem: Problem): DocumentReading {
  return { value: undefined, problems: [problem], offsetOf: () => problem.offset };
}

/** One walk over a text that is known to be JSON. */
class JsonWalk {
  readonly problems: Problem[] = [];
  readonly #text: string;
  /** The offset behind what was read last. */
  #end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  root(): Spot {
    return this.#value(this.#text.startsWith('\ufeff') ? 1 : 0, 1);
  }

  /** Reads the value that begins at or behind `offset`. */
  #value(offset: number, depth: number): Spot {
    const start = this.#skipSpace(offset);
    const first = this.#text[start];
    if (first === '{' || first === '[') {
      if (depth <= MAX_DEPTH) return first === '{' ? this.#object(start, depth) : this.#array(start, depth);
      if (this.problems.length === 0) this.problems.push({ offset: start, message: TOO_DEEP });
      this.#end = this.#text.length;
    } else if (first === '"') this.#end = this.#endOfString(start);
    else {
      // A number or a word.
      this.#end = start + 1;
      while (/[\w.+-]/.test(this.#text[this.#end] ?? '')) this.#end++;
    }
    return { offset: start, end: this.#end };
  }

  #array(offset: number, depth: number): Spot {
    const items: Spot[] = [];
    this.#parts(offset, (at) => {
      items.push(this.#value(at, depth + 1));
    });
    return { offset, end: this.#end, items };
  }

  #object(offset: number, depth: number): Spot {
    const members: NonNullable<Spot['members']> = new Map();
    this.#parts(offset, (at) => {
      const keyEnd = this.#endOfString(at);
      const key = JSON.parse(this.#text.slice(at, keyEnd)) as string;
      const message = keyProblem(key, members);
      if (message !== undefined) this.problems.push({ offset: at, message });
      const colon = this.#skipSpace(keyEnd);
      members.set(key, { key: at, value: this.#value(colon + 1, depth + 1) });
    });
    return { offset, end: this.#end, members };
  }

  /** Reads what stands between two brackets; `read` takes the offset of each part and leaves `#end` behind it. */
  #parts(open: number, read: (offset: number) => void): void {
    let at = this.#skipSpace(open + 1);
    while (at < this.#text.length && this.#text[at] !== ']' && this.#text[at] !== '}') {
      read(at);
      at = this.#skipSpace(this.#end);
      if (this.#text[at] === ',') at = this.#skipSpace(at + 1);
    }
    this.#end = at + 1;
  }

  #skipSpace(offset: number): number {
    let at = offset;
    while (' \t\n\r'.includes(this.#text[at] ?? '.')) at++;
    return at;
  }

  #endOfString(open: number): number {
    let at = open + 1;
    while (this.#text[at] !== '"') at += this.#text[at] === '\\' ? 2 : 1;
    return at + 1;
  }
}
