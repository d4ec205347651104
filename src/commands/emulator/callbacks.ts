// `emulator callbacks list` and `resend`: the status callbacks of data subject requests and their deliveries.
import * as z from 'zod/mini';
import { usageError } from '../../lib/kernel/errors.ts';
import type { ListView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { change, controlCalls, read } from '../../lib/runtime/emulator/control.ts';
import { onPlatform, portFlag } from './start.ts';

type Callback = z.infer<ReturnType<typeof callbacksResult>>[number];

function callbacksResult() {
  return z.array(
    z.object({
      id: z.number(),
      workspace_id: z.number(),
      subject_request_id: z.string(),
      request_status: z.string(),
      url: z.string(),
      state: z.enum(['queued', 'sending', 'delivered', 'failed']),
      queued_on: z.string(),
      // Time of the delivery, or of the next attempt.
      due_on: z.string(),
      // `status` is null if the receiver did not respond; `error` then contains the reason.
      attempts: z.array(z.object({ at: z.string(), status: z.nullable(z.number()), error: z.nullable(z.string()) })),
    }),
  );
}

const view: ListView<Callback> = {
  kind: 'list',
  columns: [
    { key: 'id', value: ({ id }) => id, id: true, align: 'right' },
    { key: 'subject_request_id', title: 'REQUEST', value: ({ subject_request_id }) => subject_request_id, id: true },
    { key: 'request_status', title: 'STATUS', value: ({ request_status }) => request_status },
    {
      key: 'state',
      value: ({ state }) => state,
      paint: (text, { state }, style) =>
        state === 'delivered' ? style.green(text) : state === 'failed' ? style.red(text) : text,
    },
    { key: 'due_on', value: ({ due_on }) => due_on, rank: 2 },
    { key: 'attempts', value: ({ attempts }) => attempts.length, align: 'right', rank: 3 },
    { key: 'last_answer', value: ({ attempts }) => attempts.at(-1)?.error ?? attempts.at(-1)?.status, rank: 1 },
    { key: 'url', value: ({ url }) => url, rank: 4 },
  ],
  name: ({ id }) => String(id),
  empty: 'There are no callbacks. Requests with `status_callback_urls` create callbacks.',
};

export const listCallbacks = defineCommand({
  path: 'emulator callbacks list',
  summary: 'list the status callbacks and their deliveries',
  ...onPlatform,
  output: callbacksResult,
  examples: ['cdpadm emulator callbacks list', 'cdpadm emulator callbacks list -o json'],
  run: (ctx, { flags }) => read(ctx, flags, controlCalls.callbacks),
  view,
});

export const resendCallbacks = defineCommand({
  path: 'emulator callbacks resend',
  summary: 'send callbacks now: one callback, all callbacks of a request, or all undelivered callbacks',
  ...onPlatform,
  args: { request_id: { optional: true, help: 'id of a data subject request, to send all its callbacks' } },
  flags: { callback: { value: 'id', most: 999_999_999, help: 'id of a single callback, from the list' }, ...portFlag },
  output: callbacksResult,
  notes: [
    'Without an id, the command sends all queued and failed callbacks. The result lists the callbacks that were selected. If a receiver fails, its callbacks are `queued` again.',
  ],
  examples: ['cdpadm emulator callbacks resend', 'cdpadm emulator callbacks resend --dry-run'],
  exits: { notFound: 'there is no matching callback, or no embedded platform is running' },
  run: async (ctx, { args: { request_id: requestId }, flags }) => {
    if (requestId !== undefined && flags.callback !== undefined) {
      throw usageError('Pass either a request id or --callback, not both.');
    }
    return await change(ctx, flags, controlCalls.resend({ subject_request_id: requestId, id: flags.callback }));
  },
  view: { ...view, empty: 'There are no callbacks to send.' },
});
