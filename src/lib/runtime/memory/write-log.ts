// The log of every write from this machine: a private chain of lines, one before the first request and one at the end.
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  array,
  enum as oneOf,
  type infer as Infer,
  int,
  looseObject,
  nullable,
  object,
  record,
  string,
} from 'zod/mini';
import { exitOf } from '../../errors/fail.ts';
import type { ExitName } from '../../errors/entry.ts';
import type { SentWrite } from '../../http/types.ts';
import { openChain } from '../../kernel/chain.ts';
import { isAboutChain } from '../../kernel/hash-chain.ts';
import { readPrivateFile, writePrivateFile } from '../../kernel/durable.ts';
import { KnownError } from '../../kernel/errors.ts';
import { host } from '../../kernel/host.ts';
import { isRecord, readRecord } from '../../kernel/json.ts';
import { withLock } from '../../kernel/lock.ts';
import { isoMillis } from '../../kernel/timestamps.ts';
import { shellWord } from '../../kernel/words.ts';
import type { Context, LoggedCommand } from '../context.ts';
import type { Target } from '../target.ts';

/** A file larger than this is rotated. */
const FILE_BYTES = 4 * 1024 * 1024;
/** Maximum number of request ids and of arguments in an entry. */
const MOST_IDS = 20;

export type WriteRecorder = Awaited<ReturnType<typeof recordWrites>>;

function startedFields() {
  return {
    id: string(),
    at: string(),
    by: string(),
    host: string(),
    profile: nullable(string()),
    /** Without its profile. */
    target: record(string(), nullable(string())),
    command: string(),
    args: array(string()),
    /** Keyed SHA-256 of the first request; null in a run of many. */
    digest: nullable(string()),
  };
}

function endedFields() {
  return {
    /** Null for a command that was killed or is still running. */
    ended_at: nullable(string()),
    outcome: oneOf(['done', 'rejected', 'partial', 'unknown']),
    error: nullable(string()),
    plan: nullable(string()),
    /** Requests that may have changed the platform, and the ids of the first 20. */
    requests: int(),
    request_ids: array(string()),
    /** The numbers of its result. */
    counts: record(string(), int()),
    undo: nullable(string()),
  };
}

/** An entry as `log` prints it. */
export function loggedWrite() {
  return object({ ...startedFields(), ...endedFields() });
}

export type LoggedWrite = Infer<ReturnType<typeof loggedWrite>>;

export type WriteLog = ReturnType<typeof openWriteLog>;

