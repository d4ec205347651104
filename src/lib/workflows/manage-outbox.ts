// The open deliveries of all outboxes, for whoever lists, replays or drops them, beside a listener that may be running.
import { type Delivery, emptyOutbox, type OutcomeLine, takeLine } from '../domain/callbacks/outbox.ts';
import { fail } from '../errors/fail.ts';
import type { OutboxPort } from './deliver-callbacks.ts';

interface Found<File> {
  outbox: File;
  delivery: Delivery;
}

type File = Pick<OutboxPort, 'exchange' | 'read'>;

/** Oldest first in each outbox. */
export function openDeliveriesOf<F extends File>(outboxes: readonly F[]): Found<F>[] {
  return outboxes.flatMap((outbox) => {
    const state = emptyOutbox();
    for (const line of outbox.read().lines) takeLine(state, line);
    return [...state.open.values()].map((delivery) => ({ outbox, delivery }));
  });
}

/** Those with one of these ids: of a delivery, an event or a request. Throws not found (5) for an id that none has. */
export function chooseDeliveries<F>(found: readonly Found<F>[], ids: readonly string[]): Found<F>[] {
  const has = ({ delivery: { callback, id } }: Found<F>, wanted: string): boolean =>
    [id, callback.id, callback.request_id].includes(wanted);
  for (const id of ids) {
    if (found.some((one) => has(one, id))) continue;
    throw fail('dsr.no_delivery', {
      message: `No delivery has the id ${id}.`,
      hint: { text: 'Open deliveries:', command: 'cdpadm dsr callbacks outbox list' },
    });
  }
  return found.filter((one) => ids.some((id) => has(one, id)));
}

/** Makes them due at once with all their attempts, or drops them. The listener that delivers from there follows. */
export async function changeDeliveries(
  chosen: readonly Found<File>[],
  event: 'replayed' | 'dropped',
  at: string,
): Promise<void> {
  for (const outbox of new Set(chosen.map((one) => one.outbox))) {
    const lines = chosen
      .filter((one) => one.outbox === outbox)
      .map(({ delivery: { callback, target } }): OutcomeLine => ({ event, id: callback.id, target, at, attempts: 0 }));
    await outbox.exchange(() => lines);
  }
}
