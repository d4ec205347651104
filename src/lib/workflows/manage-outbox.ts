// Lists, replays and drops the pending deliveries of all outboxes, even while a listener is running.
import { type Delivery, emptyOutbox, type OutcomeLine, takeLine, unreadableIn } from '../domain/callbacks/outbox.ts';
import { fail } from '../errors/fail.ts';
import type { Outbox } from '../files/outbox.ts';

interface Found {
  outbox: Outbox;
  delivery: Delivery;
}

/** Returns the pending deliveries, oldest first within each outbox. Calls `warn` if lines are unreadable. */
export function openDeliveriesOf(outboxes: readonly Outbox[], warn?: (text: string) => void): Found[] {
  return outboxes.flatMap((outbox) => {
    const state = emptyOutbox();
    const { lines } = outbox.read();
    for (const line of lines) takeLine(state, line);
    const unreadable = unreadableText(outbox.path, unreadableIn(lines));
    if (unreadable !== undefined) warn?.(unreadable);
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
