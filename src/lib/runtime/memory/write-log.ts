// The log of all writes from this machine: a private hash chain, with a start line and an end line for each command.
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join, sep } from 'node:path';
import * as z from 'zod/mini';
import { parseWith } from '../../contract/explain.ts';
import { isServerTrouble } from '../../contract/failures.ts';
import { exitOf } from '../../errors/fail.ts';
import type { ExitName } from '../../errors/entry.ts';
import type { SentWrite } from '../../http/types.ts';
import { openChain } from '../../kernel/chain.ts';
import { type ChainReport, isAboutChain } from '../../kernel/hash-chain.ts';
import { readPrivateFile, writePrivateFile } from '../../kernel/durable.ts';
import { KnownError } from '../../kernel/errors.ts';
import { host } from '../../kernel/host.ts';
import { readRecord } from '../../kernel/json.ts';
import { withLock } from '../../kernel/lock.ts';
import { isoMillis } from '../../kernel/timestamps.ts';
import { shellLine } from '../../kernel/words.ts';
import type { Context, LoggedCommand, WriteFacts } from '../context.ts';
import type { Settings } from '../../config/resolve-settings.ts';
import { flagsOf, type Target } from '../target.ts';
import { namesIn } from '../../kernel/temporary-file.ts';

/** Maximum size of the file before it is rotated. */
const FILE_BYTES = 4 * 1024 * 1024;
/** Maximum number of request ids, and of arguments, per entry. */
const MOST_IDS = 20;

const UNCLEAR =
  'It is not known which steps were done. Run every command: if a step was not done, its command fails, for example with "not found".';

export type WriteRecorder = Awaited<ReturnType<typeof recordWrites>>;

function startedFields() {
  return {
    id: z.string(),
    at: z.string(),
    by: z.string(),
    host: z.string(),
    /** `mcp` if an assistant ran the command. */
    via: z.nullable(z.string()),
    profile: z.nullable(z.string()),
    /** Target without its profile. */
    target: z.record(z.string(), z.nullable(z.string())),
    command: z.string(),
    args: z.array(z.string()),
    /** Files passed with flags. */
    files: z.array(z.string()),
    /** Ids that the command writes, except those passed as arguments. */
    ids: z.array(z.string()),
    /** Keyed SHA-256 of the first request, or of the content of a bulk run. */
    digest: z.nullable(z.string()),
    journal: z.nullable(z.string()),
  };
}

function endedFields() {
  return {
    /** Null for a command that was killed or is still running. */
    ended_at: z.nullable(z.string()),
    outcome: z.enum(['done', 'rejected', 'partial', 'unknown']),
    error: z.nullable(z.string()),
    plan: z.nullable(z.string()),
    /** Number of requests that may have changed the platform, and the ids of the first 20. */
    requests: z.int(),
    request_ids: z.array(z.string()),
    /** Numbers of changes that the command made, by kind. */
    counts: z.record(z.string(), z.int()),
    undo: z.nullable(z.string()),
    /** Side effects of `undo`, or why the write cannot be undone. */
    undo_note: z.nullable(z.string()),
  };
}

/** Returns the schema of an entry that `log` prints. */
export function loggedWrite() {
  return z.object({ ...startedFields(), ...endedFields() });
}

export type LoggedWrite = z.infer<ReturnType<typeof loggedWrite>>;

