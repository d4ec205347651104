// `dsr status`: requests as they are now.
import { Command } from 'commander';
import { isFinal } from '../../lib/domain/dsr/statuses.ts';
import type { RequestOverview } from '../../lib/domain/dsr/overview.ts';
import { REQUEST_COLUMNS, requestView, statusLine } from '../../lib/render/dsr-overview.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { createRedrawing } from '../../lib/runtime/output/redrawing.ts';
import { readRequests } from '../../lib/workflows/dsr-read.ts';
import { watch } from '../../lib/workflows/dsr-wait.ts';
import { type DsrSession, openDsr, requestIds } from './session.ts';

export function statusCommand(ctx: Context): Command {
  const command = new Command('status')
    .description('show how far requests are, and what became of their forwarding')
    .argument('<id...>', 'ids of requests')
    .option('--watch', 'go on until all are at their end')
    .action(async (ids: string[], flags: { watch?: boolean }) => {
      const session = await openDsr(ctx);
      const wanted = requestIds(ids);
      if (flags.watch) await watchStatus(ctx, session, wanted);
      else await ctx.out.emit(await readRequests(wanted, session), requestView);
    });
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    columns: () => REQUEST_COLUMNS,
    notes: [
      'With --watch a terminal is redrawn; elsewhere each change is a line, and with -o json an object a line.',
      'Deadline, type and submission are known for requests that were submitted from this machine.',
    ],
    examples: [
      'cdpadm dsr status 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11',
      'cdpadm dsr status 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 -o json',
    ],
    json: '[{"controller_id","expected_completion_time","subject_request_id","group_id","request_status","api_version","results_url","extensions":[{"domain","name","status","status_message"}],"regulation","subject_request_type","submitted_time","deadline","cancellable_until","results_expire_at"}]',
    exits: { 5: 'the platform has no such request in this workspace' },
  });
}

async function watchStatus(ctx: Context, session: DsrSession, ids: readonly string[]): Promise<void> {
  const screen = createRedrawing(ctx);
  const seen = new Map<string, string>();
  await watch(
    ids,
    session,
    async (requests) => {
      if (screen) {
        screen.draw((style, width) => requestView.text([...requests], style, width));
        return;
      }
      for (const request of requests) await tellChange(ctx, request, seen);
    },
    (requests) => requests.every(({ request_status: status }) => isFinal(status)),
  );
}

async function tellChange(ctx: Context, request: RequestOverview, seen: Map<string, string>): Promise<void> {
  const { subject_request_id: id, request_status: status } = request;
  if (seen.get(id) === status) return;
  seen.set(id, status);
  await ctx.out.emitLine(request, (style) => statusLine(request, style));
}
