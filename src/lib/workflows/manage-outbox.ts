// Lists, replays and drops the pending deliveries of all outboxes, even while a listener is running.
import { type Delivery, emptyOutbox, type OutcomeLine, takeLine } from '../domain/callbacks/outbox.ts';
import { fail } from '../errors/fail.ts';
import type { Outbox } from '../files/outbox.ts';

interface Found {
  outbox: Outbox;
  delivery: Delivery;
}

/** Returns the pending deliveries, oldest first within each outbox. */
export function openDeliveriesOf(outboxes: readonly Outbox[]): Found[] {
  return outboxes.flatMap((outbox) => {
    const state = emptyOutbox();
    for (const line of outbox.read().lines) takeLine(state, line);
    return [...state.open.values()].map((delivery) => ({ outbox, delivery }));
  });
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

/** Makes deliveries due immediately with all their attempts, or drops them, even while a listener is running. */
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
