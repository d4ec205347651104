// A run of `seed bulk`: its counts, its dry run, its shared rate, and the state left by an earlier run of the same files.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NOTHING_COMPLETED } from '../../lib/domain/seed/marks.ts';
import { parseShard } from '../../lib/domain/seed/shard.ts';
import { fail } from '../../lib/errors/fail.ts';
import type { SingleSeed } from '../../lib/contract/seeding.ts';
import {
  type Fingerprint,
  isSameContent,
  journalPath,
  openSeedJournal,
  type SeedCheckpoint,
  type SeedCounts,
} from '../../lib/files/bulk-journal.ts';
import { resolvePath } from '../../lib/files/read-input.ts';
import { isUntouched, openRejects, REJECTS_TAKEN } from '../../lib/files/seed-rejects.ts';
import { removeFile, requireNewFile } from '../../lib/kernel/durable.ts';
import { nameTaken } from '../../lib/kernel/temporary-file.ts';
import { type KnownError, systemErrorCode, usageError } from '../../lib/kernel/errors.ts';
import { parseJson } from '../../lib/kernel/json.ts';
import { counted, grouped } from '../../lib/kernel/words.ts';
import { validateSeeds } from '../../lib/workflows/seed-validate.ts';
import { verifyInputs } from '../../lib/bulk/sources/bytes.ts';
import { openRateStore, readStoreAddress, type SharedRate } from '../../lib/bulk/rate-store.ts';
import { readPace, refuseOtherFlags, resumeHint, type RunFlags } from '../bulk-flags.ts';
import { type Again, completeText, destinationOf, NO_EARLIER_RUN } from '../bulk-run.ts';
import type { OpenedInputs } from './inputs.ts';
import { rootCertificates } from 'node:tls';
import { furtherAuthorities } from '../../lib/runtime/checks/trusted-roots.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { lastingAddress } from '../../lib/runtime/target.ts';

export interface SeedRunFlags extends RunFlags {
  batchSize: number;
  batchBytes: string;
  shard?: string;
  rateStore?: string;
  rejects?: string;
  restart?: boolean;
}

export type BulkNumbers = ReturnType<typeof readBulkFlags>;

/** `limit` is the profile's rate. The rate in the returned `pace` is this shard's share. Throws usage (2). */
export function readBulkFlags(flags: SeedRunFlags, env: Context['io']['env'], limit: string | undefined) {
  const shard = flags.shard === undefined ? undefined : parseShard(flags.shard, env);
  if (shard === undefined && flags.rateStore !== undefined)
    throw usageError('--rate-store shares a rate among several shards.', 'Also pass --shard.');
  const pace = readPace('seeding', flags, limit);
  return {
    limits: { rows: flags.batchSize, bytes: readBytes(flags.batchBytes) },
    pace: { ...pace, rate: pace.rate && pace.rate / (shard?.count ?? 1) },
    shard,
    store: shard && readStoreAddress(flags.rateStore, env),
  };
}

const UNITS: Record<string, number> = { '': 1, B: 1, KB: 1000, MB: 1_000_000, KIB: 1024, MIB: 1_048_576 };

function readBytes(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,9})\s*([a-zA-Z]*)$/.exec(text) ?? [];
  const bytes = Number(number) * (UNITS[unit.toUpperCase()] ?? 0);
  if (number !== '' && bytes >= 1000 && bytes <= 64 * 1_048_576) return bytes;
  throw usageError(`--batch-bytes must be a size from 1KB to 64MiB, for example 256KB, not \`${text}\`.`);
}

const SHOWN_ISSUES = 10;

