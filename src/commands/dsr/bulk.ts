// `dsr submit --bulk`: checks files of requests, sends them, and writes the outcome of each row to a results file.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { countComplete } from '../../lib/domain/dsr/row-states.ts';
import { journalPath, openDsrJournal } from '../../lib/files/bulk-journal.ts';
import { openTable } from '../../lib/bulk/rows.ts';
import { type Inputs, nameOfInputs, verifyInputs } from '../../lib/bulk/sources/bytes.ts';
import { steadyClock } from '../../lib/kernel/clock.ts';
import { requireNewFile } from '../../lib/kernel/durable.ts';
import { freeName } from '../../lib/kernel/temporary-file.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { counted, grouped } from '../../lib/kernel/words.ts';
import { isoMillis } from '../../lib/kernel/timestamps.ts';
import { renderDsrBulk } from '../../lib/render/dsr-bulk.ts';
import { fields, type RecordView } from '../../lib/render/view.ts';
import { createBulkFacts } from '../../lib/render/progress.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { Target } from '../../lib/runtime/target.ts';
import { readRecent } from '../../lib/workflows/dsr-submit.ts';
import { submitRows } from '../../lib/workflows/dsr-bulk.ts';
import { examineRows } from '../../lib/workflows/dsr-examine.ts';
import { resultLines } from '../../lib/workflows/dsr-row-reader.ts';
import { each, type WithTarget, workspaceTarget } from '../results.ts';
import { hasResults, readEarlierRun, refuseSecondRun, resumable, settingsDigest, writeResults } from './bulk-again.ts';
import { openBulkInputs, readPace } from '../bulk-flags.ts';
import {
  type Again,
  completeText,
  NO_EARLIER_RUN,
  type ResumeCommand,
  runWithProgress,
  shownPath,
  withProgress,
} from '../bulk-run.ts';
import { type BulkFlags, readDuplicateWindow, rowOptions } from './bulk-flags.ts';
import { findOpenRows, showDryRun, warnOfRows } from './bulk-dry-run.ts';
import { answerVerifier, openSubmit } from './session.ts';

export function bulkResult() {
  return z.object({
    ...each(z.int(), 'rows', 'submitted'),
    /** Rows that had an id in the file and whose request was already on the platform before this run. */
    existing: z.int(),
    failed: z.int(),
    /** Rows for which no response or read shows whether the platform accepted them. Absent if there are none. */
    unknown: z.optional(z.int()),
    /** Rows completed by an earlier run, or marked as done in a results file. */
    skipped: z.int(),
    /** Rows not sent yet: zero unless an error ended the run. */
    left: z.int(),
    ...each(z.int(), 'requests', 'retries'),
    seconds: z.number(),
    ...each(z.string(), 'results', 'journal'),
    /** First input, and the number of other inputs. */
    input: z.string(),
    /** Command that resumes the run, if any row is left or unknown. */
    resume: z.optional(z.string()),
    argv: z.optional(z.array(z.string())),
    target: workspaceTarget(),
  });
}

export const bulkView: RecordView<WithTarget<typeof bulkResult>> = {
  kind: 'record',
  columns: [
    ...fields('rows', 'submitted', 'existing', 'failed'),
    { key: 'unknown', value: ({ unknown = 0 }) => unknown },
    ...fields('skipped', 'requests', 'retries', 'seconds', 'results', 'journal'),
  ],
  name: ({ results }) => results,
};

type SentCounts = Record<'requests' | 'retries', number>;

/** Returns the result of a part that an error ended before its first row. */
export function emptyResult(part: NextCommands['part'], target: Target): WithTarget<typeof bulkResult> {
  const none = { rows: 0, submitted: 0, existing: 0, failed: 0, skipped: 0, left: 0, requests: 0, retries: 0 };
  return { ...none, seconds: 0, results: '', journal: '', input: part.input, argv: part.argv, target };
}

export interface NextCommands {
  again: Again;
  /** The command that submits a results file after its failed rows are corrected. */
  correct: (results: string, input: Inputs[0]) => string;
  /** The command that resumes the run, including the target flags, and the name of the inputs. */
  part: ResumeCommand & { input: string };
}

export async function submitBulk(ctx: Context, files: string[], flags: BulkFlags, next: NextCommands): Promise<void> {
  const run = await openRun(ctx, files, flags, next);
  if (run) await perform(ctx, run);
}

