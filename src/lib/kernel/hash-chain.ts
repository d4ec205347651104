// A chain of JSON lines. Each line contains its number, and a hash of the line and of the previous line's hash.
import { hash } from 'node:crypto';
import { readRecord } from './json.ts';

/** The last line of a chain: its number, counted from 1, and its hash. */
export interface ChainTip {
  entry: number;
  hash: string;
}

export const CHAIN_START: ChainTip = { entry: 0, hash: '0'.repeat(64) };

type OwnEvent =
  /** Replaces pruned lines. Its hash is that of the last pruned line, and the chain continues from there. */
  | { event: 'checkpoint'; entries: number }
  /** Records that a `prune` removed this number of lines. */
  | { event: 'pruned'; entries: number }
  /** The lines before this line are from a version without a chain, and got their hashes at `at`. */
  | { event: 'chained'; entries: number; at: string }
  /** The head file was missing when this line was written after `entries` lines. */
  | { event: 'headless'; entries: number };

const OWN_EVENTS = /^\{"event":"(?:checkpoint|pruned|chained|headless)",/;

const TAIL = /,"entry":(\d{1,15}),"chain":"([0-9a-f]{64})"\}$/;
const TAIL_LENGTH = ',"entry":'.length + 15 + ',"chain":""}'.length + 64;
const HASH_LENGTH = ',"chain":""}'.length + 64;

/** Returns the line for a JSON object that follows `tip`, without its newline. */
export function chainLine(json: string, tip: ChainTip): ChainTip & { line: string } {
  const entry = tip.entry + 1;
  const body = `${json.slice(0, -1)},"entry":${entry}`;
  const own = linkHash(tip.hash, body);
  return { entry, hash: own, line: `${body},"chain":"${own}"}` };
}

/** Returns the line that replaces `entries` pruned lines. `tip` was the last of those lines. */
export function checkpointLine(entries: number, tip: ChainTip): string {
  return `{"event":"checkpoint","entries":${entries},"entry":${tip.entry},"chain":"${tip.hash}"}`;
}

/** Returns the number and hash in a line; undefined if the line has none. */
export function statedTip(line: string): ChainTip | undefined {
  const [, entry, own] = TAIL.exec(line.slice(-TAIL_LENGTH)) ?? [];
  return entry === undefined || own === undefined ? undefined : { entry: Number(entry), hash: own };
}

export const isAboutChain = (line: string): boolean => OWN_EVENTS.test(line);

export function checkpointEntries(line: string): number | undefined {
  const own = ownEvent(line);
  return own?.event === 'checkpoint' ? own.entries : undefined;
}

/** Anyone can recompute this hash from the previous hash, a newline, and the line up to `,"chain":`. */
const linkHash = (before: string, body: string): string => hash('sha256', `${before}\n${body}`);

export interface ChainFault {
  /** Line number in the file, counted from 1; null for a fault without a line, such as lines missing at the end. */
  line: number | null;
  /** Path of a rotated file; absent for the current file. */
  file?: string;
  /** First affected entry; null if it is unknown, for example because the line has no number. */
  entry: number | null;
  kind: 'changed' | 'missing' | 'added';
  message: string;
}

export interface ChainReport {
  tip: ChainTip;
  /** Number of lines that `prune` removed. Checkpoints replace them. */
  pruned: number;
  /** Number of lines from a version without a chain, and when they were chained. Earlier changes cannot be detected. */
  adopted: { entries: number; at: string } | null;
  /** Number of lines from a version without a chain. Until the next write chains them, changes cannot be detected. */
  unchained: number;
  /** Number of lines that a killed process or a full disk left incomplete. They do not count as entries. */
  unfinished: number;
  faults: ChainFault[];
  /** Number of faults that are not in `faults`. */
  omitted: number;
  /** Observations that can have a harmless cause. */
  notes: string[];
  /** False if no line has the given hash. */
  hasHash: boolean;
}

/** Facts about a chain, without its faults, as shown to users. */
export type ChainFacts = ReturnType<typeof chainFacts>;
export function chainFacts({ faults, hasHash: _hasHash, omitted: _omitted, tip, ...facts }: ChainReport) {
  return { valid: faults.length === 0, entries: tip.entry, head: tip.hash, ...facts };
}

const MOST_FAULTS = 1000;
const LOST = 'lines may have been removed from the end';

/** Facts about a chain that are stored separately from its lines. */
export interface KnownTips {
  /** Last line, as recorded in the head file. A damaged head counts as the start of the chain. */
  head?: (ChainTip & { isDamaged?: boolean }) | undefined;
  /** Hash of any line, such as the head in an evidence file. */
  hash?: string | undefined;
}