/** Checks the rows that an earlier run did not complete, and shows the first request. Sends nothing. */
async function showDryRun(
  ctx: Context,
  opened: OpenedInputs,
  { limits }: BulkNumbers,
  before: SeedCheckpoint | undefined,
): Promise<void> {
  const { seeding } = await ctx.api();
  const { rows, rejected, batches, first, issues } = await validateSeeds(opened, limits, ctx.signal, before);
  opened.reportUnseen();
  for (const issue of issues.slice(0, SHOWN_ISSUES)) ctx.out.warn(issue);
  if (issues.length > SHOWN_ISSUES) ctx.out.warn('Other rows are invalid, too: `cdpadm seed validate` lists them.');
  if (first !== undefined && ctx.flags.curl) {
    await (await seeding.openBulk()).send(first, ctx.signal);
    return;
  }
  if (rejected > 0) ctx.setExit('partial');
  const requests = first === undefined ? [] : [seeding.describeBulk(parseJson(first.toString('utf8')) as SingleSeed[])];
  const done = before === undefined ? 0 : completedIn(before);
  const plan = { rows: rows + done, accepted: rows - rejected, rejected, batches, done };
  await ctx.out.emitDryRun(requests, plan, () =>
    [
      ...(done > 0 ? [completeText(done)] : []),
      `${counted(rows, 'row')}: ${grouped(rows - rejected)} to send in ${counted(batches, 'request')}, ${grouped(rejected)} rejected.`,
      ...destinationOf(requests, batches),
    ].join('\n'),
  );
}

export type SeedRun = NonNullable<Awaited<ReturnType<typeof openRun>>>;

export const NO_COUNTS: SeedCounts = { accepted: 0, rejected: 0, batches: 0, requests: 0, retries: 0, ms: 0 };

const completedIn = ({ counts }: SeedCheckpoint): number => counts.accepted + counts.rejected;

/**
 * Opens the journal (none for standard input) and the rejects file. Calls `confirm` with the number of rows that an
 * earlier run completed, before anything is sent or removed. Throws usage (2), conflict (6) for changed files, guard
 * (12) after an earlier run, and the errors of `confirm`. A dry run is shown instead, and returns undefined.
 */
export async function openRun(
  ctx: Context,
  opened: OpenedInputs,
  numbers: BulkNumbers,
  flags: SeedRunFlags,
  again: Again,
  confirm: (complete: number) => Promise<void>,
) {
  const { settings: rowFlags, sources } = opened;
  const { shard } = numbers;
  const isDryRun = ctx.flags.dryRun || ctx.flags.curl;
  const keys = sources.flatMap(({ key }) => (key === undefined ? [] : [key]));
  const fromStdin = keys.length < sources.length;
  if (flags.resume && flags.restart) throw usageError('--resume and --restart cannot be combined.');
  const toFile = 'Write the input to a file first, and pass the file.';
  if (flags.resume && fromStdin) throw usageError('--resume does not work with standard input.', toFile);
  const share = shard && `${shard.index + 1}/${shard.count}`;
  const part = share === undefined ? '' : `.${share.replace('/', '-of-')}`;
  const wanted =
    flags.rejects === undefined
      ? `${sources.find(({ base }) => base)?.base ?? join(ctx.io.cwd, 'seed')}${part}.rejects.ndjson`
      : resolvePath(flags.rejects, ctx.io.cwd);
  const settings = await ctx.settings();
  // In another workspace or environment, a table's rows become different requests.
  const place = (['workspace_id', 'environment'] as const).map((name) => settings.get(name)?.value ?? '');
  const target = [lastingAddress(settings, 'seeding_url'), ...place];
  const path = journalPath('seed', ctx.paths.state, [...target, ...keys, share ?? '']);
  // Without an earlier run, a dry run writes nothing, not even a lock.
  const journal = fromStdin || (isDryRun && !existsSync(path)) ? undefined : openSeedJournal(path);
  try {
    const files: Fingerprint[] = [];
    // One after the other: the system limits the number of open files.
    for (const source of sources) if (source.key !== undefined) files.push(await source.fingerprint());
    ctx.logFacts({ ...(journal && { journal: journal.path, content: JSON.stringify(files) }) });
    const found = journal?.read(flags.restart);
    // A run without rows sent nothing.
    const known = found?.finished && completedIn(found) === 0 ? undefined : found;
    const resumed = flags.resume ? known : undefined;
    const restarted = flags.restart ? known : undefined;
    const isSame = known !== undefined && isSameContent(known.files, files);
    if (resumed && !isSame)
      throw fail('seed.changed', {
        message: `A file changed after ${resumed.finished ? 'it was sent' : 'the interrupted run'}.`,
        hint: { text: 'To send the whole file:', command: again('--restart') },
      });
    refuseOtherFlags(resumed?.settings, rowFlags, '--map, --cutoff-date, --null');
    if (known && !resumed && !restarted && (!known.finished || isSame)) throw ranBefore(known, rowFlags, again);
    if (isDryRun) {
      await showDryRun(ctx, opened, numbers, resumed);
      journal?.close();
      return undefined;
    }
    const isReplaced = restarted?.rejects?.path === wanted && existsSync(wanted) && isUntouched(restarted.rejects);
    if (!resumed && !isReplaced && existsSync(wanted)) throw nameTaken(wanted, REJECTS_TAKEN);
    const complete = resumed === undefined ? 0 : completedIn(resumed);
    if (!resumed?.finished) {
      // The default file may be in a read-only folder, which matters only if a row is rejected.
      if (flags.rejects !== undefined && !existsSync(wanted)) requireNewFile(wanted);
      await confirm(complete);
      await verifyInputs(sources, ctx.signal);
    }
    if (isReplaced) removeFile(wanted);
    if (restarted) journal?.remove();
    if (complete > 0) ctx.out.note(completeText(complete));
    if (flags.resume && !resumed) ctx.out.verbose(NO_EARLIER_RUN);
    const nothing = { files, ...NOTHING_COMPLETED, counts: NO_COUNTS, rejects: null, finished: false };
    const before: SeedCheckpoint = { ...(resumed ?? nothing), settings: rowFlags };
    const { rejects: earlier } = before;
    const isMoved = flags.rejects !== undefined && earlier !== null && earlier.path !== wanted;
    const others = [...(earlier?.others ?? []), ...(isMoved && earlier.bytes > 0 ? [earlier.path] : [])];
    const kept = isMoved ? undefined : (earlier ?? undefined);
    const rejects = openRejects(kept?.path ?? wanted, kept, ctx.out.warn, others);
    return { journal, before, rejects, close: () => [rejects, journal].forEach((file) => file?.close()) };
  } catch (error) {
    journal?.close();
    throw error;
  }
}

