// `dsr callbacks listen`: receives, verifies, stores and delivers callbacks.
import * as z from 'zod/mini';
import { checkResult } from '../../lib/domain/callbacks/verify.ts';
import { waitAtMost } from '../../lib/kernel/clock.ts';
import { isoMillis } from '../../lib/kernel/timestamps.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import type { Style } from '../../lib/render/style.ts';
import { fields, type ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { startCallbackServer } from '../../lib/runtime/callbacks/server.ts';
import { defineCommand, type FlagSpec, type FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import { stopped } from '../../lib/runtime/interrupt.ts';
import { createResultLines } from '../../lib/runtime/output/result-lines.ts';
import { lastingAddress } from '../../lib/runtime/target.ts';
import type { LedgerPort } from '../../lib/workflows/dsr-ports.ts';
import { storeStates } from '../../lib/workflows/deliver-callbacks.ts';
import { type CallbackPorts, type Received, receiveCallback } from '../../lib/workflows/receive-callback.ts';
import { readPort } from '../flag-values.ts';
import { deliveryFlags, openDeliveryOutbox, openTargets } from './callbacks-deliver.ts';
import { openKeep } from './callbacks-keep.ts';
import { allowFlag } from './callbacks-verify.ts';
import { openLedgerOf, openVerifier } from './session.ts';

const listenFlags = {
  host: { value: 'address', default: '127.0.0.1', help: 'address to listen on' },
  port: { value: 'n', default: '4020', help: 'port to listen on; 0 selects a free port' },
  allow: allowFlag,
  anyController: { help: 'accept callbacks for any workspace' },
  ...deliveryFlags,
} as const satisfies Record<string, FlagSpec>;

export const listenForCallbacks = defineCommand({
  path: 'dsr callbacks listen',
  summary: 'receive callbacks, verify them and store their states',
  effect: 'local',
  calls: 'settings',
  flags: listenFlags,
  output: () => z.union([z.object({ callback_url: z.string() }), callbackLine()]),
  notes: [
    'Any path works. Responses: 202 verified and stored; 401 a check failed, or the callback is for another workspace; 405 not a POST; 413 too large; 503 the callback cannot be verified or stored right now, so the platform sends it again.',
    'No profile is needed: CDPADM_DSR_BASE_URL, CDPADM_WORKSPACE_KEY and CDPADM_WORKSPACE_SECRET are enough to get the certificate from discovery. Without a workspace id, callbacks for every workspace are accepted.',
    'Each state is stored once, before the callback is acknowledged, and never moves backwards. Duplicate and late callbacks are harmless.',
    "Deliveries by --forward-to and --on are stored with the state and run at least once. The deliveries of one callback run concurrently, but only after those of the request's earlier callbacks. A delivery succeeds if CMD exits with 0, or the address responds with 2xx. Failed deliveries are retried with increasing delays, even after a restart. After --hook-attempts attempts, they become dead letters (see `dsr callbacks outbox list`).",
    'CMD receives the body on standard input, and the environment variables CDPADM_EVENT_ID, CDPADM_REQUEST_ID, CDPADM_REQUEST_STATUS and CDPADM_EXPECTED_COMPLETION_TIME. The event id is the same for every attempt (with --forward-to, it is in the Idempotency-Key header). Use it to ignore duplicates.',
    'When the listener stops, it ends running commands, and the next listener runs them again. After kill -9, running commands continue, and the next listener runs them again.',
    '--keep writes ID.N.headers.json and ID.N.body (mode 0600) to DIR, and never overwrites a file. The ledger records the paths and digests, so that `dsr evidence` finds them. Rejected messages are stored as refused.N, up to 1000 per run.',
    'With the `local` profile, the platform runs inside this process and blocks other commands. Use `cdpadm emulator start` in another shell instead.',
    'With -o json, each line is an object: the first contains the address, and each of the others contains a callback.',
    'The platform needs an https address: put a reverse proxy that terminates TLS in front of the listener, and have it forward the bytes unchanged.',
  ],
  examples: [
    'cdpadm dsr callbacks listen --port 0',
    'cdpadm dsr callbacks listen --port 0 --keep callbacks',
    'cdpadm dsr callbacks listen --port 0 --on completed "wc -c" -o json',
  ],
  exits: {
    conflict: 'the port is in use, or another listener is delivering',
    interrupted: 'stopped by Ctrl-C',
    terminated: 'stopped by SIGTERM',
  },
  run: (ctx, { flags }) => listen(ctx, flags),
});

/** Verification must leave time to store the callback before the platform times out after ten seconds. */
const CERTIFICATE_MS = 6000;
const REPORT_MS = 500;

async function listen(ctx: Context, flags: FlagValues<typeof listenFlags>): Promise<void> {
  const port = readPort(flags.port);
  const targets = await openTargets(ctx, flags);
  const settings = await ctx.settings();
  const address = lastingAddress(settings, 'dsr_base_url');
  const workspace = settings.get('workspace_id')?.value;
  if (workspace === undefined && !flags.anyController) {
    ctx.out.warn('The workspace is unknown, so callbacks for every workspace are accepted. Pass --workspace ID.');
  }
  if (flags.allow === undefined && settings.get('vendor_domain') === undefined)
    ctx.out.warn(
      'The vendor domain is unknown, so every domain in the certificate may sign callbacks. Pass --allow DOMAIN.',
    );
  const verify = await openVerifier(ctx, { allow: flags.allow, patienceMs: CERTIFICATE_MS });
  const ledger = await openLedgerOf(ctx);
  const ledgerOf = (id: string): LedgerPort => ledger.in({ address, workspace_id: id });
  // Read the ledger, which may be long, before the first callback arrives.
  await ledgerOf(workspace ?? '').append([]);
  const accepted = flags.anyController ? undefined : workspace;
  const outbox = await openDeliveryOutbox(ctx, flags, targets, { address, workspace_id: accepted }, ledgerOf);
  const ports: CallbackPorts = {
    verify,
    workspace: accepted,
    address,
    store: outbox?.store ?? storeStates(ledgerOf),
    clock: ctx.clock,
  };
  const keep = openKeep(ctx, flags.keep, ledgerOf);
  // Show the files only with --keep, so that the rows of other runs do not change.
  const kept = flags.keep === undefined ? [] : fields('headers_file', 'body_file');
  const view: typeof lineView = { ...lineView, columns: [...lineView.columns, ...kept] };
  const { begin, tell } = createResultLines(ctx, view, textLine);
  const server = await startCallbackServer({ host: flags.host, port }, async (callback) => {
    const received = await receiveCallback(callback, ports);
    const files = keep(callback, received);
    const printed = tell(lineOf(ctx, received, files)).catch(() => undefined);
    // A closed or slow reader of the output must not delay the response.
    await waitAtMost(Promise.all([printed, files?.recorded]), REPORT_MS, ctx.clock);
    return received.status;
  });
  ctx.onClose(() => server.close());
  outbox?.start();
  const url = `http://${flags.host.includes(':') ? `[${flags.host}]` : flags.host}:${server.port}/`;
  const ready = `Listening for callbacks at ${url}`;
  // In row formats, the address would look like a callback.
  if (['table', 'json', 'ndjson'].includes(ctx.flags.output)) await ctx.out.emitLine({ callback_url: url }, ready);
  else ctx.out.note(ready);
  ctx.out.note('Press Ctrl-C to stop.');
  await begin();
  await stopped(ctx.signal);
}

function callbackLine() {
  return z.object({
    at: z.string(),
    status: z.literal([202, 401, 405, 413, 503]),
    valid: z.nullable(z.boolean()),
    checks: z.array(checkResult()),
    subject_request_id: z.optional(z.string()),
    request_status: z.optional(z.string()),
    new: z.boolean(),
    detail: z.string(),
    /** Paths of the files that --keep wrote; null if it wrote none. */
    headers_file: z.nullable(z.string()),
    body_file: z.nullable(z.string()),
  });
}

type CallbackLine = z.infer<ReturnType<typeof callbackLine>>;

const lineView: ListView<CallbackLine> = {
  kind: 'list',
  columns: [
    ...fields('at', 'status', 'valid'),
    { key: 'subject_request_id', value: (line) => line.subject_request_id, id: true },
    ...fields('request_status', 'new'),
    { key: 'detail', value: ({ detail }) => cleanLine(detail) },
  ],
  empty: '',
};

function lineOf(
  ctx: Context,
  { detail, isNew, state, status, verdict }: Received,
  kept: { headers: string; body: string } | undefined,
): CallbackLine {
  return {
    at: isoMillis(ctx.clock.now()),
    status,
    valid: verdict?.valid ?? null,
    checks: verdict?.checks ?? [],
    ...(state && { subject_request_id: state.subject_request_id, request_status: state.request_status }),
    new: isNew,
    detail,
    headers_file: kept?.headers ?? null,
    body_file: kept?.body ?? null,
  };
}

function textLine(line: CallbackLine, style: Style): string {
  const { at, detail, request_status: state, status, subject_request_id: id } = line;
  const what = id === undefined ? '' : `${id} ${state}: `;
  const kept = line.headers_file === null ? '' : `; kept as ${line.headers_file} and ${line.body_file}`;
  const paint = status === 202 ? style.green : style.red;
  return `${at}  ${paint(String(status))}  ${cleanLine(what + detail + kept)}`;
}
