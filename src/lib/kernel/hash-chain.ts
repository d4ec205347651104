// A chain of JSON lines: each has a number, and a hash over itself and the hash before it.
import { hash } from 'node:crypto';

/** The last line of a chain: its number, from 1 on, and its hash. */
export interface ChainTip {
  entry: number;
  hash: string;
}

/** The tip before the first line. */
export const CHAIN_START: ChainTip = { entry: 0, hash: '0'.repeat(64) };

/** Lines that a chain writes about itself. */
type OwnEvent =
  /** Replaces pruned lines and has the hash of the last of them, from which the chain continues. Not hashed itself. */
  | { event: 'checkpoint'; entries: number }
  /** How many lines all checkpoints that a prune left stand for. */
  | { event: 'pruned'; entries: number }
  /** The lines before it are of a version without a chain and got their hashes at `at`. */
  | { event: 'chained'; entries: number; at: string };

const OWN_EVENTS = /^\{"event":"(?:checkpoint|pruned|chained)",/;

const TAIL = /,"entry":(\d{1,15}),"chain":"([0-9a-f]{64})"\}$/;
const TAIL_LENGTH = ',"entry":'.length + 15 + ',"chain":""}'.length + 64;
const HASH_LENGTH = ',"chain":""}'.length + 64;

/** The line of a JSON object behind `tip`, without its line feed. */
export function chainLine(json: string, tip: ChainTip): ChainTip & { line: string } {
  const entry = tip.entry + 1;
  const body = `${json.slice(0, -1)},"entry":${entry}`;
  const own = linkHash(tip.hash, body);
  return { entry, hash: own, line: `${body},"chain":"${own}"}` };
}

/** The line that replaces `entries` pruned lines, the last of which was `tip`. */
export function checkpointLine(entries: number, tip: ChainTip): string {
  return `{"event":"checkpoint","entries":${entries},"entry":${tip.entry},"chain":"${tip.hash}"}`;
}

/** Number and hash as a line states them; undefined for a line without. */
export function statedTip(line: string): ChainTip | undefined {
  const [, entry, own] = TAIL.exec(line.slice(-TAIL_LENGTH)) ?? [];
  return entry === undefined || own === undefined ? undefined : { entry: Number(entry), hash: own };
}

/** True if the chain wrote the line about itself. */
export function isAboutChain(line: string): boolean {
  return OWN_EVENTS.test(line);
}

/** The number of lines that a checkpoint replaces; undefined for any other line. */
export function checkpointEntries(line: string): number | undefined {
  const own = ownEvent(line);
  return own?.event === 'checkpoint' ? own.entries : undefined;
}

/** Anyone can recompute it: the hash before, a line feed, and the line up to `,"chain":`. */
function linkHash(before: string, body: string): string {
  return hash('sha256', `${before}\n${body}`);
}

export interface ChainFault {
  /** In the file, from 1 on; null for what is missing at its end. */
  line: number | null;
  /** A file that a rotation put aside; absent for the current one. */
  file?: string;
  /** The first of the entries that it is about; null for a line that has no number. */
  entry: number | null;
  kind: 'changed' | 'missing' | 'added';
  message: string;
}

export interface ChainReport {
  /** Number and hash of the last line. */
  tip: ChainTip;
  /** Number of lines that `prune` removed and checkpoints replace. */
  pruned: number;
  /** Lines of a version without a chain, and when they were chained: what happened before does not show. */
  adopted: { entries: number; at: string } | undefined;
  /** Lines that a killed process or a full disk left unfinished; they are part of nothing. */
  unfinished: number;
  faults: ChainFault[];
  /** Further faults, which are not listed. */
  omitted: number;
}

const MOST_FAULTS = 1000;

/** Facts about a chain that are stored apart from its lines. */
export interface KnownTips {
  /** The last line as it was stored apart from the lines, now or earlier. */
  head?: ChainTip | undefined;
  /** The hash of some line, such as the head that an evidence file states. */
  hash?: string | undefined;
}

/** Checks lines in the order of their file. */
export class ChainCheck {
  #file: string | undefined;
  #line = 0;
  #tip = CHAIN_START;
  /** The last line, while it belongs to nothing. */
  #unread: { file: string | undefined; line: number; isUnfinished: boolean } | undefined;
  #checkpoints = 0;
  #pruned = 0;
  #adopted: ChainReport['adopted'];
  #unfinished = 0;
  #faults: ChainFault[] = [];
  #omitted = 0;
  readonly #known: KnownTips;
  /** Hashes that are yet to be met. */
  readonly #wanted: Set<string>;

  constructor(known: KnownTips = {}) {
    this.#known = known;
    this.#wanted = new Set([known.head?.hash ?? CHAIN_START.hash, known.hash ?? CHAIN_START.hash]);
    this.#wanted.delete(CHAIN_START.hash);
  }

