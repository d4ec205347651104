// `dsr status` and `dsr wait`: show the current state of requests, or wait for one.
import * as z from 'zod/mini';
import { REQUEST_STATUSES } from '../../lib/contract/choices.ts';
import { requestResult } from '../../lib/domain/dsr/overview.ts';
import { hasReached, isFinal } from '../../lib/domain/dsr/statuses.ts';
import { REQUEST_COLUMNS, requestListView, requestView, statusLine } from '../../lib/render/dsr-overview.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { createRedrawing } from '../../lib/runtime/output/messages.ts';
import { createResultLines, watchClock } from '../../lib/runtime/output/result-lines.ts';
import type { DsrPorts } from '../../lib/workflows/dsr-ports.ts';
import { readRequests } from '../../lib/workflows/dsr-read.ts';
import { waitForRequests, type WaitOptions, watch } from '../../lib/workflows/dsr-wait.ts';
import { openReplyKeep } from './callbacks-keep.ts';
import { openDsr, requestIds, pickRequest } from './session.ts';

export const showStatus = defineCommand({
  path: 'dsr status',
  summary: 'show the status of requests and how they were forwarded',
  effect: 'read',
  calls: 'platform',
  args: { id: { many: true, help: 'request ids', pick: pickRequest } },
  flags: {
    watch: { help: 'keep watching until every request is completed or cancelled' },
    keep: { value: 'dir', writes: true, help: 'save each response as files' },
  },
  columns: () => REQUEST_COLUMNS,
  output: () => z.union([z.array(requestResult()), requestResult()]),
  notes: [
    'With --watch, a terminal shows the current state. Otherwise each change is printed as an object (-o json), a row (-o csv and markdown) or a document (-o yaml).',
    'The deadline, type and submitted time are shown only for requests submitted from this machine.',
  ],
  examples: [
    'cdpadm dsr status 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11',
    'cdpadm dsr status 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 -o json',
  ],
  exits: { notFound: 'the platform has no such request in this workspace' },
  run: async (ctx, { args, flags }) => {
    const opened = await openDsr(ctx);
    const session = keepReplies(opened, openReplyKeep(ctx, flags.keep, opened.ledger));
    const ids = requestIds(args.id);
    if (flags.watch) await watchStatus(ctx, session, ids);
    else await ctx.out.emit(await readRequests(ids, session), requestView);
  },
});

function keepReplies(session: DsrPorts, keep: ReturnType<typeof openReplyKeep>): DsrPorts {
  const get: DsrPorts['api']['get'] = async (id, signal) => {
    const found = await session.api.get(id, signal);
    await keep(id, found.reply.headers, found.reply.text);
    return found;
  };
  return { ...session, api: { ...session.api, get } };
}

async function watchStatus(ctx: Context, session: DsrPorts, ids: readonly string[]): Promise<void> {
  const screen = createRedrawing(ctx);
  const { tell } = createResultLines(ctx, requestListView(''), statusLine);
  const seen = new Map<string, string>();
  await watch(
    ids,
    { ...session, clock: watchClock(ctx, 'Waiting for a new status') },
    async (requests) => {
      if (screen) {
        screen((style, width) => requestView.text([...requests], style, width));
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

export const awaitRequests = defineCommand({
  path: 'dsr wait',
  summary: 'wait until requests are completed',
  effect: 'read',
  tool: false,
  endless: true,
  calls: 'platform',
  args: { id: { many: true, help: 'request ids', pick: pickRequest } },
  flags: {
    until: {
      value: 'status',
      choices: REQUEST_STATUSES,
      default: 'completed',
      help: 'status to wait for; a later status also counts',
    },
  },
  columns: () => REQUEST_COLUMNS,
  output: () => z.array(requestResult()),
  notes: ['Most requests take days: pass --timeout, or run `dsr status` from time to time.'],
  examples: [
    'cdpadm dsr wait 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 --until pending',
    'cdpadm dsr wait 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 --until pending --timeout 10m -o json',
  ],
  exits: {
    notFound: 'the platform has no such request in this workspace',
    conflict: 'the request was cancelled',
    waitTimedOut: '--timeout was reached',
  },
  run: async (ctx, { args, flags }) => waitAndShow(ctx, await openDsr(ctx), requestIds(args.id), flags),
});

export async function waitAndShow(
  ctx: Context,
  session: DsrPorts,
  ids: readonly string[],
  wanted: Pick<WaitOptions, 'isNew' | 'until'>,
) {
  const { until } = wanted;
  const progress = ctx.out.progress(`Waiting for ${until}`);
  const onState: WaitOptions['onState'] = async (now) => {
    const states = [...new Set(now.map(({ request_status: status }) => status))].join(', ');
    const done = now.filter(({ request_status: status }) => hasReached(status, until) === 'reached').length;
    progress.update({ done, total: ids.length, text: states });
  };
  const waiting = waitForRequests(ids, { ...wanted, onState }, session);
  await ctx.out.emit(await waiting.finally(() => progress.end()), requestView);
}
