// Opens the targets and the outbox of `dsr callbacks listen`, and delivers callbacks.
import { setMaxListeners } from 'node:events';
import { REQUEST_STATUSES } from '../../lib/contract/choices.ts';
import { type DeliveryTarget, FORWARD, hookTargets } from '../../lib/domain/callbacks/delivery-order.ts';
import type { ReceivedLine } from '../../lib/domain/callbacks/outbox.ts';
import { fail } from '../../lib/errors/fail.ts';
import { openOutbox, type OutboxScope } from '../../lib/files/outbox.ts';
import { counted } from '../../lib/kernel/words.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { type Deliver, openForward, openHook } from '../../lib/runtime/callbacks/delivery.ts';
import type { FlagSpec, FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import { readWord } from '../../lib/runtime/command-line/read-word.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { type Deliveries, openDeliveries, type OpenTarget } from '../../lib/workflows/deliver-callbacks.ts';
import type { LedgerPort } from '../../lib/workflows/dsr-ports.ts';
import { readDuration } from '../flag-values.ts';
import { unreadableText } from './callbacks-outbox.ts';

const HOOK_STATUSES = ['any', ...REQUEST_STATUSES];

/** What the listener does with a callback. */
export const deliveryFlags = {
  forwardTo: { value: 'url', help: 'forward each verified callback to this address, byte for byte' },
  keep: { value: 'dir', writes: true, help: 'store each callback as files for `dsr callbacks verify`' },
  on: {
    value: 'status cmd...',
    many: true,
    help: 'run CMD without a shell for the first callback with STATUS (any: for every status)',
    offers: ({ before }) => (before === undefined ? HOOK_STATUSES : []),
  },
  hookConcurrency: { value: 'n', most: 64, default: '4', help: 'maximum number of concurrent deliveries' },
  hookAttempts: { value: 'n', most: 100, default: '10', help: 'attempts before a delivery becomes a dead letter' },
  hookTimeout: { value: 'duration', default: '5m', help: 'time limit for each run of CMD' },
} as const satisfies Record<string, FlagSpec>;

type DeliveryFlags = FlagValues<typeof deliveryFlags>;

export async function openTargets(ctx: Context, flags: DeliveryFlags): Promise<OpenTarget[]> {
  const limitMs = readDuration('--hook-timeout', flags.hookTimeout);
  const targetOf = (target: DeliveryTarget, deliver: Deliver): OpenTarget => {
    return { ...target, deliver: (callback, signal) => deliver(deliveredOf(callback), signal) };
  };
  const hooks = hookTargets(hooksOf(flags.on ?? []));
  const targets = hooks.map(({ command, ...target }) => targetOf(target, openHook(ctx, command, limitMs)));
  if (flags.forwardTo === undefined) return targets;
  return [targetOf({ name: FORWARD }, await openForward(ctx, flags.forwardTo)), ...targets];
}

/** Statuses and commands alternate in the values of the flag: `completed CMD cancelled CMD`. */
function hooksOf(values: readonly string[]): { status: string; command: string }[] {
  if (values.length % 2 !== 0)
    throw usageError('--on requires a status and a command: --on completed "notify --quiet".');
  return values.flatMap((status, index) => {
    if (index % 2 !== 0) return [];
    return [{ status: readWord('--on', status, HOOK_STATUSES), command: values[index + 1] ?? '' }];
  });
}

/** Claims and reads the outbox, if there are targets. A second listener is a conflict (6) (decision: D264). */
export async function openDeliveryOutbox(
  ctx: Context,
  flags: DeliveryFlags,
  targets: readonly OpenTarget[],
  scope: OutboxScope,
  ledger: (workspace: string) => LedgerPort,
) {
  if (targets.length === 0) return undefined;
  const outbox = openOutbox(ctx.paths.state, scope, ctx.clock);
  const claim = outbox.claim();
  if ('pid' in claim) {
    throw fail('dsr.outbox_claimed', {
      message: `Another listener (process ${claim.pid} on ${claim.host}) is delivering the callbacks of this workspace.`,
      hint: 'Stop it, or set CDPADM_STATE_DIR to another folder for one of the listeners.',
    });
  }
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  ctx.signal.addEventListener('abort', () => stop.abort(ctx.signal.reason), { once: true });
  let running: Promise<void> | undefined;
  let unwatch: (() => void) | undefined;
  ctx.onClose(async () => {
    unwatch?.();
    stop.abort(ctx.signal.reason);
    await running;
    claim.release();
  });
  const { left, refresh, run, store, unreadable } = await openDeliveries({
    outbox,
    ledger,
    targets,
    attempts: flags.hookAttempts,
    concurrency: flags.hookConcurrency,
    clock: ctx.clock,
    random: () => ctx.io.random(),
    signal: stop.signal,
    out: ctx.out,
  });
  return {
    store,
    start: (): void => {
      const warning = unreadableText(outbox.path, unreadable);
      if (warning !== undefined) ctx.out.warn(warning);
      reportLeft(ctx, left);
      // Read changes by other processes. If that fails, they are read again with the next callback.
      unwatch = outbox.watch(() => void refresh().catch(() => undefined));
      running = run();
    },
  };
}

function reportLeft(ctx: Context, { dead, due, elsewhere }: Deliveries['left']): void {
  if (due > 0) ctx.out.note(`Starting ${counted(due, 'delivery', 'deliveries')} left from an earlier run.`);
  if (elsewhere > 0)
    ctx.out.warn(
      `This listener has no matching --on or --forward-to for ${counted(elsewhere, 'delivery', 'deliveries')} from an earlier run. See: cdpadm dsr callbacks outbox list`,
    );
  if (dead > 0) ctx.out.warn(`${counted(dead, 'dead letter')}. See: cdpadm dsr callbacks outbox list --dead`);
}

function deliveredOf({ body, headers, id, ...callback }: ReceivedLine): Parameters<Deliver>[0] {
  const variables = {
    CDPADM_REQUEST_ID: callback.request_id ?? '',
    CDPADM_REQUEST_STATUS: callback.status ?? '',
    CDPADM_EXPECTED_COMPLETION_TIME: callback.expected_completion_time ?? '',
  };
  return { id, headers, body: Buffer.from(body, 'base64'), variables };
}
