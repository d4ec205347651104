// `dsr callbacks listen`: receives, verifies, stores and delivers callbacks.
import { array, boolean, type infer as Infer, literal, nullable, object, optional, string, union } from 'zod/mini';
import { waitAtMost } from '../../lib/kernel/clock.ts';
import { isoMillis } from '../../lib/kernel/timestamps.ts';
import type { KeptMessage } from '../../lib/files/kept-messages.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import type { Style } from '../../lib/render/style.ts';
import type { ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { startCallbackServer } from '../../lib/runtime/callbacks/server.ts';
import { defineCommand, type FlagSpec, type FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import { stopped } from '../../lib/runtime/interrupt.ts';
import { createResultLines } from '../../lib/runtime/output/result-lines.ts';
import { lastingAddress } from '../../lib/runtime/service-address.ts';
import type { LedgerPort } from '../../lib/workflows/dsr-ports.ts';
import { storeStates } from '../../lib/workflows/deliver-callbacks.ts';
import { type CallbackPorts, type Received, receiveCallback } from '../../lib/workflows/receive-callback.ts';
import { readPort } from '../flag-values.ts';
import { HOOK_STATUSES, openDeliveryOutbox, openTargets } from './callbacks-deliver.ts';
import { openKeep } from './callbacks-keep.ts';
import { allowFlag } from './callbacks-verify.ts';
import { checkResult } from './results.ts';
import { openLedgerOf, openVerifier } from './session.ts';

const listenFlags = {
  host: { value: 'address', default: '127.0.0.1', help: 'address to listen on' },
  port: { value: 'n', default: '4020', help: 'port to listen on; 0 chooses a free one' },
  allow: allowFlag,
  anyController: { help: 'accept callbacks of every workspace' },
  forwardTo: { value: 'url', help: 'forward each genuine callback to this address, byte for byte' },
  keep: { value: 'dir', help: 'store each callback as files for `dsr callbacks verify`' },
  on: {
    value: 'status cmd...',
    many: true,
    help: 'run CMD, without a shell, at the first callback with STATUS (any: with each status)',
    offers: ({ before }) => (before === undefined ? HOOK_STATUSES : []),
  },
  hookConcurrency: { value: 'n', default: '4', help: 'maximum number of deliveries at once' },
  hookAttempts: { value: 'n', default: '10', help: 'attempts before a delivery becomes a dead letter' },
  hookTimeout: { value: 'duration', default: '5m', help: 'limit for one run of CMD' },
} as const satisfies Record<string, FlagSpec>;

export const listenForCallbacks = defineCommand({
  path: 'dsr callbacks listen',
  summary: 'receive callbacks, verify them and store their states',
  effect: 'local',
  calls: 'settings',
  flags: listenFlags,
  output: () => union([object({ callback_url: string() }), toldCallback()]),
  notes: [
    'Any path works. Responses: 202 genuine and stored; 401 a check failed, or another workspace; 405 not POST; 413 too large; 503 not verifiable or not storable now, so that the platform sends it again.',
    'No profile is needed: CDPADM_DSR_BASE_URL, CDPADM_WORKSPACE_KEY and CDPADM_WORKSPACE_SECRET suffice; discovery there names the certificate. Without a workspace id, callbacks of every workspace are accepted.',
    'A state is stored once, before the callback is acknowledged, and never goes backwards. Repeated and late callbacks are harmless.',
    'Deliveries by --forward-to and --on are stored with the state and run at least once, in order for each request. A delivery succeeds when CMD exits 0, or the address answers 2xx. Failed deliveries are retried with growing pauses, across restarts. After --hook-attempts they become dead letters: `dsr callbacks outbox list`.',
    'CMD reads the body from its standard input, and the variables CDPADM_EVENT_ID, CDPADM_REQUEST_ID, CDPADM_REQUEST_STATUS and CDPADM_EXPECTED_COMPLETION_TIME. The event id is the same at every attempt (on forwards: header Idempotency-Key). Use it to drop repeats.',
    '--keep writes ID.N.headers.json and ID.N.body to DIR (0600) and never replaces a file. Rejected messages become refused.N, up to 1000 per run.',
    'With the profile `local`, the platform runs inside this command, and other commands wait for it. Use `cdpadm emulator start` in another shell instead.',
    'With -o json, each line is an object: first the address, then one per callback.',
    'The platform needs an https address: put a server that ends TLS before this one, and let it forward the bytes unchanged.',
  ],
  examples: [
    'cdpadm dsr callbacks listen --port 0',
    'cdpadm dsr callbacks listen --port 0 --keep callbacks',
    'cdpadm dsr callbacks listen --port 0 --on completed "wc -c" -o json',
  ],
  exits: { conflict: 'the port is in use, or another listener delivers', interrupted: 'ended by Ctrl-C' },
  run: (ctx, { flags }) => listen(ctx, flags),
});

type ListenFlags = FlagValues<typeof listenFlags>;

/** Verification must leave time to store within the ten seconds of the platform. */
const CERTIFICATE_MS = 6000;
const TELL_MS = 500;

async function listen(ctx: Context, flags: ListenFlags): Promise<void> {
  const port = readPort(flags.port);
  const targets = await openTargets(ctx, flags);
  const settings = await ctx.settings();
  const address = lastingAddress(settings, 'dsr_base_url');
  const workspace = settings.get('workspace_id')?.value;
  if (workspace === undefined && !flags.anyController) {
    ctx.out.warn('The workspace is unknown, so callbacks of every workspace are accepted. Pass --workspace ID.');
  }
  const verify = await openVerifier(ctx, { allow: flags.allow, patienceMs: CERTIFICATE_MS });
  const ledger = await openLedgerOf(ctx);
  const ledgerOf = (id: string): LedgerPort => ledger.in({ address, workspace_id: id });
  // Read a long ledger before the first callback arrives.
  await ledgerOf(workspace ?? '').append([]);
  const accepted = flags.anyController ? undefined : workspace;
  let answering = 0;
  const outbox = await openDeliveryOutbox(ctx, targets, {
    scope: { address, workspace_id: accepted },
    ledger: ledgerOf,
    isBusy: () => answering > 0,
  });
  const ports: CallbackPorts = {
    verify,
    workspace: accepted,
    address,
    store: outbox?.store ?? storeStates(ledgerOf),
    clock: ctx.clock,
  };
  const keep = openKeep(ctx, flags.keep);
  const view = flags.keep === undefined ? toldView : { ...toldView, columns: [...toldView.columns, ...KEPT_COLUMNS] };
  const { begin, tell } = createResultLines(ctx, view, toldLine);
  const server = await startCallbackServer({ host: flags.host, port }, async (callback) => {
    answering++;
    try {
      const received = await receiveCallback(callback, ports);
      // A closed or slow reader of the output delays no callback.
      const told = tell(toldOf(ctx, received, keep(callback, received))).catch(() => undefined);
      await waitAtMost(told, TELL_MS, ctx.clock);
      return received.status;
    } finally {
      answering--;
    }
  });
  ctx.onClose(() => server.close());
  outbox?.start();
  const url = `http://${flags.host.includes(':') ? `[${flags.host}]` : flags.host}:${server.port}/`;
  const ready = `Listening for callbacks at ${url}`;
  // In formats with rows, the address would look like a callback.
  if (['table', 'json', 'ndjson'].includes(ctx.flags.output)) await ctx.out.emitLine({ callback_url: url }, ready);
  else ctx.out.note(ready);
  ctx.out.note('Press Ctrl-C to stop.');
  await begin();
  await stopped(ctx.signal);
}

/** One callback in the output. */
function toldCallback() {
  return object({
    at: string(),
    status: literal([202, 401, 405, 413, 503]),
    valid: nullable(boolean()),
    checks: array(checkResult()),
    subject_request_id: optional(string()),
    request_status: optional(string()),
    new: boolean(),
    detail: string(),
    /** The files of --keep; null without them. */
    headers_file: nullable(string()),
    body_file: nullable(string()),
  });
}

type Told = Infer<ReturnType<typeof toldCallback>>;

const toldView: ListView<Told> = {
  kind: 'list',
  columns: [
    { key: 'at', value: ({ at }) => at },
    { key: 'status', value: ({ status }) => status },
    { key: 'valid', value: ({ valid }) => valid },
    { key: 'subject_request_id', value: (told) => told.subject_request_id, id: true },
    { key: 'request_status', value: (told) => told.request_status },
    { key: 'new', value: (told) => told.new },
    { key: 'detail', value: ({ detail }) => cleanLine(detail) },
  ],
  empty: '',
};

/** Only with --keep, so that the rows of other runs stay the same. */
const KEPT_COLUMNS: ListView<Told>['columns'] = [
  { key: 'headers_file', value: (told) => told.headers_file },
  { key: 'body_file', value: (told) => told.body_file },
];

function toldOf(
  ctx: Context,
  { detail, isNew, state, status, verdict }: Received,
  kept: KeptMessage | undefined,
): Told {
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

function toldLine(told: Told, style: Style): string {
  const { at, detail, request_status: state, status, subject_request_id: id } = told;
  const what = id === undefined ? '' : `${id} ${state}: `;
  const kept = told.headers_file === null ? '' : `; kept as ${told.headers_file} and ${told.body_file}`;
  const paint = status === 202 ? style.green : style.red;
  return `${at}  ${paint(String(status))}  ${cleanLine(what + detail + kept)}`;
}
