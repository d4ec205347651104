// `dsr wait`: waits until requests reach a status.
import { array } from 'zod/mini';
import { requestResult } from '../../lib/domain/dsr/overview.ts';
import { REQUEST_STATUSES } from '../../lib/contract/choices.ts';
import { REQUEST_COLUMNS, requestView } from '../../lib/render/dsr-overview.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { waitForRequests } from '../../lib/workflows/dsr-wait.ts';
import { type DsrSession, openDsr, requestIds, pickRequest } from './session.ts';

export const awaitRequests = defineCommand({
  path: 'dsr wait',
  summary: 'wait until requests are completed',
  effect: 'read',
  tool: false,
  endless: true,
  calls: 'platform',
  args: { id: { many: true, help: 'ids of requests', pick: pickRequest } },
  flags: {
    until: {
      value: 'status',
      choices: REQUEST_STATUSES,
      default: 'completed',
      help: 'status to wait for, or a later one',
    },
  },
  columns: () => REQUEST_COLUMNS,
  output: () => array(requestResult()),
  notes: ['Most requests take days: pass --timeout, or run `dsr status` from time to time.'],
  examples: [
    'cdpadm dsr wait 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 --until pending',
    'cdpadm dsr wait 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 --until pending --timeout 10m -o json',
  ],
  exits: {
    notFound: 'the platform has no such request in this workspace',
    conflict: 'the request was cancelled',
    waitTimedOut: 'the --timeout was reached',
  },
  run: async (ctx, { args, flags }) => waitAndShow(ctx, await openDsr(ctx), requestIds(args.id), flags.until),
});

/** Waits with progress, and prints the requests. */
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
