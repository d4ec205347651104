// A private file of chained lines (`kernel/hash-chain.ts`): appended to, verified, pruned. Whoever writes holds the file's lock.
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { type Clock, ownTurn } from '../kernel/clock.ts';
import { openDurableLog } from '../kernel/durable-log.ts';
import { readPrivateFile, replacePrivateFile } from '../kernel/durable.ts';
import {
  CHAIN_START,
  ChainCheck,
  chainLine,
  type ChainReport,
  type ChainTip,
  checkpointEntries,
  checkpointLine,
  isAboutChain,
  statedTip,
} from '../kernel/hash-chain.ts';
import { PRIVATE_FILE } from '../kernel/own-file.ts';
import { isoMillis } from '../kernel/timestamps.ts';
import { type LineFile, linesOfPiece, openLineFile } from './line-file.ts';

export interface Chain {
  /** Has these JSON objects on the disk, each as a line, when it resolves. Lines of a version without a chain are chained first. */
  append(objects: readonly string[]): Promise<void>;
  /** Needs no lock. `hash` is one that the chain must contain, such as a head that was noted earlier. */
  verify(hash?: string): Promise<ChainReport>;
  /**
   * Removes the chained lines that `keep` does not want, without changing any other. Checkpoints take their places, and
   * a last line has `facts` and their number. Resolves with that number.
   */
  prune(keep: (line: string) => boolean, facts: Record<string, unknown>): Promise<number>;
}

/**
 * The chain in the file at `path`. Next to it, `path`.head has number and hash of the last line: without it, nobody could
 * see that lines at the end are missing.
 */
export function openChain(path: string, { clock, signal }: { clock: Clock; signal?: AbortSignal | undefined }): Chain {
  const head = openHead(`${path}.head`);
  let isAdopted = false;

  async function reading<T>(work: (file: LineFile) => T | Promise<T>): Promise<T | undefined> {
    const file = openLineFile(path);
    try {
      return file && (await work(file));
    } finally {
      file?.close();
    }
  }

  /** What the next line follows: the last line, or one that was lost since, so that its loss shows. */
  async function currentTip(): Promise<ChainTip> {
    const last = (await reading(lastTip)) ?? CHAIN_START;
    const stored = head.read() ?? CHAIN_START;
    return stored.entry >= last.entry ? stored : last;
  }

  async function append(objects: readonly string[]): Promise<void> {
    if (objects.length === 0) return;
    await adopt();
    const follow = followOn(await currentTip());
    const lines = objects.map(follow.line);
    const log = openDurableLog(path);
    try {
      log.append(lines.join(''));
    } finally {
      log.close();
    }
    head.write(follow.tip());
  }

  /** Chains the lines of a version without a chain. A killed process leaves the file as it was. */
  async function adopt(): Promise<void> {
    if (isAdopted) return;
    const first = await reading(firstLine);
    if (first !== undefined && statedTip(first) === undefined && !head.read()) {
      const follow = followOn(CHAIN_START);
      const note = (): string =>
        follow.line(JSON.stringify({ event: 'chained', at: isoMillis(clock.now()), entries: follow.tip().entry }));
      const change = (line: string): string => (isWhole(line) ? follow.line(line) : `${line}\n`);
      await reading((file) => replacePrivateFile(path, inPieces(file, change, note)));
      head.write(follow.tip());
    }
    isAdopted = true;
  }

  /** Every line as `change` gives it, then what `last` adds. */
  async function* inPieces(
    file: LineFile,
    change: (line: string) => string,
    last: () => string,
    stop?: AbortSignal,
  ): AsyncGenerator<string> {
    for (const { bytes } of file.forward(0)) {
      let text = '';
      for (const line of linesOfPiece(bytes)) text += change(line);
      yield text;
      await ownTurn(stop);
    }
    const rest = file.rest().toString('utf8');
    yield (rest === '' ? '' : change(rest)) + last();
  }

  async function verify(hash?: string): Promise<ChainReport> {
    // Before the lines: another process may append meanwhile.
    const check = new ChainCheck({ head: head.read(), hash });
    await reading(async (file) => {
      for (const { bytes } of file.forward(0)) {
        for (const line of linesOfPiece(bytes)) check.take(line);
        await ownTurn(signal);
      }
      const rest = file.rest().toString('utf8');
      if (rest !== '') check.take(rest);
    });
    return check.end();
  }

  async function prune(keep: (line: string) => boolean, facts: Record<string, unknown>): Promise<number> {
    await adopt();
    const follow = followOn(await currentTip());
    let removed = 0;
    /** What the next checkpoint stands for: how many lines, and the last of them. */
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
    const note = (): string => {
      const event = { event: 'pruned', at: isoMillis(clock.now()), ...facts, entries: removed };
      return checkpoint() + follow.line(JSON.stringify(event));
    };
    await reading((file) => replacePrivateFile(path, inPieces(file, change, note, signal)));
    head.write(follow.tip());
    return removed;
  }

  return { append, verify, prune };
}

/** Makes lines that follow `tip` and each other. */
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

/** Number and hash of the last line that has them; half a line may come after it. */
function lastTip(file: LineFile): ChainTip | undefined {
  const rest = statedTip(file.rest().toString('utf8'));
  if (rest) return rest;
  for (const { bytes } of file.backward()) {
    const tip = [...linesOfPiece(bytes)].reverse().map(statedTip).find(Boolean);
    if (tip) return tip;
  }
  return undefined;
}

/** The first line that is whole: a killed process may have left half a line before it. */
function firstLine(file: LineFile): string | undefined {
  for (const { bytes } of file.forward(0)) {
    for (const line of linesOfPiece(bytes)) if (isWhole(line)) return line;
  }
  return undefined;
}

function isWhole(line: string): boolean {
  return line.startsWith('{"') && line.endsWith('}');
}

/** One line of a fixed length, written at once: a killed process leaves the old one or the new one. */
function openHead(path: string) {
  return {
    read: (): ChainTip | undefined => {
      const [, entry, hash] = /^(\d{16}) ([0-9a-f]{64})\n$/.exec(readPrivateFile(path) ?? '') ?? [];
      return entry === undefined || hash === undefined ? undefined : { entry: Number(entry), hash };
    },
    write: ({ entry, hash }: ChainTip): void => {
      try {
        const descriptor = openSync(path, constants.O_WRONLY | constants.O_CREAT, PRIVATE_FILE);
        try {
          writeSync(descriptor, `${String(entry).padStart(16, '0')} ${hash}\n`, 0);
        } finally {
          closeSync(descriptor);
        }
      } catch {
        // The lines are on the disk. One that is behind them hides only the loss of the newest.
      }
    },
  };
}
