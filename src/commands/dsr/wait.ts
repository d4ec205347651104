// `dsr wait`: until requests reach a status.
import { Command } from 'commander';
import { REQUEST_STATUSES } from '../../lib/contract/dsr.ts';
import { REQUEST_COLUMNS, requestView } from '../../lib/render/dsr-overview.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { waitForRequests } from '../../lib/workflows/dsr-wait.ts';
import { choiceOption } from '../flag-values.ts';
import { type DsrSession, openDsr, requestIds } from './session.ts';

export function waitCommand(ctx: Context): Command {
  const command = new Command('wait')
    .description('wait until requests are completed')
    .argument('<id...>', 'ids of requests')
    .addOption(
      choiceOption('--until <status>', 'the status to wait for; a later one will do as well', REQUEST_STATUSES).default(
        'completed',
      ),
    )
    .action(async (ids: string[], flags: { until: string }) => {
      await waitAndShow(ctx, await openDsr(ctx), requestIds(ids), flags.until);
    });
  return withHelp(command, {
    calls: 'platform',
    columns: () => REQUEST_COLUMNS,
    notes: ['Most requests take days: give a --timeout, or look now and then with `dsr status`.'],
    examples: [
      'cdpadm dsr wait 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 --until pending',
      'cdpadm dsr wait 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 --until pending --timeout 10m -o json',
    ],
    json: '[{"subject_request_id","request_status","expected_completion_time","results_url","deadline",…}]',
    exits: {
      5: 'the platform has no such request in this workspace',
      6: 'the request was cancelled',
      11: '--timeout is over',
    },
  });
}

/** Waits with progress and shows what came of it. */
export async function waitAndShow(
  ctx: Context,
  session: DsrSession,
  ids: readonly string[],
  until: string,
): Promise<void> {
  const progress = ctx.out.progress(`Waiting for ${until}`);
  try {
    const requests = await waitForRequests(
      ids,
      {
        until,
        onState: async (now) => {
          const states = [...new Set(now.map(({ request_status: status }) => status))].join(', ');
          const done = now.filter(({ request_status: status }) => status === until).length;
          progress.update({ done, total: ids.length, text: states });
        },
      },
      session,
    );
    progress.end();
    await ctx.out.emit(requests, requestView);
  } catch (error) {
    progress.end();
    throw error;
  }
}