/** Checks lines in file order. */
export function createChainCheck({ hash: known, head }: KnownTips) {
  const counts = { pruned: 0, unfinished: 0, adopted: null, unchained: 0, omitted: 0 };
  const report: ChainReport = { tip: CHAIN_START, ...counts, faults: [], notes: [], hasHash: true };
  /** Hashes that have not been found yet. */
  const wanted = new Set([head?.hash, known]);
  let file: string | undefined;
  let line = 0;
  let checkpoints = 0;
  /** True if the last line is the one that chained the earlier lines. */
  let isJustChained = false;

  function fault(kind: ChainFault['kind'], entry: number | null, message: string, at: number | null): void {
    const { faults } = report;
    if (faults.length >= MOST_FAULTS) report.omitted++;
    else faults.push({ line: at, entry, kind, message, ...(at !== null && file !== undefined && { file }) });
  }

  const faultHere = (kind: ChainFault['kind'], entry: number | null, what: string): void =>
    fault(kind, entry, what, line);

  function takeChained(text: string, tip: ChainTip): void {
    const own = ownEvent(text);
    const entries = own?.event === 'checkpoint' ? own.entries : 1;
    const expected = report.tip.entry + entries;
    if (tip.entry > expected) takeGap(tip.entry - entries, line);
    else if (tip.entry < expected) faultHere('changed', tip.entry, 'the checkpoint replaces entries that still exist');
    else if (own?.event !== 'checkpoint' && linkHash(report.tip.hash, text.slice(0, -HASH_LENGTH)) !== tip.hash)
      faultHere('changed', tip.entry, `entry ${tip.entry} does not match its hash`);
    if (own?.event === 'checkpoint') checkpoints += entries;
    if (own?.event === 'headless') faultHere('missing', tip.entry, `the head file was missing: ${LOST}`);
    if (own?.event === 'pruned') report.pruned += own.entries;
    isJustChained = own?.event === 'chained';
    if (own?.event === 'chained') report.adopted = { entries: own.entries, at: own.at };
    report.tip = tip;
    wanted.delete(tip.hash);
  }

  /** Records a gap: entries up to `last` are missing before the line `before` or, if null, at the end of the file. */
  function takeGap(last: number, before: number | null): void {
    const entry = report.tip.entry + 1;
    const what = entry === last ? `entry ${entry} is missing` : `entries ${entry} to ${last} are missing`;
    fault('missing', entry, before === null ? `at the end: ${what}` : `${what} before this line`, before);
  }

  return {
    /** Continues with the lines of another file. */
    begin: (name: string | undefined): void => {
      [file, line] = [name, 0];
    },
    /** `text` is one line without its newline. */
    take: (text: string): void => {
      line++;
      const tip = statedTip(text);
      if (tip === undefined) {
        if (isUnfinished(text)) report.unfinished++;
        else faultHere('added', null, 'it does not belong to the chain');
      } else if (tip.entry <= report.tip.entry) faultHere('added', tip.entry, `entry ${tip.entry} is a duplicate`);
      else takeChained(text, tip);
    },
    /** `later` is the head as read again after the lines, if it did not exist before. */
    end: (later = head): ChainReport => {
      const isMissing = (own: string | undefined): boolean => own !== CHAIN_START.hash && wanted.has(own);
      if (later === undefined && report.tip.entry === 0) {
        const { faults, omitted } = report;
        Object.assign(report, { unchained: faults.length + omitted, faults: [], omitted: 0 });
      } else if (later === undefined && !isJustChained)
        fault('missing', null, `the head file is missing: ${LOST}`, null);
      if (head !== undefined && head.entry > report.tip.entry) takeGap(head.entry, null);
      else if (head !== undefined && isMissing(head.hash))
        fault('changed', head.entry, `entry ${head.entry} was replaced after it was written`, null);
      report.hasHash = known === undefined || !wanted.has(known);
      if (known === CHAIN_START.hash) report.notes.push('every chain starts with this hash, so it proves nothing');
      else if (!report.hasHash && report.pruned === 0) fault('changed', null, `no line has the hash ${known}`, null);
      else if (!report.hasHash) {
        const pruned = report.pruned === 1 ? 'the pruned entry' : `one of the ${report.pruned} pruned entries`;
        report.notes.push(`no line has the hash ${known}: it is from ${pruned}, or lines were replaced or removed`);
      }
      if (later?.isDamaged === true) report.notes.push(`the head file is damaged: ${LOST}`);
      if (checkpoints !== report.pruned) {
        const message = `the checkpoints replace ${checkpoints} entries, but ${report.pruned} were pruned`;
        fault('missing', null, message, null);
      }
      return report;
    },
  };
}

/** True for an incomplete line, or for the NUL bytes that a power failure may leave. */
function isUnfinished(text: string): boolean {
  if (/^\0*$/.test(text)) return true;
  return text.startsWith('{') && readRecord(text) === undefined;
}

function ownEvent(line: string): OwnEvent | undefined {
  if (!isAboutChain(line)) return undefined;
  const own = readRecord<OwnEvent>(line);
  return Number.isSafeInteger(own?.entries) ? (own as OwnEvent) : undefined;
}