function ranBefore({ finished, counts, settings }: SeedCheckpoint, rowFlags: string, again: Again): KnownError {
  const done = `(${counted(counts.accepted, 'row')} accepted, ${grouped(counts.rejected)} rejected)`;
  return fail('seed.run_before', {
    message: finished
      ? `These files have already been sent ${done}.`
      : `An earlier run of these files did not finish ${done}.`,
    hint: finished
      ? { text: 'To send all of them again:', command: again('--restart') }
      : [
          resumeHint('To continue', again('--resume'), settings, rowFlags),
          { text: 'To start over, which sets the same values again:', command: again('--restart') },
        ],
  });
}

/** Opens the store of the shared rate, if there is one. If it is unreachable, the shard uses its own share. */
export async function openSharedRate(
  ctx: Context,
  { pace, shard, store }: BulkNumbers,
): Promise<SharedRate | undefined> {
  if (store === undefined || shard === undefined) return undefined;
  const settings = await ctx.settings();
  if (store.password !== '') ctx.redactor.add(decodeURIComponent(store.password));
  const limit = [lastingAddress(settings, 'seeding_url'), settings.get('workspace_id')?.value ?? '', 'seeding'];
  const file = settings.get('ca_file')?.value;
  const certificates = file === undefined ? undefined : [...rootCertificates, furtherAuthorities(file, ctx.io.env)];
  const opened = await openRateStore(store, limit, pace.rate && pace.rate * shard.count, certificates);
  let isClosed = false;
  ctx.onClose(async () => {
    isClosed = true;
    opened.close();
  });
  const share =
    pace.rate === undefined ? 'a rate of its own' : `its share, ${Number(pace.rate.toPrecision(3))} requests/s`;
  return {
    store: opened,
    onLost: (error) => {
      const reason = (error as Error).message || systemErrorCode(error) || 'no response';
      if (isClosed) return;
      ctx.out.warn(
        `The rate store ${store.host} cannot be used: ${reason.trimEnd().replace(/\.$/, '')}. This shard continues with ${share} and retries the store every 5 s.`,
      );
    },
  };
}