type Run = NonNullable<Awaited<ReturnType<typeof openRun>>>;

/** Checks the inputs, and opens the journal. Returns undefined if no row is to be sent. Sets `next.part.input`. */
async function openRun(ctx: Context, files: string[], flags: BulkFlags, next: NextCommands) {
  const isDryRun = ctx.flags.curl || ctx.flags.dryRun;
  const pace = readPace('dsr', flags, (await ctx.settings()).limits['dsr']);
  const windowMs = readDuplicateWindow(flags);
  const session = await openSubmit(ctx);
  const inputs = await openBulkInputs(ctx, files, flags, { isReread: true });
  const name = (next.part.input = nameOfInputs(inputs));
  const { base } = inputs[0];
  if (base === undefined && flags.results === undefined && !isDryRun)
    throw usageError('With standard input, the results file needs a name: pass --results FILE.');
  const given = await rowOptions(ctx, session.normalize, flags);
  const examined = await examineRows(await openTable(inputs, ctx.signal), given, name);
  const target = await ctx.startWrite('dsr');
  if (examined.rows === 0) {
    ctx.out.warn(`${name} has no rows.`);
    if (!isDryRun) {
      await ctx.out.emit(emptyResult(next.part, target), bulkView);
      return undefined;
    }
  }
  const { address, workspace_id: workspace } = session.submitter;
  const path = journalPath('dsr', ctx.paths.state, [examined.digest, address, workspace]);
  // Without an earlier run, a dry run writes nothing, not even a lock.
  const journal = isDryRun && !existsSync(path) ? undefined : openDsrJournal(path);
  if (journal) ctx.onClose(() => Promise.resolve(journal.close()));
  const settings = settingsDigest(given, inputs);
  const { head, states } = await readEarlierRun(journal, { isDryRun, rows: examined.rows, settings });
  if (!head) warnOfRows(ctx, examined);
  else refuseSecondRun(head, flags, { again: next.again, inputs, settings, states });
  const options = head ? { ...given, defaults: { ...given.defaults, submitted_time: head.submitted_time } } : given;
  // Rows of this run never count as duplicates of each other, even after the run is resumed.
  const to = head && Date.parse(head.at);
  const from = (to ?? ctx.clock.now()) - windowMs;
  const recent = flags.allowDuplicates === true ? undefined : { from, to: to ?? Infinity };
  const open = await findOpenRows(ctx, session, examined, { inputs, options, recent, states: head && states });
  if (flags.resume && !head) {
    if (open.duplicates.size === 0) ctx.out.verbose(NO_EARLIER_RUN);
    else
      ctx.out.warn(`No earlier run has this content. If ${name} changed after an interrupted run, restore it first.`);
  }
  if (isDryRun || !journal) {
    await showDryRun(ctx, session, examined, open, flags.showIdentities === true);
    return undefined;
  }
  const wanted =
    flags.results === undefined && head ? head.results : resolve(ctx.io.cwd, flags.results ?? `${base}.results.csv`);
  const isWhole = countComplete(states) === examined.rows;
  const isWritten = isWhole && existsSync(wanted) && (await hasResults(wanted, states));
  if (isWhole && !isWritten && existsSync(wanted)) ctx.out.warn(`${wanted} is not from this run, so it is kept.`);
  const isTaken = isWhole ? !isWritten : states.count('unknown') > 0;
  const results = isTaken ? freeName(wanted) : wanted;
  const found = { examined, head, isWritten, journal, open, recent, results, states };
  return { ...next, ...found, inputs, options, pace, session, settings, target };
}

