// `dsr submit --bulk`: a file of requests, checked whole, journaled, sent, and written out with what became of each row.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createRowStates, type RowStates } from '../../lib/domain/dsr/row-states.ts';
import { type DsrJournal, type JournalHead, journalPath, openDsrJournal } from '../../lib/files/dsr-journal.ts';
import { openDsrTable, type RowSource } from '../../lib/files/dsr-rows.ts';
import { nameTaken, openPrivateLines } from '../../lib/files/private-lines.ts';
import { readInputBytes } from '../../lib/files/read-input.ts';
import { CliError, EXIT, usageError } from '../../lib/kernel/errors.ts';
import { formatDuration, isoMillis, isoSeconds } from '../../lib/kernel/timestamps.ts';
import { bulkView, type BulkResult, renderBulk } from '../../lib/render/dsr-bulk.ts';
import { maskRequest } from '../../lib/render/dsr-request.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { submitRows, restoreStates } from '../../lib/workflows/dsr-bulk.ts';
import { type Examined, examineRows, type RowOptions } from '../../lib/workflows/dsr-examine.ts';
import { writeResults } from '../../lib/workflows/dsr-row-output.ts';
import { type BulkFlags, readBulkFlags, rowOptions } from './bulk-flags.ts';
import { answerVerifier, type DsrSession, openDsr } from './session.ts';

interface Run {
  file: string;
  source: RowSource;
  results: string;
  examined: Examined;
  options: RowOptions;
  states: RowStates;
  journal: DsrJournal;
}

export async function submitBulk(ctx: Context, file: string, flags: BulkFlags): Promise<void> {
  const { curl, dryRun } = ctx.flags;
  if (file === '-' && flags.results === undefined && !dryRun && !curl) {
    throw usageError('Standard input has no name to call the result file by: give --results FILE.');
  }
  const numbers = readBulkFlags(flags, (await ctx.settings()).limits['dsr']);
  const session = await openDsr(ctx);
  const source = await sourceOf(ctx, file);
  const name = file === '-' ? '<stdin>' : file;
  const results = resolve(ctx.io.cwd, flags.results ?? `${file}.results.csv`);
  const first = await rowOptions(ctx, session, name, flags, isoSeconds(ctx.clock.now()));
  const examined = await examineRows(await openDsrTable(source, name), first);
  tellAdvice(ctx, examined);
  if (dryRun || curl) {
    await rehearse(ctx, session, examined, flags.showIdentities === true);
    return;
  }
  const journal = openDsrJournal(
    journalPath(ctx.paths.state, [examined.digest, session.sender.address, session.sender.workspace_id]),
  );
  try {
    const head = await journal.head();
    refuseSecondRun(head, flags, first, name);
    const states = createRowStates();
    if (head) await restoreStates(journal, states);
    const options = head ? { ...first, defaults: { ...first.defaults, submitted_time: head.submitted_time } } : first;
    const run: Run = {
      file: name,
      source,
      results: flags.results === undefined && head ? head.results : results,
      examined,
      options,
      states,
      journal,
    };
    await perform(ctx, session, run, head, numbers);
  } finally {
    journal.close();
  }
}

/** The bytes of standard input are kept in memory: they are read more than once, and no copy of them goes to the disk. */
async function sourceOf(ctx: Context, file: string): Promise<RowSource> {
  return file === '-' ? { bytes: await readInputBytes(file, ctx.io) } : { path: resolve(ctx.io.cwd, file) };
}

/** Shows the first requests as they would go out, identities masked; with --curl the very first as a command line. */
async function rehearse(ctx: Context, session: DsrSession, examined: Examined, showIdentities: boolean): Promise<void> {
  const bodies = examined.first.map(({ hasId, request }) => {
    const whole = hasId ? request : { ...request, subject_request_id: randomUUID() };
    return showIdentities ? whole : maskRequest(whole);
  });
  // Prints the command in place of sending, and ends.
  if (ctx.flags.curl && bodies[0]) await session.api.create(bodies[0]);
  const { done, kinds, rows, skipWaiting, withoutId } = examined;
  const requests = bodies.map((body) => session.api.describeCreate(body));
  const plan = {
    rows,
    requests: rows - done,
    shown: requests.length,
    kinds: Object.fromEntries(kinds),
    done,
    without_id: withoutId,
    skip_waiting_period: skipWaiting,
  };
  await ctx.out.emitDryRun(requests, plan, (style) =>
    [renderBulk(examined, style), ...(requests[0] ? [`Each would be a POST to ${requests[0].url}.`] : [])].join('\n'),
  );
}

/** decision: D58 */
function refuseSecondRun(head: JournalHead | undefined, flags: BulkFlags, options: RowOptions, file: string): void {
  if (!head) return;
  if (!flags.resume) {
    throw new CliError({
      code: 'dsr.bulk_again',
      message: `The content of ${file} was submitted before, as ${head.input} on ${head.at}.`,
      hint: 'Go on with what it left by --resume; rows that are done are not sent again. For the same people once more, make ids of their own with `cdpadm dsr prepare`.',
      exit: EXIT.guard,
    });
  }
  if (head.settings !== settingsDigest(options)) {
    throw usageError(
      'The run that is resumed was begun with other flags; its rows would become other requests.',
      'Give the same --regulation, --type, --map and other flags of the rows as then.',
    );
  }
}

