// `dsr status`: requests as they are now.
import { Command } from 'commander';
import { isFinal } from '../../lib/domain/dsr/statuses.ts';
import { REQUEST_COLUMNS, requestListView, requestView, statusLine } from '../../lib/render/dsr-overview.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { createRedrawing } from '../../lib/runtime/output/redrawing.ts';
import { createResultLines } from '../../lib/runtime/output/result-lines.ts';
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
      'With --watch a terminal is redrawn; elsewhere each change is a line: an object with -o json, a row with -o csv and markdown, and with -o yaml a document.',
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
  const { tell } = createResultLines(ctx, requestListView(''), statusLine);
  const seen = new Map<string, string>();
  await watch(
    ids,
    session,
    async (requests) => {
      if (screen) {
        screen.draw((style, width) => requestView.text([...requests], style, width));
        return;
      }
      for (const request of requests) {
        const { subject_request_id: id, request_status: status } = request;
        if (seen.get(id) === status) continue;
        seen.set(id, status);
        await tell(request);
      }
    },
    (requests) => requests.every(({ request_status: status }) => isFinal(status)),
  );
}
