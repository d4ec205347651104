// `dsr cancel`: cancels requests that are still pending.
import * as z from 'zod/mini';
import { CancelReply } from '../../lib/contract/dsr.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { forwardingLine, statusLine } from '../../lib/render/dsr-overview.ts';
import { wrapUnder } from '../../lib/render/width.ts';
import type { Style } from '../../lib/render/style.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { cancelRequests, type CancelPlan, planCancel } from '../../lib/workflows/dsr-cancel.ts';
import { openDsr, pickPending, requestIds } from './session.ts';

export const cancelPending = defineCommand({
  path: 'dsr cancel',
  summary: 'cancel pending requests',
  undoNote: 'A cancelled request cannot be resumed. Submit it again.',
  effect: 'write',
  tool: ['groupId'],
  calls: 'platform',
  args: { id: { many: true, optional: true, help: 'request ids', pick: pickPending } },
  flags: { groupId: { value: 'id', help: 'cancel every pending request in this group' } },
  output: () => z.array(CancelReply),
  notes: [
    'A cancellation does not stop an erasure that was already forwarded to partners. The command lists these partners before it asks for confirmation.',
  ],
  examples: [
    'cdpadm dsr cancel 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 --dry-run',
    'cdpadm dsr cancel --group-id spring-clean --yes',
  ],
  exits: {
    notFound: 'the request or the group does not exist',
    conflict: 'a request is not pending',
    guard: 'you answered no',
  },
  run: async (ctx, { args: { id: ids }, flags: { groupId } }) => {
    if (ids.length > 0 && groupId !== undefined) throw usageError('Pass request ids or --group-id, not both.');
    if (ids.length === 0 && groupId === undefined) throw usageError('Pass request ids, or --group-id GROUP.');
    const session = await openDsr(ctx);
    await ctx.startWrite('dsr');
    const plan = await planCancel(groupId === undefined ? { ids: requestIds(ids) } : { groupId }, session);
    const draw = (style: Style, width: number): string => drawPlan(plan, style, width);
    if (ctx.flags.dryRun) {
      const cancelled = plan.cancel.map((request) => request.subject_request_id);
      const requests = cancelled.map(session.api.describeCancel);
      return await ctx.out.emitDryRun(requests, { cancel: plan.cancel, leave: plan.keep }, draw, cancelled);
    }
    ctx.out.show(draw);
    const count = plan.cancel.length === 1 ? 'this request' : `these ${plan.cancel.length} requests`;
    await ctx.confirmWrite(`Cancel ${count}?`);
    return await cancelRequests(plan, session);
  },
  view: {
    kind: 'list',
    columns: [
      { key: 'subject_request_id', title: 'id', id: true, value: (it) => it.subject_request_id },
      { key: 'received_time', title: 'cancelled', value: (it) => it.received_time },
    ],
    empty: 'Nothing was cancelled.',
  },
});

function drawPlan({ cancel, keep }: CancelPlan, style: Style, width: number): string {
  const lines = cancel.flatMap((request) => {
    const sent = (request.extensions ?? []).filter(({ status }) => status === 'sent');
    const gone = sent.map((entry) =>
      wrapUnder('    ', `${style.yellow('already sent, not cancelled:')} ${forwardingLine(entry, style)}`, width),
    );
    return [wrapUnder('  cancel  ', statusLine(request, style), width), ...gone];
  });
  const left = keep.map((request) => wrapUnder(`  ${style.dim('leave')}   `, statusLine(request, style), width));
  return [...lines, ...left].join('\n');
}