function settingsDigest({ defaults, mapping, vendorDomain }: RowOptions): string {
  const { submitted_time: _now, ...rest } = defaults;
  return createHash('sha256')
    .update(JSON.stringify([rest, [...mapping].sort(), vendorDomain]))
    .digest('hex');
}

async function perform(
  ctx: Context,
  session: DsrSession,
  run: Run,
  head: JournalHead | undefined,
  numbers: ReturnType<typeof readBulkFlags>,
): Promise<void> {
  const { examined, file, journal, options, results, source, states } = run;
  const settledBefore = countSettled(states);
  const left = examined.rows - settledBefore;
  if (existsSync(results) && (left > 0 || !head)) throw nameTaken(results);
  if (left > 0) {
    ctx.out.show((style) => renderBulk(examined, style));
    if (settledBefore > 0) ctx.out.note(`${settledBefore} rows were settled before; ${left} are left.`);
    await ctx.confirmWrite(`Submit ${left === 1 ? 'this request' : `these ${left} requests`}?`, 'dsr_base_url');
  }
  if (!head) {
    journal.write({
      version: 1,
      input: file,
      rows: examined.rows,
      settings: settingsDigest(options),
      results,
      submitted_time: options.defaults.submitted_time,
      at: isoMillis(ctx.clock.now()),
    });
  }
  const begun = ctx.clock.now();
  const progress = ctx.out.progress('Submitting');
  const before = {
    failed: states.count('failed'),
    existing: states.count('existing'),
    submitted: states.count('submitted'),
  };
  let counts = { requests: 0, retries: 0, unsigned: 0 };
  try {
    const table = await openDsrTable(source, file);
    counts = await submitRows({
      ...session,
      ...numbers,
      table,
      options,
      journal,
      states,
      random: ctx.io.random,
      retries: ctx.flags.retries,
      verify: answerVerifier(ctx, session),
      onDecision: (text) => ctx.out.verbose(text),
      onWait: progress.wait,
      onProgress: () => {
        const done = countSettled(states);
        progress.update({
          done,
          total: examined.rows,
          text: pace(done - settledBefore, examined.rows - done, ctx.clock.now() - begun),
        });
      },
    });
    if (left > 0 && table.digest() !== examined.digest) ctx.out.warn(`${file} was changed while it was submitted.`);
  } catch (error) {
    progress.end();
    throw resumable(error, run);
  }
  progress.end();
  if (!existsSync(results)) {
    const out = openPrivateLines(results);
    try {
      await writeResults(await openDsrTable(source, file), options, states, examined.used, out);
      out.finish();
    } catch (error) {
      out.discard();
      throw error;
    }
  }
  if (counts.unsigned > 0)
    ctx.out.warn(`${counts.unsigned} answers were not signed as they should be; check the address in use.`);
  const data: BulkResult = {
    rows: examined.rows,
    submitted: states.count('submitted') - before.submitted,
    existing: states.count('existing') - before.existing,
    failed: states.count('failed'),
    skipped: states.count('skipped') + before.submitted + before.existing,
    requests: counts.requests,
    retries: counts.retries,
    seconds: Math.round((ctx.clock.now() - begun) / 100) / 10,
    results,
    journal: journal.path,
  };
  if (data.failed > 0) ctx.setExit(EXIT.partial);
  await ctx.out.emit(data, bulkView);
  if (data.failed > 0)
    ctx.out.note(
      `${data.failed} rows were refused; the column \`error\` of ${results} says why. Mend them there and submit that file: rows that are done are passed over.`,
    );
}

function countSettled(states: RowStates): number {
  return (['submitted', 'existing', 'failed', 'skipped'] as const).reduce((sum, state) => sum + states.count(state), 0);
}

function pace(done: number, left: number, ms: number): string {
  if (done === 0 || ms < 1000) return '';
  const perSecond = (done * 1000) / ms;
  return `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)} a second, ${formatDuration((left / perSecond) * 1000)} left`;
}

/** Says how to go on; whatever ended the run, the journal knows how far it came. */
function resumable(error: unknown, { examined, file, states }: Run): unknown {
  if (!(error instanceof CliError)) return error;
  const done = countSettled(states);
  return new CliError({
    code: error.code,
    message: `${error.message} ${done} of ${examined.rows} rows are settled.`,
    hint: [
      error.hint,
      `Go on with: the same command and --resume (\`cdpadm dsr submit --bulk ${file === '<stdin>' ? '-' : file} --resume\`). No row is sent twice.`,
    ]
      .filter(Boolean)
      .join(' '),
    exit: error.exit,
    ...(error.status !== undefined && { status: error.status }),
    ...(error.request && { request: error.request }),
    cause: error,
  });
}

function tellAdvice(ctx: Context, { devicesOnly, withoutId }: Examined): void {
  if (devicesOnly > 0)
    ctx.out.warn(
      `${devicesOnly} rows name devices only; a person whose data hang on another identity is not found by them.`,
    );
  if (withoutId > 0 && !ctx.prompt.possible) {
    ctx.out.note(
      `${withoutId} rows have no subject_request_id: only the journal on this machine can tell that they were submitted. \`cdpadm dsr prepare\` writes ids in.`,
    );
  }
}
