// `dsr submit --bulk`: finds the rows to send, shows them for --dry-run and --curl, and warns about rows and people.
import { randomUUID } from 'node:crypto';
import type { DsrRequest } from '../../lib/contract/dsr.ts';
import { renderDsrBulk, renderDsrRows } from '../../lib/render/dsr-bulk.ts';
import { maskRequest } from '../../lib/render/dsr-request.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { openTable } from '../../lib/bulk/rows.ts';
import type { Inputs } from '../../lib/bulk/sources/bytes.ts';
import type { RowStates } from '../../lib/domain/dsr/row-states.ts';
import { comparable, identitiesOf } from '../../lib/domain/dsr/normalize.ts';
import { createRowKeys } from '../../lib/kernel/row-keys.ts';
import { counted, grouped, listed } from '../../lib/kernel/words.ts';
import { completeText, destinationOf } from '../bulk-run.ts';
import type { DsrPorts } from '../../lib/workflows/dsr-ports.ts';
import { type Examined, openRows, type RowsToSend } from '../../lib/workflows/dsr-examine.ts';
import type { RowOptions } from '../../lib/workflows/dsr-row-reader.ts';
import { type EarlierRequest, readRecent, readUnanswered, submittedEvent } from '../../lib/workflows/dsr-submit.ts';

/** The rows that a run sends and those that it rejects. Used by the dry run, the confirmation and the run. */
export interface OpenRows extends RowsToSend {
  /** Rejected rows, each with the earlier request for the same person. */
  duplicates: ReadonlyMap<number, EarlierRequest>;
}

/** Shows the first requests, with masked identities unless `showIdentities`; --curl prints the first as a command. */
export async function showDryRun(
  ctx: Context,
  session: DsrPorts,
  examined: Examined,
  open: OpenRows,
  showIdentities: boolean,
): Promise<void> {
  const { duplicates, first, left, skipWaiting } = open;
  const shown = first.map(({ hasId, request, row }) => {
    const whole = hasId ? request : { ...request, subject_request_id: randomUUID() };
    return { hasId, row, request: showIdentities ? whole : maskRequest(whole) };
  });
  // With --curl, this call prints the command and ends the run instead of sending the request.
  if (ctx.flags.curl && shown[0]) await session.api.create(shown[0].request);
  const { done, kinds, rows, withoutId } = examined;
  const requests = shown.map(({ request }) => session.api.describeCreate(request));
  const firstDuplicates = [...duplicates].slice(0, MOST_SHOWN);
  const earlier = rows - done - left - duplicates.size;
  const plan = {
    rows,
    requests: left,
    shown: requests.length,
    duplicates: duplicates.size,
    duplicate_rows: firstDuplicates.map(([row, { id }]) => ({ row, subject_request_id: id })),
    kinds: Object.fromEntries(kinds),
    done,
    without_id: withoutId,
    skip_waiting_period: skipWaiting,
  };
  await ctx.out.emitDryRun(requests, plan, (style, width) =>
    [
      renderDsrBulk({ ...examined, ...open }, style),
      ...(earlier > 0 ? [completeText(earlier, left)] : []),
      ...(shown[0] ? [shownOf(shown[0].row, shown.length, left), renderDsrRows(shown, style, width)] : []),
      ...destinationOf(requests, left),
    ].join('\n'),
  );
}

function shownOf(row: number, shown: number, left: number): string {
  if (left === 1) return `The request for row ${row}:`;
  return shown < left ? `The first ${shown} of ${grouped(left)} requests, by row:` : `The ${left} requests, by row:`;
}

interface OpenOptions {
  inputs: Inputs;
  options: RowOptions;
  states: RowStates | undefined;
  /** Range of submission times of the requests that rows must not repeat. */
  recent: { from: number; to: number } | undefined;
}

