// `dsr callbacks outbox list|replay|drop`: callback deliveries that are due, retrying or dead.
import * as z from 'zod/mini';
import {
  type Delivery,
  emptyOutbox,
  type OutcomeLine,
  takeLine,
  unreadableIn,
} from '../../lib/domain/callbacks/outbox.ts';
import { fail } from '../../lib/errors/fail.ts';
import { openOutboxes, type Outbox } from '../../lib/files/outbox.ts';
import { counted } from '../../lib/kernel/words.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { isoMillis } from '../../lib/kernel/timestamps.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import { each } from '../results.ts';
import { type ListView, ranked } from '../../lib/render/view.ts';
import { type ArgSpec, defineCommand, type FlagSpec } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';

function shownDelivery() {
  return z.object({
    ...each(z.string(), 'id', 'event_id', 'target'),
    state: z.enum(['due', 'retrying', 'dead']),
    ...each(z.nullable(z.string()), 'subject_request_id', 'request_status'),
    attempts: z.number(),
    ...each(z.nullable(z.string()), 'next_attempt', 'reason'),
    received_at: z.string(),
    workspace_id: z.nullable(z.string()),
    address: z.string(),
  });
}

type ShownDelivery = z.infer<ReturnType<typeof shownDelivery>>;

const view: ListView<ShownDelivery> = {
  kind: 'list',
  columns: [
    { key: 'id', id: true, value: (it) => it.id },
    {
      key: 'state',
      value: (it) => it.state,
      paint: (text, it, style) => (it.state === 'dead' ? style.red(text) : text),
    },
    { key: 'attempts', align: 'right', value: (it) => it.attempts },
    ...ranked({ request_status: 2 }),
    { key: 'reason', value: (it) => it.reason && cleanLine(it.reason), rank: 1, uncut: true },
    ...ranked({
      next_attempt: 3,
      subject_request_id: 4,
      received_at: 5,
      workspace_id: 7,
      address: 8,
      target: 6,
      event_id: 9,
    }),
  ],
  empty: 'No pending deliveries.',
};

const shared = {
  effect: 'local',
  calls: 'none',
  columns: view.columns,
  output: () => z.array(shownDelivery()),
} as const;

export const listOutbox = defineCommand({
  ...shared,
  path: 'dsr callbacks outbox list',
  summary: 'list deliveries that are due, retrying or dead',
  flags: { dead: { help: 'only dead letters: deliveries with no attempts left' } },
  notes: [
    'An id is EVENT.TARGET. The target is the flag of `dsr callbacks listen` that created the delivery: `forward` for --forward-to, `on-STATUS` for --on STATUS, `on-STATUS-2` for the second --on with that status.',
    'The list shows the pending deliveries of all listeners on this machine, for any workspace.',
  ],
  examples: ['cdpadm dsr callbacks outbox list', 'cdpadm dsr callbacks outbox list --dead -o json'],
  run: async (ctx, { flags }) => {
    const shown = deliveriesOf(ctx).map(({ delivery }) => shownOf(delivery));
    await ctx.out.emit(flags.dead ? shown.filter(({ state }) => state === 'dead') : shown, view);
  },
});

const deliveriesOf = (ctx: Context) => openDeliveriesOf(openOutboxes(ctx.paths.state, ctx.clock), ctx.out);

const chosenArgs = {
  id: { many: true, optional: true, help: 'delivery, event or request ids' },
} as const satisfies Record<string, ArgSpec>;
const chosenFlags = { all: { help: 'all dead letters' } } as const satisfies Record<string, FlagSpec>;
const exits = { notFound: 'no delivery has this id' };

export const replayOutbox = defineCommand({
  ...shared,
  path: 'dsr callbacks outbox replay',
  summary: 'retry deliveries now, with a new set of attempts',
  args: chosenArgs,
  flags: chosenFlags,
  exits,
  notes: [
    'A running listener delivers them within a second; otherwise, the next listener does. The event ids do not change.',
  ],
  examples: ['cdpadm dsr callbacks outbox replay --all', 'cdpadm dsr callbacks outbox replay --all --dry-run'],
  run: (ctx, { args, flags }) => change(ctx, 'replayed', args.id, flags.all),
});

export const dropOutbox = defineCommand({
  ...shared,
  path: 'dsr callbacks outbox drop',
  summary: 'drop deliveries, so that they are not retried',
  args: chosenArgs,
  flags: chosenFlags,
  exits: { ...exits, guard: 'you answered no' },
  notes: ['The ledger keeps the state of the request.'],
  examples: ['cdpadm dsr callbacks outbox drop --all --yes', 'cdpadm dsr callbacks outbox drop --all --dry-run'],
  run: (ctx, { args, flags }) => change(ctx, 'dropped', args.id, flags.all),
});