/** Asks for confirmation, sends the remaining rows, and writes the results. */
async function perform(ctx: Context, run: Run): Promise<void> {
  const { examined, head, inputs, journal, open, options, pace, results, session, states } = run;
  const completeBefore = countComplete(states);
  if (!run.isWritten) requireNewFile(results, 'Move it elsewhere, or pass another file: --results FILE.');
  if (completeBefore < examined.rows) {
    ctx.out.show((style) => renderDsrBulk({ ...examined, ...open }, style));
    if (completeBefore > 0) ctx.out.note(completeText(completeBefore, open.left));
    if (open.left > 0)
      await ctx.confirmWrite(`Submit ${open.left === 1 ? 'this request' : `these ${grouped(open.left)} requests`}?`);
    await verifyInputs(inputs, ctx.signal);
  }
  if (!head) {
    journal.write({
      version: 1,
      input: run.part.input,
      rows: examined.rows,
      settings: run.settings,
      results,
      submitted_time: options.defaults.submitted_time,
      at: isoMillis(ctx.clock.now()),
    });
  }
  const undoNote = 'To cancel a request, pass its id from the results file to `dsr cancel`.';
  ctx.logFacts({ content: examined.digest, journal: journal.path, undoNote });
  const { now } = steadyClock(ctx.clock);
  const begun = now();
  const { resume, ...part } = run.part;
  const before = { existing: states.count('existing'), submitted: states.count('submitted') };
  const resultOf = ({ requests, retries }: SentCounts): WithTarget<typeof bulkResult> => {
    const unknown = states.count('unknown');
    const done = {
      rows: examined.rows,
      submitted: states.count('submitted') - before.submitted,
      existing: states.count('existing') - before.existing,
      failed: states.count('failed'),
      ...(unknown > 0 && { unknown }),
      skipped: states.count('skipped') + before.submitted + before.existing,
      left: examined.rows - countComplete(states) - unknown,
    };
    ctx.logFacts({ counts: done });
    return {
      ...done,
      requests,
      retries,
      seconds: Math.round((now() - begun) / 100) / 10,
      results,
      journal: journal.path,
      ...part,
      ...(done.left + unknown > 0 && { resume }),
      target: run.target,
    };
  };
  const facts = createBulkFacts();
  /** Rows that a results file marks as done take no time, so they do not count toward the rate. */
  const countHandled = (): number => countComplete(states) - states.count('skipped');
  const handledBefore = countHandled();
  let reached: SentCounts = { requests: 0, retries: 0 };
  const counts = await runWithProgress(
    ctx,
    'Submitting',
    async (progress) => {
      const table = await openTable(inputs, ctx.signal);
      const findDuplicate = run.recent && (await readRecent(session, run.recent));
      const sent = await submitRows({
        ...session,
        ...pace,
        table,
        options,
        journal,
        states,
        random: ctx.io.random,
        findDuplicate,
        duplicates: open.duplicates,
        verify: answerVerifier(ctx),
        redactor: ctx.redactor,
        onDecision: ctx.out.verbose,
        onWait: progress.wait,
        onProgress: ({ requests, retries }) => {
          reached = { requests, retries };
          const completed = countHandled() - handledBefore;
          const share = completed / (open.left + open.duplicates.size);
          const state = { completed, ms: now() - begun, rejected: states.count('failed'), ...reached, share };
          progress.update({ done: countComplete(states), total: examined.rows, ...facts(state) });
        },
      });
      if (!run.isWritten)
        await writeResults(results, resultLines(await openTable(inputs), options, states, examined.used));
      return sent;
    },
    (error) => withProgress(resumable(error, run), resultOf(reached)),
  );
  const unsigned = counted(counts.unsigned, 'response has', 'responses have');
  if (counts.unsigned > 0) ctx.out.warn(`${unsigned} an invalid signature. Check the address in the profile.`);
  const data = resultOf(counts);
  if (data.failed > 0 || data.unknown !== undefined) ctx.setExit('partial');
  await ctx.out.emit(data, bulkView);
  noteOutcome(ctx, data, run.again('--resume'), run.correct(shownPath(ctx, results), inputs[0]));
}

/** Shows where rejected and unknown rows are: `resume` checks the unknown ones, `correct` submits the results file. */
export function noteOutcome(
  ctx: Context,
  { failed, results, unknown = 0 }: Pick<WithTarget<typeof bulkResult>, 'failed' | 'results' | 'unknown'>,
  resume: string,
  correct?: string,
): void {
  if (failed > 0) {
    const rows = counted(failed, 'row was', 'rows were');
    const how = `Fix ${failed === 1 ? 'it' : 'them'} there, then submit that file`;
    const text = `${rows} rejected; see the \`error\` column of ${results}. ${how}`;
    ctx.out.note(
      correct === undefined
        ? `${text} with the same flags as its part; completed rows are skipped.`
        : { text: `${text} (completed rows are skipped):`, command: correct },
    );
  }
  if (unknown > 0) {
    ctx.out.warn({
      text: `The outcome of ${counted(unknown, 'row')} is unknown; see the \`error\` column of ${results}. To check with the platform again:`,
      command: resume,
    });
  }
}
