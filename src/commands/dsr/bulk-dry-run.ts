// `dsr submit --bulk`: what --dry-run and --curl show, and warnings about rows and about people with earlier requests.
import { randomUUID } from 'node:crypto';
import type { DsrRequest } from '../../lib/contract/dsr.ts';
import { renderDsrBulk, renderDsrRows } from '../../lib/render/dsr-bulk.ts';
import { maskRequest } from '../../lib/render/dsr-request.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { openTable } from '../../lib/bulk/rows.ts';
import type { Inputs } from '../../lib/bulk/sources/bytes.ts';
import type { RowStates } from '../../lib/domain/dsr/row-states.ts';
import { counted } from '../../lib/kernel/words.ts';
import { type Examined, openRows } from '../../lib/workflows/dsr-examine.ts';
import type { ReadyRow, RowOptions } from '../../lib/workflows/dsr-row-reader.ts';
import { readRecent, readUnanswered, submittedEvent } from '../../lib/workflows/dsr-submit.ts';
import type { DsrSession } from './session.ts';

export interface DryRun {
  examined: Examined;
  /** The number of rows left to send, and the first of them. */
  left: number;
  first: readonly ReadyRow[];
  showIdentities: boolean;
}

/**
 * Shows the first requests as they would be sent, with identities masked; with --curl, only the first, as a command
 * line.
 */
export async function showDryRun(ctx: Context, session: DsrSession, dryRun: DryRun): Promise<void> {
  const { examined, first, left, showIdentities } = dryRun;
  const bodies = first.map(({ hasId, request }): DsrRequest => {
    const whole = hasId ? request : { ...request, subject_request_id: randomUUID() };
    return showIdentities ? whole : maskRequest(whole);
  });
  // Prints the command instead of sending, and ends.
  if (ctx.flags.curl && bodies[0]) await session.api.create(bodies[0]);
  const { done, kinds, rows, skipWaiting, withoutId } = examined;
  const shown = first.map(({ hasId, row }, index) => ({ hasId, row, request: bodies[index] as DsrRequest }));
  const requests = bodies.map((body) => session.api.describeCreate(body));
  const plan = {
    rows,
    requests: left,
    shown: requests.length,
    kinds: Object.fromEntries(kinds),
    done,
    without_id: withoutId,
    skip_waiting_period: skipWaiting,
  };
  await ctx.out.emitDryRun(requests, plan, (style, width) =>
    [
      renderDsrBulk(examined, style),
      ...(left < rows - done ? [`${rows - done - left} completed by an earlier run, ${left} left.`] : []),
      ...(bodies.length > 0 ? [shownOf(bodies.length, left), renderDsrRows(shown, style, width)] : []),
      ...(requests[0] ? [`Each would be a POST to ${requests[0].url}.`] : []),
    ].join('\n'),
  );
}

function shownOf(shown: number, left: number): string {
  if (shown < left) return `The first ${shown} of ${left} requests, by row:`;
  return left === 1 ? 'The request, by row:' : `The ${left} requests, by row:`;
}

interface PeopleOptions {
  inputs: Inputs;
  options: RowOptions;
  states?: RowStates;
  /** The submission times of requests that a row may not repeat. */
  recent: { from: number; to: number } | undefined;
}

/** Warns about rows for people with an earlier request: duplicates, and access requests whose data an erasure deletes. */
export async function warnOfPeople(
  ctx: Context,
  session: DsrSession,
  { inputs, options, recent, states }: PeopleOptions,
): Promise<void> {
  if (ctx.flags.curl) return;
  const findDuplicate = recent && (await readRecent(session, recent));
  const findUnanswered = await readUnanswered(session.ledger);
  if (!findDuplicate && !findUnanswered) return;
  const found = { duplicates: [] as number[], unanswered: [] as number[] };
  await openRows(await openTable(inputs, ctx.signal), options, states, async ({ request, row }) => {
    const news = await submittedEvent(request, session.submitter, session.ledger, ctx.clock.now());
    if (await findDuplicate?.(news)) found.duplicates.push(row);
    if (findUnanswered && findUnanswered(news).length > 0) found.unanswered.push(row);
  });
  const { duplicates, unanswered } = found;
  if (unanswered.length > 0)
    ctx.out.warn(
      `${counted(unanswered.length, 'erasure deletes', 'erasures delete')} the data of people whose access or portability request is still due (${rowsText(unanswered)}).`,
    );
  if (duplicates.length === 0) return;
  ctx.out.warn(
    `${counted(duplicates.length, 'row repeats', 'rows repeat')} a recent request for the same person and will be rejected (${rowsText(duplicates)}). To send ${duplicates.length === 1 ? 'it' : 'them'} anyway, pass --allow-duplicates.`,
  );
  ctx.setExit('partial');
}

const MOST_ROWS = 10;

function rowsText(rows: readonly number[]): string {
  const more = rows.length > MOST_ROWS ? `, and ${rows.length - MOST_ROWS} more` : '';
  return `${rows.length === 1 ? 'row' : 'rows'} ${rows.slice(0, MOST_ROWS).join(', ')}${more}`;
}

/** Warns about findings of the row check that are not errors. */
export function warnOfRows(ctx: Context, { devicesOnly, late, mostDaysLate, upperCase, withoutId }: Examined): void {
  if (late > 0) {
    const days = counted(mostDaysLate, 'day');
    ctx.out.warn(
      late === 1
        ? `The deadline of 1 row passed ${days} ago.`
        : `The deadlines of ${late} rows have passed, the first ${days} ago.`,
    );
  }
  const warn = (count: number, what: string): void => {
    if (count > 0) ctx.out.warn(`${counted(count, 'row has', 'rows have')} ${what}`);
  };
  warn(devicesOnly, 'only device identities. The platform does not find data stored under other identities.');
  warn(upperCase, 'upper-case letters in `email`; the platform matches exactly, so it may not find the person.');
  if (withoutId > 0 && !ctx.prompt.possible) {
    ctx.out.warn({
      text: `${counted(withoutId, 'row has', 'rows have')} no subject_request_id: only the journal on this machine records what was submitted. To add ids:`,
      command: 'cdpadm dsr prepare',
    });
  }
}