/** Finds the rows to send. Warns about duplicates, and about erasures of data that an access request still needs. */
export async function findOpenRows(
  ctx: Context,
  session: DsrPorts,
  examined: Examined,
  { inputs, options, recent, states }: OpenOptions,
): Promise<OpenRows> {
  const { curl, dryRun } = ctx.flags;
  const findDuplicate = curl ? undefined : recent && (await readRecent(session, recent));
  const duplicates = new Map<number, EarlierRequest>();
  const erasures = [...examined.kinds.keys()].filter((kind) => kind.endsWith(' erasure')).length;
  const findUnanswered = curl || erasures === 0 ? undefined : await readUnanswered(session.ledger);
  const isMixed = erasures > 0 && erasures < examined.kinds.size;
  // No row needs another check, so do not read the file again.
  if (!findDuplicate && !findUnanswered && !states && !isMixed) return { ...examined, duplicates };
  const unanswered: number[] = [];
  const waiting = createRowKeys();
  const openOnes = async (accepts: Parameters<typeof openRows>[3]) =>
    await openRows(await openTable(inputs, ctx.signal), options, states, accepts);
  const end = ctx.out.waits({ text: 'Searching for earlier requests' });
  const open = await openOnes(async ({ request, row }) => {
    const isErasure = request.subject_request_type === 'erasure';
    if (findDuplicate || (findUnanswered && isErasure)) {
      const news = await submittedEvent(request, session.submitter, session.ledger, ctx.clock.now());
      // An earlier run may have sent a row that is not new, so confirm that row instead of rejecting it.
      const isNew = states === undefined || states.state(row) === 'open';
      const before = isNew ? await findDuplicate?.(news) : undefined;
      if (before) duplicates.set(row, before);
      else if (findUnanswered && findUnanswered(news).length > 0) unanswered.push(row);
    }
    if (isMixed && !isErasure && !duplicates.has(row)) for (const key of personKeys(request)) waiting.add(key, row);
    return !duplicates.has(row);
  }).finally(end);
  warnOfErasures(ctx, unanswered, 'whose access or portability request is still due');
  if (isMixed) {
    const inFile: number[] = [];
    await openOnes(({ request, row }) => {
      const isErasure = request.subject_request_type === 'erasure' && !duplicates.has(row);
      if (isErasure && personKeys(request).some(waiting.has)) inFile.push(row);
      return false;
    });
    warnOfErasures(ctx, inFile, 'with an access or portability request in the same input');
  }
  if (duplicates.size > 0) {
    const repeats = counted(duplicates.size, 'row repeats', 'rows repeat');
    ctx.out.warn(
      `${repeats} a recent request for the same person and will be rejected (${rowsText([...duplicates.keys()])}). To send ${duplicates.size === 1 ? 'it' : 'them'} anyway, pass --allow-duplicates.`,
    );
    if (dryRun) ctx.setExit('partial');
  }
  return { ...open, duplicates };
}

/** Returns one key per identity: requests for the same person share a key (decision: D278). */
function personKeys(request: DsrRequest): string[] {
  return identitiesOf(request).map(([type, value]) => `${type} ${comparable(type, value)}`);
}

function warnOfErasures(ctx: Context, rows: readonly number[], who: string): void {
  if (rows.length > 0)
    ctx.out.warn(
      `${counted(rows.length, 'erasure deletes', 'erasures delete')} the data of people ${who} (${rowsText(rows)}).`,
    );
}

const MOST_SHOWN = 100;

export function rowsText(rows: readonly number[]): string {
  return `${rows.length === 1 ? 'row' : 'rows'} ${listed(rows, 10)}`;
}

/** Warns about findings of the row check that are not errors. */
export function warnOfRows(ctx: Context, examined: Examined): void {
  const { advice, late, mostDaysLate, trimmed, withoutId } = examined;
  const warn = (rows: readonly number[], what: string): void => {
    if (rows.length > 0) ctx.out.warn(`${counted(rows.length, 'row has', 'rows have')} ${what} (${rowsText(rows)}).`);
  };
  const deadline = late.length > 1 ? 'deadlines that have passed, the earliest' : 'a deadline that passed';
  warn(late, `${deadline} ${counted(mostDaysLate, 'day')} ago`);
  warn(trimmed, 'spaces around an identity, which are removed');
  for (const [what, rows] of advice) warn(rows, what);
  if (withoutId > 0 && !ctx.prompt.possible) {
    ctx.out.warn({
      text: `${counted(withoutId, 'row has', 'rows have')} no subject_request_id: only the journal on this machine records what was submitted. To add ids:`,
      command: 'cdpadm dsr prepare',
    });
  }
}
