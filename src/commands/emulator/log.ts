// `emulator log`: the requests that the platform received.
import * as z from 'zod/mini';
import { stringifyJson } from '../../lib/kernel/json.ts';
import type { Column, ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { controlCalls, read } from '../../lib/runtime/emulator/control.ts';
import { onPlatform, portFlag } from './start.ts';
import { createResultLines } from '../../lib/runtime/output/result-lines.ts';

type LoggedRequest = z.infer<ReturnType<typeof logResult>>[number];

/** `status` is null if the connection closed without a response. The optional fields are present only with --bodies. */
function logResult() {
  return z.array(
    z.object({
      at: z.string(),
      method: z.string(),
      path: z.string(),
      status: z.nullable(z.number()),
      id: z.optional(z.number()),
      headers: z.optional(z.record(z.string(), z.string())),
      body: z.optional(z.unknown()),
      response: z.optional(z.object({ headers: z.record(z.string(), z.string()), body: z.optional(z.unknown()) })),
    }),
  );
}

const columns: Column<LoggedRequest>[] = [
  { key: 'at', value: ({ at }) => at, rank: 1 },
  { key: 'method', value: ({ method }) => method },
  {
    key: 'status',
    value: ({ status }) => status ?? 'cut',
    paint: (text, { status }, style) => (status === null || status >= 400 ? style.red(text) : text),
  },
  // The path contains ids, which a table never truncates.
  { key: 'path', value: ({ path }) => path, id: true },
];

const bodyColumns: Column<LoggedRequest>[] = [
  { key: 'body', value: ({ body }) => textOf(body, ''), rank: 3 },
  { key: 'response', value: ({ response }) => textOf(response?.body, ''), rank: 2 },
];

const textOf = (body: unknown, none: string): string => (body === undefined ? none : stringifyJson(body));

const viewOf = (bodies: boolean): ListView<LoggedRequest> => ({
  kind: 'list',
  columns: bodies ? [...columns, ...bodyColumns] : columns,
  empty: 'The platform has not received any requests yet.',
});

const logFlags = {
  ...portFlag,
  follow: { help: 'keep printing new requests' },
  bodies: { help: 'show bodies (and headers, with -o json or yaml) of the newest 1,000 requests; secrets are masked' },
} as const;

export const listRequests = defineCommand({
  path: 'emulator log',
  summary: 'list the requests that the platform received',
  ...onPlatform,
  flags: logFlags,
  columns,
  output: logResult,
  notes: ['Status `cut` (null in JSON) means that the connection closed without a response, for example by a fault.'],
  examples: [
    'cdpadm emulator log',
    'cdpadm emulator log -o csv --out requests.csv',
    'cdpadm emulator log --bodies -o json',
  ],
  run: async (ctx, { flags }) => {
    if (flags.follow) return await follow(ctx, flags);
    const found: LoggedRequest[] = flags.bodies
      ? await read(ctx, flags, controlCalls.requests(0))
      : await read(ctx, flags, controlCalls.log);
    await ctx.out.emit(found, viewOf(flags.bodies ?? false));
  },
});

const POLL_MS = 300;

/** Prints each request once, until Ctrl-C, which is not reported because it is the usual end. */
async function follow(ctx: Context, flags: { bodies?: boolean; port?: string }): Promise<void> {
  const { bodies = false } = flags;
  const lines = createResultLines<LoggedRequest>(ctx, viewOf(bodies), (request) => lineOf(request, bodies));
  await lines.begin();
  try {
    for (let after = 0; ;) {
      for (const request of await read(ctx, flags, controlCalls.requests(after))) {
        const { at, method, path, status } = request;
        await lines.tell(bodies ? request : { at, method, path, status });
        after = request.id;
      }
      await ctx.clock.sleep(POLL_MS, ctx.signal);
    }
  } catch (error) {
    if (error !== ctx.signal.reason) throw error;
  }
}

function lineOf({ at, method, path, status, body, response }: LoggedRequest, bodies: boolean): string {
  const first = `${at} ${method} ${status ?? 'cut'} ${path}`;
  return bodies ? `${first}  ${textOf(body, '-')} -> ${textOf(response?.body, '-')}` : first;
}