async function change(ctx: Context, event: 'replayed' | 'dropped', ids: readonly string[], all = false): Promise<void> {
  if (all === ids.length > 0) throw usageError('Pass ids, or --all for all dead letters.');
  const found = deliveriesOf(ctx);
  const chosen = all ? found.filter(({ delivery }) => delivery.isDead) : chooseDeliveries(found, ids);
  const others = counted(found.length - chosen.length, 'delivery is', 'deliveries are');
  if (all && found.length > chosen.length)
    ctx.out.note(`--all covers only dead letters: ${others} still due. To include them, pass their ids.`);
  const shown = chosen.map(({ delivery }) => shownOf(delivery));
  const these = counted(chosen.length, 'delivery', 'deliveries');
  if (ctx.flags.dryRun) {
    const text = `${these} would be ${event === 'dropped' ? 'dropped' : 'tried again'}.`;
    const chosenIds = shown.map(({ id }) => id);
    return await ctx.out.emitDryRun([], { [event]: shown }, text, chosenIds);
  }
  if (event === 'dropped' && chosen.length > 0) await ctx.prompt.confirm(`Drop ${these}?`);
  await changeDeliveries(chosen, event, isoMillis(ctx.clock.now()));
  const after = { state: 'due', attempts: 0, next_attempt: null } as const;
  const changed = event === 'dropped' ? shown : shown.map((one) => ({ ...one, ...after }));
  await ctx.out.emit(changed, { ...view, empty: 'There are no dead letters.' });
}

function shownOf({ attempts, callback, dueAt, id, isDead, reason, target }: Delivery): ShownDelivery {
  const isRetrying = !isDead && attempts > 0;
  return {
    id,
    event_id: callback.id,
    target,
    state: isDead ? 'dead' : isRetrying ? 'retrying' : 'due',
    subject_request_id: callback.request_id,
    request_status: callback.status,
    attempts,
    next_attempt: isRetrying ? isoMillis(dueAt) : null,
    reason,
    received_at: callback.at,
    workspace_id: callback.workspace_id,
    address: callback.address,
  };
}

type Found = ReturnType<typeof openDeliveriesOf>[number];

/** Returns the pending deliveries, oldest first within each outbox. Warns about unreadable lines. */
export function openDeliveriesOf(outboxes: readonly Outbox[], out?: { warn(text: string): void }) {
  return outboxes.flatMap((outbox) => {
    const state = emptyOutbox();
    const { lines } = outbox.read();
    for (const line of lines) takeLine(state, line);
    const unreadable = unreadableText(outbox.path, unreadableIn(lines));
    if (unreadable !== undefined) out?.warn(unreadable);
    return [...state.open.values()].map((delivery) => ({ outbox, delivery }));
  });
}

export function unreadableText(path: string, lines: readonly number[]): string | undefined {
  if (lines.length === 0) return undefined;
  const which = `Line${lines.length === 1 ? '' : 's'} ${lines.slice(0, 20).join(', ')}${lines.length > 20 ? ', …' : ''}`;
  return `${which} of ${path} cannot be read, so a callback may be undelivered. To compare with what your hooks did: cdpadm dsr list`;
}

/** Finds deliveries by the ids of deliveries, events or requests. Throws not found (5) for an unknown id. */
export function chooseDeliveries(found: readonly Found[], ids: readonly string[]): Found[] {
  const has = ({ delivery: { callback, id } }: Found, wanted: string): boolean =>
    [id, callback.id, callback.request_id].includes(wanted.trim().toLowerCase());
  for (const id of ids) {
    if (found.some((one) => has(one, id))) continue;
    throw fail('dsr.no_delivery', {
      message: `No delivery has the id ${id}.`,
      hint: { text: 'To list pending deliveries:', command: 'cdpadm dsr callbacks outbox list' },
    });
  }
  return found.filter((one) => ids.some((id) => has(one, id)));
}

/** Makes deliveries due immediately and resets their attempts, or drops them, even while a listener is running. */
export async function changeDeliveries(
  chosen: readonly Found[],
  event: 'replayed' | 'dropped',
  at: string,
): Promise<void> {
  for (const outbox of new Set(chosen.map((one) => one.outbox))) {
    const lines = chosen
      .filter((one) => one.outbox === outbox)
      .map(({ delivery: { callback, target } }): OutcomeLine => ({ event, id: callback.id, target, at, attempts: 0 }));
    await outbox.exchange(() => lines.map((line) => JSON.stringify(line)));
  }
}
