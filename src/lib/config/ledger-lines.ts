// The lines of the ledger, each parsed only on demand.
import { openLineFile } from './line-file.ts';
import type { Span } from './line-index.ts';

/** What every line says. What else it says, and how lines add up, is up to the domain. */
export interface StoredEvent {
  event: string;
  id: string;
  address?: string;
  workspace_id?: string;
  status?: string;
}

/** A line, parsed only on demand. */
export interface LedgerLine<Event> {
  id: string;
  /** The scope as `scopeKey` writes it; undefined in state lines of earlier versions. */
  scope: string | undefined;
  /** Where it begins, in bytes. */
  offset: number;
  event(): Event;
}

export interface LedgerFile<Event> {
  /** Another one when the file was replaced. */
  readonly identity: string;
  /** Bytes up to the end of the last whole line. */
  readonly size: number;
  /** Lines from a byte on, piece by piece; a torn one, or one of another kind, is passed over. */
  forward(from: number): Generator<LedgerLine<Event>[]>;
  /** The same from the end. */
  backward(): Generator<LedgerLine<Event>[]>;
  /** Chosen lines, whose places ascend, piece by piece; what lies between places far from each other is not read. */
  chosen(spans: readonly Span[]): Generator<{ request: number; event: Event }[]>;
  close(): void;
}

const PIECE_BYTES = 1024 * 1024;
const NEAR_BYTES = 4096;
const LINE_FEED = 0x0a;
/** Every line begins with its kind and its id. */
const KIND = '{"event":"';
const ID = '","id":"';

/** Undefined when there is no file yet. What is appended after it was opened is not read. */
export function openLedgerFile<Event extends StoredEvent>(path: string): LedgerFile<Event> | undefined {
  const file = openLineFile(path);
  if (!file) return undefined;
  const { identity, read, size } = file;
  return {
    identity,
    size,
    forward: function* (from) {
      for (const { bytes, offset } of file.forward(from)) yield linesOf<Event>(bytes, offset);
    },
    backward: function* () {
      for (const { bytes, offset } of file.backward()) yield linesOf<Event>(bytes, offset).reverse();
    },
    chosen: function* (spans) {
      for (let next = 0; next < spans.length;) {
        const first = next;
        const start = spans[first]?.from ?? size;
        let end = start;
        for (let span = spans[next]; span && isNear(span, start, end); span = spans[++next]) end = span.to;
        const piece = read(start, end);
        yield spans.slice(first, next).map(({ from, request }) => {
          const at = from - start;
          return { request, event: parse(piece.toString('utf8', at, piece.indexOf(LINE_FEED, at))) };
        });
      }
    },
    close: file.close,
  };
}

/** The two fields are always neighbours, so that their text identifies the scope without parsing the line. */
const SCOPE = /"address":"(?:[^"\\]|\\.)*","workspace_id":"(?:[^"\\]|\\.)*"/;

/** A scope in the characters of its line's bytes, to compare with `LedgerLine.scope`. */
export function scopeKey({ address, workspace_id }: { address: string; workspace_id: string }): string {
  return Buffer.from(JSON.stringify({ address, workspace_id }).slice(1, -1), 'utf8').toString('latin1');
}

/** Whether reading it along costs less than reading it by itself. */
function isNear({ from, to }: Span, start: number, end: number): boolean {
  return from === start || (from - end <= NEAR_BYTES && to - start <= PIECE_BYTES);
}

function linesOf<Event extends StoredEvent>(bytes: Buffer, offset: number): LedgerLine<Event>[] {
  const lines: LedgerLine<Event>[] = [];
  // One character a byte: places in it are places in the file, and taking an id out copies nothing.
  const text = bytes.toString('latin1');
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from);
    const id = idAt(text, from);
    // Of a process that was killed, or of a full disk, half a line may be left.
    if (id !== '' && text[end - 1] === '}') {
      const start = from;
      const scope = SCOPE.exec(text.slice(start, end))?.[0];
      lines.push({ id, scope, offset: offset + start, event: () => parse(bytes.toString('utf8', start, end)) });
    }
    from = end + 1;
  }
  return lines;
}

/** Empty where no line of ours begins. */
function idAt(text: string, from: number): string {
  if (!text.startsWith(KIND, from)) return '';
  const end = text.indexOf('"', from + KIND.length);
  if (!text.startsWith(ID, end)) return '';
  const start = end + ID.length;
  return text.slice(start, text.indexOf('"', start));
}

function parse<Event extends StoredEvent>(line: string): Event {
  try {
    // Number and hash are the chain's.
    const { chain: _hash, entry: _number, ...event } = JSON.parse(line) as Event & Record<'chain' | 'entry', unknown>;
    return event as unknown as Event;
  } catch {
    // Looked whole and is not: a kind that nobody knows says nothing.
    return { event: 'torn', id: '' } as unknown as Event;
  }
}
