// The control address's view of the callbacks: their log, sending them again, and sending what waits at once.
import { check, int, optional, strictObject, string } from 'zod/mini';
import type { ControlRoute } from '../platform/area.ts';
import type { CallbackDispatcher } from './dispatcher.ts';
import { answer, refusal } from '../wire/platform-error.ts';
import { checkBody } from '../wire/request-body.ts';
import type { CallbackEntry, CallbackStore } from '../stores/callbacks.ts';

/** Which callbacks to send again; without either, all that were not delivered. */
const Resend = strictObject({ id: optional(int()), subject_request_id: optional(string()) }).check(
  check((context) => {
    const { id, subject_request_id } = context.value;
    if (id === undefined || subject_request_id === undefined) return;
    const message = 'give either id or subject_request_id';
    context.issues.push({ code: 'custom', message, input: context.value });
  }),
);

/** Both writing calls answer with the entries that they sent, once their receivers were called. */
export function callbackRoutes(store: CallbackStore, dispatcher: CallbackDispatcher): ControlRoute[] {
  async function send(chosen: readonly CallbackEntry[]) {
    const ids = new Set(chosen.map(({ id }) => id));
    await dispatcher.sendNow([...ids]);
    return answer(
      200,
      store.list().filter(({ id }) => ids.has(id)),
    );
  }

  return [
    { method: 'GET', path: '/callbacks', handle: () => answer(200, store.list()) },
    {
      method: 'POST',
      path: '/callbacks/resend',
      handle: (body) => {
        const { id, subject_request_id } = checkBody(Resend, body ?? {}, 'Bad request');
        const wanted = subject_request_id?.toLowerCase();
        const all = id === undefined && wanted === undefined;
        const chosen = store
          .list()
          .filter((entry) =>
            all ? entry.state !== 'delivered' : entry.id === id || entry.subject_request_id === wanted,
          );
        if (chosen.length === 0 && !all) throw refusal(404, `Not found: callbacks of ${wanted ?? String(id)}`);
        return send(chosen);
      },
    },
    {
      method: 'POST',
      path: '/callbacks/flush',
      handle: () => send(store.list().filter(({ state }) => state === 'queued' || state === 'sending')),
    },
  ];
}
