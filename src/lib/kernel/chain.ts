// Appends to, verifies and prunes a private file of hash-chained lines (`kernel/hash-chain.ts`). Writers must lock it.
import { hash } from 'node:crypto';
import { existsSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { overwriteFile } from './cache-files.ts';
import { type Clock, ownTurn } from './clock.ts';
import { appendDurably, openLineFile } from './line-file.ts';
import { readPrivateFile, removeFile, replacePrivateFile } from './durable.ts';
import {
  CHAIN_START,
  chainLine,
  type ChainReport,
  type ChainTip,
  checkpointEntries,
  checkpointLine,
  createChainCheck,
  isAboutChain,
  type KnownTips,
  statedTip,
} from './hash-chain.ts';
import { isoMillis } from './timestamps.ts';
import { namesIn } from './temporary-file.ts';

export type Chain = ReturnType<typeof openChain>;

export interface ChainOptions {
  clock: Clock;
  /** User and machine, recorded in the lines that the chain adds about itself, except checkpoints. */
  actor?: { by: string; host: string };
  signal?: AbortSignal | undefined;
  /** Resolves to a function that upgrades a line from a version without hashes, before the line gets its hash. */
  upgrade?(): Promise<(line: string) => string>;
}

/** The file `path`.head contains the last line's number and hash, which reveal the loss of lines at the end. */
export function openChain(path: string, { actor, clock, signal, upgrade }: ChainOptions) {
  const head = openHead(`${path}.head`);
  let isAdopted = false;

  const about = (event: string) => ({ event, at: isoMillis(clock.now()), ...actor });

  function firstWhole(): string | undefined {
    for (const part of linesIn(path)) {
      const first = part.find(isWhole);
      if (first !== undefined) return first;
    }
    return undefined;
  }

  /** Returns the tip that the next line follows: the last line or, if the head records a later line, that lost line. */
  function currentTip(): ChainTip {
    const last = lastTip(path) ?? CHAIN_START;
    const stored = head.read() ?? CHAIN_START;
    return stored.entry >= last.entry ? stored : last;
  }

  /** Writes each JSON object as a line, and flushes the lines. First chains any lines that an earlier version wrote. */
  async function append(objects: readonly string[]): Promise<void> {
    if (objects.length === 0) return;
    await adopt();
    const tip = currentTip();
    const follow = followOn(tip);
    const isHeadless = head.read() === undefined;
    // Write the first head before the first line, so that a missing head is always a fault if there are chained lines.
    if (isHeadless && tip.entry === 0) head.write(tip);
    const note = JSON.stringify({ ...about('headless'), entries: tip.entry });
    const all = isHeadless && tip.entry > 0 && !isJustChained() ? [note, ...objects] : objects;
    appendDurably(path, all.map(follow.line).join(''));
    head.write(follow.tip());
  }

  /** True if the last line records that `adopt` chained the file: a kill may have left the file without a head. */
  const isJustChained = () => lastLines(path).find(isWhole)?.startsWith('{"event":"chained",') === true;

  /** Chains the lines that an earlier version wrote without hashes. A kill leaves the old file or the chained one. */
  async function adopt(): Promise<void> {
    if (isAdopted) return;
    const first = firstWhole();
    if (first !== undefined && statedTip(first) === undefined && !head.read()) {
      const follow = followOn(CHAIN_START);
      const upgraded = (await upgrade?.()) ?? ((line: string) => line);
      await rewrite(
        [path],
        (line) => (isWhole(line) ? follow.line(upgraded(line)) : `${line}\n`),
        () => follow.line(JSON.stringify({ ...about('chained'), entries: follow.tip().entry })),
      );
      head.write(follow.tip());
    }
    isAdopted = true;
  }

  /** Replaces the files with one file, which contains each line as `change` converted it, then the result of `last`. */
  async function rewrite(
    files: readonly string[],
    change: (line: string) => string,
    last: () => string,
    stop?: AbortSignal,
  ): Promise<void> {
    async function* parts(): AsyncGenerator<string> {
      for (const file of files) {
        for (const part of linesIn(file)) {
          yield part.map(change).join('');
          await ownTurn(stop);
        }
      }
      yield last();
    }
    if (!files.some(existsSync)) return;
    await replacePrivateFile(path, parts());
    for (const file of files) if (file !== path) removeFile(file);
  }

  /** Returns the rotated files, oldest first. Skips files that a killed prune left behind. */
  function rotated(): string[] {
    const name = `${basename(path)}.`;
    const folder = dirname(path);
    const aside = namesIn(folder)
      .filter((one) => one.startsWith(name) && /^\d{16}$/.test(one.slice(name.length)))
      .sort();
    const first = aside.length === 0 ? undefined : firstWhole();
    const start = (first === undefined ? undefined : statedTip(first)?.entry) ?? Infinity;
    return aside.filter((one) => Number(one.slice(name.length)) < start).map((one) => join(folder, one));
  }

  /** Rotates the file if it has at least `bytes` bytes. The chain continues in a new file. */
  function rotate(bytes: number): void {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < bytes) return;
    const tip = currentTip();
    head.write(tip);
    renameSync(path, `${path}.${String(tip.entry).padStart(16, '0')}`);
  }

  function* lines(): Generator<string[]> {
    for (const file of [...rotated(), path]) yield* linesIn(file);
  }

  /** Verifies the chain, and that a line has `hash` (for example, a head that was recorded earlier). Needs no lock. */
  async function verify(hash?: string): Promise<ChainReport> {
    // Read the head before the lines: another process may append lines in the meantime.
    const known = head.read();
    const check = createChainCheck({ head: known, hash });
    for (const file of [...rotated(), path]) {
      check.begin(file === path ? undefined : file);
      for (const part of linesIn(file)) {
        for (const line of part) check.take(line);
        await ownTurn(signal);
      }
    }
    // The first writer may have created the file and its head in the meantime.
    return check.end(known ?? head.read());
  }

  /** Replaces the lines that `keep` rejects with checkpoints, adds a line with `facts`, and returns their number. */
  async function prune(keep: (line: string) => boolean, facts: Record<string, unknown>): Promise<number> {
    await adopt();
    const follow = followOn(currentTip());
    let removed = 0;
    /** The number of lines that the next checkpoint replaces, and the last of these lines. */
    let [entries, last] = [0, CHAIN_START];
    const checkpoint = (): string => {
      const line = entries === 0 ? '' : `${checkpointLine(entries, last)}\n`;
      entries = 0;
      return line;
    };
    const change = (line: string): string => {
      const own = statedTip(line);
      const earlier = checkpointEntries(line);
      if (own === undefined || (earlier === undefined && (isAboutChain(line) || keep(line))))
        return `${checkpoint()}${line}\n`;
      removed += earlier === undefined ? 1 : 0;
      [entries, last] = [entries + (earlier ?? 1), own];
      return '';
    };
    const note = (): string =>
      checkpoint() + follow.line(JSON.stringify({ ...about('pruned'), ...facts, entries: removed }));
    await rewrite([...rotated(), path], change, note, signal);
    head.write(follow.tip());
    return removed;
  }

  return { append, rotate, lines, verify, prune };
}