export function openWriteLog({ clock, paths, signal }: Pick<Context, 'clock' | 'paths' | 'signal'>) {
  const folder = join(paths.state, 'log');
  const path = join(folder, 'writes.ndjson');
  const chain = openChain(path, { clock, signal });
  const locked = <T>(work: () => T | Promise<T>, stop?: AbortSignal): Promise<T> =>
    withLock(join(folder, 'writes.lock'), clock, work, stop);

  return {
    path,
    append: (entry: Record<string, unknown>, stop?: AbortSignal): Promise<void> =>
      locked(async () => {
        chain.rotate(FILE_BYTES);
        await chain.append([JSON.stringify(entry)]);
      }, stop),
    /** A body may hold an identity or a short secret, which a plain digest would let anyone guess. */
    digest: ({ body = '', method, path: at }: SentWrite): string => {
      const file = join(folder, 'log.key');
      const key = readPrivateFile(file) ?? randomBytes(32).toString('hex');
      if (readPrivateFile(file) === undefined) writePrivateFile(file, key);
      return createHmac('sha256', key).update(`${method} ${at}\n`).update(body).digest('hex');
    },
    verify: chain.verify,
    /** The newest `limit` entries that `isWanted` accepts, oldest first. */
    entries: (isWanted: (entry: LoggedWrite) => boolean, limit = Infinity): LoggedWrite[] => {
      const started = looseObject({ ...startedFields(), request: string() });
      const ended = looseObject({ id: string(), ...endedFields() });
      const found = new Map<string, LoggedWrite>();
      const take = (line: string): void => {
        const { event, chain: _hash, entry: _number, ...fields } = parsed(line);
        if (event === 'started' && started.safeParse(fields).success) {
          const { request, ...rest } = fields as Infer<typeof started>;
          const entry: LoggedWrite = { ...rest, ...unknownEnd(request) };
          if (isWanted(entry)) found.set(entry.id, entry);
          const [oldest = ''] = found.keys();
          if (found.size > limit) found.delete(oldest);
        } else if (event === 'ended' && ended.safeParse(fields).success) {
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
    /** Removes the lines before a time and leaves checkpoints. */
    prune: (before: string): Promise<number> =>
      locked(() => chain.prune((line) => !isOlder(line, before), { before }), signal),
    /** The time of the first entry. */
    begins: (): string | undefined => {
      for (const part of chain.lines()) {
        const at = part.map((line) => parsed(line)).find(({ event }) => event === 'started')?.['at'];
        if (isText(at)) return at;
      }
      return undefined;
    },
    /** Bytes of all files. */
    size: (): number => {
      const names = existsSync(folder) ? readdirSync(folder) : [];
      return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
    },
  };
}

function isOlder(line: string, before: string): boolean {
  const { at, ended_at = at } = parsed(line);
  return isText(ended_at) && ended_at < before;
}

/** A damaged line is empty here; `log verify` names it. */
const parsed = (line: string): Record<string, unknown> => readRecord(line) ?? {};

function unknownEnd(request: string): Omit<LoggedWrite, keyof ReturnType<typeof startedFields>> {
  const none = { ended_at: null, error: null, plan: null, undo: null };
  return { ...none, outcome: 'unknown', requests: 1, request_ids: [request], counts: {} };
}

/**
 * Records the writes of one command. A log that cannot be written does not stop a write: it is no journal, and nothing is
 * resumed from it (decision: D301).
 */
export function recordWrites(ctx: Context, { args, path, undo }: LoggedCommand, target: Target) {
  const log = openWriteLog(ctx);
  const id = randomUUID().slice(0, 8);
  const requests = new Set<string>();
  let [count, accepted] = [0, 0];
  let started: Promise<unknown> | undefined;
  const { profile, ...place } = target;
  const append = (entry: Record<string, unknown>, stop?: AbortSignal): Promise<unknown> =>
    ctx.cacheFiles.attempt(() => log.append(redacted(ctx, entry), stop));

  const start = (write: SentWrite): Promise<unknown> =>
    ctx.cacheFiles.attempt(async () => {
      const digest = 'body' in write ? log.digest(write) : null;
      const who = { by: host.username(), host: host.hostname() };
      const what = { command: path, args: args.flat().filter(isText).slice(0, MOST_IDS).map(withoutQuery), digest };
      const at = isoMillis(ctx.clock.now());
      const entry = { event: 'started', id, at, ...who, profile, target: place, ...what, request: write.id };
      await log.append(redacted(ctx, entry), ctx.signal);
    });

  return {
    /** Resolves once the log names the write. */
    sending: async (write: SentWrite): Promise<void> => {
      if (requests.size < MOST_IDS) requests.add(write.id);
      count++;
      await (started ??= start(write));
    },
    accepted: (): void => {
      accepted++;
    },
    end: async ({ data, error, exit }: { data: unknown; error: unknown; exit: ExitName }): Promise<void> => {
      const result = isRecord(data) ? data : {};
      const outcome = outcomeOf(error, exit, { accepted, isShown: data !== undefined, requests: count });
      const plan = result['plan'];
      await append({
        event: 'ended',
        id,
        ended_at: isoMillis(ctx.clock.now()),
        outcome,
        error: error instanceof KnownError ? error.code : error === undefined ? null : 'bug',
        plan: typeof plan === 'string' ? plan : null,
        requests: count,
        request_ids: [...requests],
        counts: countsOf(result),
        undo: outcome === 'rejected' ? null : undoing(undo, result, profile),
      });
    },
  };
}

interface Tally {
  requests: number;
  accepted: number;
  /** The command printed its result, so the write is confirmed. */
  isShown: boolean;
}

function outcomeOf(error: unknown, exit: ExitName, { accepted, isShown, requests }: Tally): LoggedWrite['outcome'] {
  if (error === undefined) return exit === 'partial' ? 'partial' : 'done';
  if (!(error instanceof KnownError) || error.code === 'http.outcome_unknown') return 'unknown';
  if (exitOf(error) === 'partial') return 'partial';
  if (accepted === 0 && !isShown) return mayHaveArrived(error) ? 'unknown' : 'rejected';
  return requests > 1 && accepted < requests ? 'partial' : 'done';
}

/** A request without a response, or with an error of a gateway, may still have had its effect. */
function mayHaveArrived(error: KnownError): boolean {
  return exitOf(error) === 'network' || [500, 502, 504].includes(error.status ?? 0);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The query of an address may be its signature. */
function withoutQuery(text: string): string {
  return text.replace(/\?.*/s, '?…').slice(0, 200);
}

function redacted(ctx: Context, entry: Record<string, unknown>): Record<string, unknown> {
  const clean = (_key: string, value: unknown): unknown => (isText(value) ? ctx.redactor.text(value) : value);
  return JSON.parse(JSON.stringify(entry, clean)) as Record<string, unknown>;
}

/** Only names of counts: any other number may be an identity. */
const COUNTS =
  /^(?:rows|submitted|existing|accepted|rejected|failed|skipped|unknown|batches|create|modify|delete|unchanged)$/;

function countsOf(result: Record<string, unknown>): Record<string, number> {
  const { summary } = result;
  const fields = Object.entries({ ...result, ...(isRecord(summary) && summary) });
  return Object.fromEntries(
    fields.filter(([name, value]) => COUNTS.test(name) && Number.isSafeInteger(value)),
  ) as Record<string, number>;
}

/** `roles rollback {revision}` with the field of the result and the profile; null if the result has no such field. */
function undoing(template: string | undefined, result: Record<string, unknown>, profile: string | null): string | null {
  if (template === undefined) return null;
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  if (!names.every((name) => isText(result[name]))) return null;
  const line = template.replace(/\{(\w+)\}/g, (_all, name: string) => shellWord(result[name] as string));
  return `cdpadm ${line}${profile === null ? '' : ` --profile ${shellWord(profile)}`}`;
}
