// `dsr submit --bulk` with --dry-run or --curl: what would be sent.
import { randomUUID } from 'node:crypto';
import type { DsrRequest } from '../../lib/contract/dsr.ts';
import { renderDsrBulk, renderDsrRows } from '../../lib/render/dsr-bulk.ts';
import { maskRequest } from '../../lib/render/dsr-request.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { Examined } from '../../lib/workflows/dsr-examine.ts';
import type { ReadyRow } from '../../lib/workflows/dsr-row-reader.ts';
import type { DsrSession } from './session.ts';

export interface DryRun {
  examined: Examined;
  /** The number of rows left to send, and the first ones. */
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