  /** The next lines are those of another file. */
  begin(file: string | undefined): void {
    this.#file = file;
    this.#line = 0;
  }

  /** `text` is one line without its line feed. */
  take(text: string): void {
    this.#line++;
    const tip = statedTip(text);
    if (tip === undefined) this.#takeUnchained(text);
    else if (tip.entry <= this.#tip.entry) this.#fault(tip.entry, 'added', `entry ${tip.entry} is a repeat`);
    else this.#takeChained(text, tip);
  }

  #takeUnchained(text: string): void {
    this.#unread = { file: this.#file, line: this.#line, isUnfinished: isUnfinished(text) };
    if (this.#unread.isUnfinished) this.#unfinished++;
    else this.#fault(null, 'added', 'it does not belong in the chain');
  }

  #takeChained(text: string, tip: ChainTip): void {
    const own = ownEvent(text);
    const entries = own?.event === 'checkpoint' ? own.entries : 1;
    const expected = this.#tip.entry + entries;
    if (tip.entry > expected) this.#takeGap(tip.entry - entries, this.#line);
    else if (tip.entry < expected) this.#fault(tip.entry, 'changed', 'the checkpoint replaces other entries');
    else if (own?.event !== 'checkpoint') this.#checkHash(text, tip);
    if (own?.event === 'checkpoint') this.#checkpoints += entries;
    if (own?.event === 'pruned') this.#pruned += own.entries;
    if (own?.event === 'chained') this.#adopted = { entries: own.entries, at: own.at };
    this.#tip = tip;
    this.#wanted.delete(tip.hash);
    this.#unread = undefined;
  }

  #checkHash(text: string, tip: ChainTip): void {
    if (linkHash(this.#tip.hash, text.slice(0, -HASH_LENGTH)) === tip.hash) return;
    this.#fault(tip.entry, 'changed', `entry ${tip.entry} does not fit its hash`);
  }

  /** Entries up to `last` are missing before a line, or at the end. */
  #takeGap(last: number, line: number | null): void {
    const entry = this.#tip.entry + 1;
    const unread = this.#unread;
    if (entry === last && unread !== undefined) {
      // The line of that entry is there, but cannot be read any more.
      if (unread.isUnfinished) this.#unfinished--;
      this.#faults = this.#faults.filter((fault) => fault.line !== unread.line || fault.file !== unread.file);
      const message = `line ${unread.line}: entry ${entry} cannot be read`;
      this.#add({ line: unread.line, entry, kind: 'changed', message });
      return;
    }
    const what = entry === last ? `entry ${entry} is missing` : `entries ${entry} to ${last} are missing`;
    const where = line === null ? 'at the end' : `before line ${line}`;
    this.#add({ line, entry, kind: 'missing', message: `${where}: ${what}` });
  }

  end(): ChainReport {
    const { hash: known, head } = this.#known;
    if (head !== undefined && head.entry > this.#tip.entry) this.#takeGap(head.entry, null);
    else if (head !== undefined && this.#wanted.has(head.hash)) {
      const message = `entry ${head.entry} was replaced after it was written`;
      this.#add({ line: null, entry: head.entry, kind: 'changed', message });
    }
    if (known !== undefined && this.#wanted.has(known)) {
      this.#add({ line: null, entry: null, kind: 'changed', message: `no line has the hash ${known}` });
    }
    if (this.#checkpoints !== this.#pruned) {
      const message = `the checkpoints replace ${this.#checkpoints} entries, but ${this.#pruned} were pruned`;
      this.#add({ line: null, entry: null, kind: 'missing', message });
    }
    return {
      tip: this.#tip,
      pruned: this.#pruned,
      adopted: this.#adopted,
      unfinished: this.#unfinished,
      faults: this.#faults,
      omitted: this.#omitted,
    };
  }

  #fault(entry: number | null, kind: ChainFault['kind'], what: string): void {
    this.#add({ line: this.#line, entry, kind, message: `line ${this.#line}: ${what}` });
  }

  #add(fault: ChainFault): void {
    const file = fault.line === null ? undefined : this.#file;
    if (this.#faults.length < MOST_FAULTS) this.#faults.push(file === undefined ? fault : { ...fault, file });
    else this.#omitted++;
  }
}

/** The beginning of a line, or bytes that a disk never wrote. */
function isUnfinished(text: string): boolean {
  if (/^\0*$/.test(text)) return true;
  if (!text.startsWith('{')) return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

function ownEvent(line: string): OwnEvent | undefined {
  if (!isAboutChain(line)) return undefined;
  try {
    const own = JSON.parse(line) as OwnEvent;
    return Number.isSafeInteger(own.entries) ? own : undefined;
  } catch {
    return undefined;
  }
}
