// The journal of a bulk run: which id each row got, before it was sent, and what became of it. No identity is in it.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { removeFile } from '../kernel/durable.ts';
import { type DurableLog, openDurableLog } from '../kernel/durable-log.ts';
import type { KnownError } from '../kernel/errors.ts';
import { tryLock } from '../kernel/lock.ts';
import { decoded, linesOf } from './text-chunks.ts';
import { fail } from '../errors/fail.ts';

export interface JournalHead {
  version: 1;
  /** The path as it was given. */
  input: string;
  rows: number;
  /** Digest of what the flags said besides. */
  settings: string;
  /** Absolute path of the result file. */
  results: string;
  /** `submitted_time` of rows that give none: a resumed run sends the same bodies. */
  submitted_time: string;
  at: string;
}

/** `p`: rows and the ids that they got; `u`: those of them that never went out; `d`: rows that are complete or unknown. */
export type JournalLine =
  | { p: [row: number, id: string][] }
  | { u: number[] }
  | { d: [row: number, state: 'submitted' | 'existing' | 'failed' | 'skipped' | 'unknown', error?: string][] };

export type DsrJournal = ReturnType<typeof openDsrJournal>;

/** `key` is what makes a run the same run: the content of its file and where it is sent to. */
export function journalPath(stateFolder: string, key: readonly string[]): string {
  const name = createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 32);
  return join(stateFolder, 'dsr', 'bulk', `${name}.ndjson`);
}

/** Opens the journal for this process alone. Throws guard (12) while another one submits the same file. */
export function openDsrJournal(path: string) {
  const lock = tryLock(`${path}.lock`);
  if (!lock) {
    throw fail('dsr.bulk_running', {
      message: 'Another process is submitting this file at this moment.',
      hint: 'Let it end; --resume goes on with what it leaves.',
    });
  }
  let log: DurableLog | undefined;
  return {
    path,
    /** The head of an earlier run; undefined when there was none. Throws when the file is not a journal. */
    head: async (): Promise<JournalHead | undefined> => {
      if (!existsSync(path)) return undefined;
      const lines = journalLines(path);
      const first = await lines.next();
      const head = first.done ? undefined : (parse(first.value) as Partial<JournalHead> | undefined);
      const isAlone = first.done === true || (await lines.next()).done === true;
      await lines.return(undefined);
      if (head !== undefined && isHead(head)) return head;
      if (!isAlone) throw unreadable(path);
      // The process died while it wrote its first line: nothing was sent.
      removeFile(path);
      return undefined;
    },
    /** Every line behind the head; half a line of a killed process is passed over. Throws for a line of another kind. */
    lines: async function* () {
      let isFirst = true;
      for await (const line of journalLines(path)) {
        const value = isFirst ? undefined : parse(line);
        isFirst = false;
        if (value === undefined) continue;
        if (!isJournalLine(value)) throw unreadable(path);
        yield value;
      }
    },
    /** Appends; on the disk when it returns. */
    write: (...lines: (JournalHead | JournalLine)[]): void => {
      log ??= openDurableLog(path);
      log.append(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    },
    close: (): void => {
      log?.close();
      lock.release();
    },
  };
}

const HEAD_TEXTS = ['input', 'settings', 'results', 'submitted_time', 'at'] as const;

function isHead(value: Partial<JournalHead> | null): value is JournalHead {
  const texts = HEAD_TEXTS.every((field) => typeof value?.[field] === 'string');
  return value?.version === 1 && isCount(value.rows) && texts && isAbsolute(value.results ?? '');
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const STATES: readonly unknown[] = ['submitted', 'existing', 'failed', 'skipped', 'unknown'];

function isJournalLine(value: unknown): value is JournalLine {
  const { d, p, u } = (value ?? {}) as Partial<Record<'d' | 'p' | 'u', unknown>>;
  const isNamed = (row: unknown): boolean => Array.isArray(row) && isCount(row[0]) && typeof row[1] === 'string';
  const isCompleted = (row: unknown): boolean =>
    Array.isArray(row) && isCount(row[0]) && STATES.includes(row[1]) && ['undefined', 'string'].includes(typeof row[2]);
  return [
    [p, isNamed],
    [d, isCompleted],
    [u, isCount],
  ].some(([rows, isWhole]) => Array.isArray(rows) && rows.every(isWhole as (row: unknown) => boolean));
}

async function* journalLines(path: string): AsyncGenerator<string, undefined> {
  for await (const lines of linesOf(decoded(createReadStream(path), path)))
    for (const line of lines) if (line !== '') yield line;
  return undefined;
}

function unreadable(path: string): KnownError {
  return fail('dsr.journal', {
    message: `The journal ${path} cannot be read; what was submitted before is not known.`,
    hint: { text: 'Keep the file. To see what was submitted:', command: 'cdpadm dsr ledger export' },
  });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