export function openWriteLog({ clock, paths, signal }: Pick<Context, 'clock' | 'paths' | 'signal'>) {
  const folder = join(paths.state, 'log');
  const path = join(folder, 'writes.ndjson');
  const chain = openChain(path, { actor: { by: host.username(), host: host.hostname() }, clock, signal });
  const locked = <T>(work: () => T | Promise<T>, stop?: AbortSignal): Promise<T> =>
    withLock(join(folder, 'writes.lock'), clock, work, stop);

  const log = {
    path,
    append: (entry: Record<string, unknown>, stop?: AbortSignal): Promise<void> =>
      locked(async () => {
        chain.rotate(FILE_BYTES);
        await chain.append([JSON.stringify(entry)]);
      }, stop),
    /** Returns a keyed digest. An identity or a short secret could be guessed from a plain digest. */
    digest: (...texts: (string | Uint8Array)[]): string => {
      const file = join(folder, 'log.key');
      const key = readPrivateFile(file) ?? randomBytes(32).toString('hex');
      if (readPrivateFile(file) === undefined) writePrivateFile(file, key);
      return texts.reduce((hash, text) => hash.update(text), createHmac('sha256', key)).digest('hex');
    },
    /** A write without an end line also counts as unfinished. */
    verify: async (head?: string): Promise<ChainReport> => {
      const report = await chain.verify(head);
      const open = log.entries(() => true).filter(({ ended_at }) => ended_at === null);
      return { ...report, unfinished: report.unfinished + open.length };
    },
    /** Returns the newest `limit` entries that `isWanted` accepts, oldest first. */
    entries: (isWanted: (entry: LoggedWrite) => boolean, limit = Infinity): LoggedWrite[] => {
      const { files, ids, journal, via, ...required } = startedFields();
      const { plan, undo, undo_note } = endedFields();
      // Earlier versions did not write the optional fields.
      const later = z.partial(z.object({ files, ids, journal, via, plan, undo, undo_note })).shape;
      const started = z.looseObject({ ...required, ...later, request: z.string() });
      const ended = z.looseObject({ id: z.string(), ...endedFields(), undo_note: z.optional(undo_note) });
      const keys = Object.keys(loggedWrite().shape);
      const found = new Map<string, LoggedWrite>();
      const take = (line: string): void => {
        const { event, chain: _hash, entry: _number, ...fields } = parsed(line);
        if (event === 'started' && parseWith(started, fields).data) {
          const { request, ...rest } = fields as z.infer<typeof started>;
          const end = { outcome: 'unknown', requests: 1, request_ids: [request], counts: {} };
          const known: Record<string, unknown> = { files: [], ids: [], ...end, ...rest };
          const entry = Object.fromEntries(keys.map((key) => [key, known[key] ?? null])) as LoggedWrite;
          if (isWanted(entry)) found.set(entry.id, entry);
          const [oldest = ''] = found.keys();
          if (found.size > limit) found.delete(oldest);
        } else if (event === 'ended' && parseWith(ended, fields).data) {
          const entry = found.get(String(fields['id']));
          if (entry) Object.assign(entry, fields);
        }
      };
      for (const part of chain.lines()) part.forEach(take);
      return [...found.values()];
    },
    linesBefore: (before: string): number => {
      let count = 0;
      for (const part of chain.lines())
        count += part.filter((line) => !isAboutChain(line) && isOlder(line, before)).length;
      return count;
    },
    /** Replaces the lines before a time with checkpoints. */
    prune: (before: string): Promise<number> =>
      locked(() => chain.prune((line) => !isOlder(line, before), { before }), signal),
    /** Returns the time of the first entry, if any. */
    begins: (): string | undefined => {
      for (const part of chain.lines()) {
        const at = part.map((line) => parsed(line)).find(({ event }) => event === 'started')?.['at'];
        if (isText(at)) return at;
      }
      return undefined;
    },
    /** Returns the size of all files in bytes. */
    size: (): number => {
      const sizes = namesIn(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
      return sizes.reduce((sum, size) => sum + size, 0);
    },
  };
  return log;
}

function isOlder(line: string, before: string): boolean {
  const { at, ended_at = at } = parsed(line);
  return isText(ended_at) && ended_at < before;
}

/** Returns an empty object for a damaged line, which `log verify` reports. */
const parsed = (line: string): Record<string, unknown> => readRecord(line) ?? {};

/** Records one command's writes. They do not need the log, so an unwritable log does not stop them (decision: D301). */
export function recordWrites(ctx: Context, command: LoggedCommand, target: Target, settings: Settings) {
  const log = openWriteLog(ctx);
  const id = randomUUID().replace('-', '').slice(0, 10);
  const requests = new Set<string>();
  let [count, accepted] = [0, 0];
  let started: Promise<unknown> | undefined;
  const { profile, ...place } = target;
  const append = (entry: Record<string, unknown>, stop?: AbortSignal): Promise<unknown> =>
    ctx.cacheFiles.attempt(() => log.append(redacted(ctx, entry), stop));

  /** `&&` would stop at the first step that was not done, and `;` does not work in every shell. */
  const undoing = (isClear: boolean): Pick<LoggedWrite, 'undo' | 'undo_note'> => {
    const { flags, isComplete } = flagsOf(target, settings);
    const { undo = [], undoNote } = command;
    const lines = undo.map((words) => shellLine(['cdpadm', ...words, ...flags]));
    const doubt = isClear || lines.length < 2 ? undefined : UNCLEAR;
    if (lines.length === 0 || (isComplete && !doubt))
      return { undo: lines.join(' && ') || null, undo_note: undoNote ?? null };
    const owner = profile === null ? 'a profile' : `profile ${profile}`;
    const why = isComplete ? undefined : `This write used an address that is not from ${owner}.`;
    const lead = isComplete ? 'To undo it:' : 'To undo it with the same settings:';
    const commands = lines.join(doubt ? '; ' : ' && ');
    return { undo: null, undo_note: [undoNote, why, doubt, lead, commands].filter(Boolean).join(' ') };
  };

  const start = (write: SentWrite): Promise<unknown> =>
    ctx.cacheFiles.attempt(async () => {
      const { content, ids = [], journal = null } = command;
      const sent = 'body' in write ? [`${write.method} ${write.path}\n`, write.body ?? ''] : content && [content];
      const digest = sent ? log.digest(...sent) : null;
      const { inputsBelow } = ctx.io;
      const who = { by: host.username(), host: host.hostname(), via: inputsBelow === undefined ? null : 'mcp' };
      // An assistant passes the content of files, which is stored in a temporary folder. A URL's query string may
      // contain a signature.
      const plain = (text: string): string => text.replace(`${inputsBelow ?? sep}${sep}`, '').replace(/\?.*/s, '?…');
      const shown = (given: readonly unknown[]): string[] => {
        const texts = given.flat().filter(isText).slice(0, MOST_IDS);
        return texts.map((text) => plain(text).slice(0, 200));
      };
      const known = { plan: command.plan ?? null, ...undoing(false) };
      const given = { args: shown(command.args), files: shown(command.files), ids: shown(ids) };
      const what = { command: command.path, ...given, digest, journal, ...known };
      const at = isoMillis(ctx.clock.now());
      const entry = { event: 'started', id, at, ...who, profile, target: place, ...what, request: write.id };
      await log.append(redacted(ctx, entry), ctx.signal);
    });

  return {
    /** Resolves once the start line is in the log. */
    sending: async (write: SentWrite): Promise<void> => {
      if (requests.size < MOST_IDS) requests.add(write.id);
      count++;
      await (started ??= start(write));
    },
    accepted: (): void => {
      accepted++;
    },
    end: async ({ error, exit, isShown }: { isShown: boolean; error: unknown; exit: ExitName }): Promise<void> => {
      const outcome = outcomeOf(error, exit, { accepted, isShown, requests: count, confirmed: command.confirmed });
      await append({
        event: 'ended',
        id,
        ended_at: isoMillis(ctx.clock.now()),
        outcome,
        error: error instanceof KnownError ? error.code : error === undefined ? null : 'bug',
        plan: command.plan ?? null,
        requests: count,
        request_ids: [...requests],
        counts: command.counts ?? {},
        ...(outcome === 'rejected'
          ? { undo: null, undo_note: null }
          : undoing(outcome !== 'unknown' && !command.counts?.['unknown'])),
      });
    },
  };
}

interface Tally extends Pick<WriteFacts, 'confirmed'> {
  requests: number;
  accepted: number;
  /** True if the command printed its result, which confirms the writes unless `confirmed` is set. */
  isShown: boolean;
}

function outcomeOf(error: unknown, exit: ExitName, tally: Tally): LoggedWrite['outcome'] {
  const { accepted, confirmed, isShown, requests } = tally;
  if (error === undefined) return exit === 'partial' ? 'partial' : 'done';
  if (!(error instanceof KnownError)) return 'unknown';
  if (['http.outcome_unknown', 'roles.changed_meanwhile'].includes(error.code)) return 'unknown';
  if (exitOf(error) === 'partial' || (confirmed ?? 0) > 0) return 'partial';
  const isConfirmed = isShown && confirmed === undefined;
  if (accepted === 0 && !isConfirmed) {
    // Without a response, or after one from a server in trouble, the request may have taken effect (decision: D9).
    return exitOf(error) === 'network' || isServerTrouble(error.status ?? 0) ? 'unknown' : 'rejected';
  }
  // The platform accepted a write, but its state differs from what was sent.
  if (!isConfirmed && (confirmed === 0 || exitOf(error) === 'conflict')) return 'unknown';
  return requests > 1 && accepted < requests ? 'partial' : 'done';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function redacted(ctx: Context, entry: Record<string, unknown>): Record<string, unknown> {
  const clean = (_key: string, value: unknown): unknown => (isText(value) ? ctx.redactor.text(value) : value);
  return JSON.parse(JSON.stringify(entry, clean)) as Record<string, unknown>;
}