function followOn(tip: ChainTip) {
  let last = tip;
  return {
    line: (object: string): string => {
      const next = chainLine(object, last);
      last = next;
      return `${next.line}\n`;
    },
    tip: () => last,
  };
}

function* linesIn(path: string): Generator<string[]> {
  const file = openLineFile(path);
  try {
    const rest = file && (yield* file.lines()).rest;
    if (rest) yield [rest];
  } finally {
    file?.close();
  }
}

function lastLines(path: string): string[] {
  const file = openLineFile(path);
  try {
    return file?.tail().split('\n').reverse() ?? [];
  } finally {
    file?.close();
  }
}

function lastTip(path: string): ChainTip | undefined {
  let tip = lastLines(path).map(statedTip).find(Boolean);
  if (tip) return tip;
  for (const lines of linesIn(path)) for (const line of lines) tip = statedTip(line) ?? tip;
  return tip;
}

const isWhole = (line: string): boolean => line.startsWith('{"') && line.endsWith('}');

/**
 * Opens the head: a line of a fixed length that is overwritten in place after the chain's lines are written. A digest
 * reveals a partly written head. Such a head proves nothing about the chain, so `read` returns the chain's start.
 */
function openHead(path: string) {
  const digestOf = (tip: string): string => hash('sha256', tip).slice(0, 8);
  return {
    read: (): KnownTips['head'] => {
      const text = readPrivateFile(path) ?? '';
      const [, tip = '', entry, own, digest] = /^((\d{16}) ([0-9a-f]{64}))(?: ([0-9a-f]{8}))?\n$/.exec(text) ?? [];
      // Earlier versions wrote no digest. Rejecting their heads would hide a changed or removed last line.
      if (own !== undefined && (digest ?? digestOf(tip)) === digestOf(tip)) return { entry: Number(entry), hash: own };
      return /^\d{16}/.test(text) ? { ...CHAIN_START, isDamaged: true } : undefined;
    },
    write: ({ entry, hash: own }: ChainTip): void => {
      const tip = `${String(entry).padStart(16, '0')} ${own}`;
      try {
        // Replaces a shorter head, which has no digest: if such a head were partly overwritten, it would look complete.
        overwriteFile(path, `${tip} ${digestOf(tip)}\n`);
      } catch {
        // The lines are already on disk: an outdated head only hides the loss of the newest lines.
      }
    },
  };
}
