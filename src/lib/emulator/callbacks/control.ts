// Control calls for callbacks: list them, send them again, send queued ones now.
import { check, int, optional, strictObject, string } from 'zod/mini';
import type { ControlRoutes } from '../platform/area.ts';
import type { CallbackDispatcher } from './dispatcher.ts';
import { answer, refusal } from '../wire/platform-error.ts';
import { checkBody } from '../wire/request-body.ts';
import type { Callback } from '../base/embedding.ts';
import type { CallbackStore } from '../stores/callbacks.ts';

/** The callbacks to send again; without a field, all that were not delivered. */
const Resend = strictObject({ id: optional(int()), subject_request_id: optional(string()) }).check(
  check((context) => {
    const { id, subject_request_id } = context.value;
    if (id === undefined || subject_request_id === undefined) return;
    const message = 'give either id or subject_request_id';
    context.issues.push({ code: 'custom', message, input: context.value });
  }),
);

/** `resend` and `flush` wait until every receiver was called, and return the callbacks that they sent. */
export function callbackRoutes(store: CallbackStore, dispatcher: CallbackDispatcher): ControlRoutes {
  async function send(chosen: readonly Callback[]) {
    const ids = new Set(chosen.map(({ id }) => id));
    await dispatcher.sendNow([...ids]);
    return answer(
      200,
      store.list().filter(({ id }) => ids.has(id)),
    );
  }

  return {
    'GET /callbacks': () => answer(200, store.list()),
    'POST /callbacks/resend': (body) => {
      const { id, subject_request_id } = checkBody(Resend, body ?? {}, 'Bad request');
      const wanted = subject_request_id?.toLowerCase();
      const all = id === undefined && wanted === undefined;
      const isWanted = (entry: Callback): boolean =>
        all ? entry.state !== 'delivered' : entry.id === id || entry.subject_request_id === wanted;
      const chosen = store.list().filter(isWanted);
      if (chosen.length === 0 && !all) throw refusal(404, `Not found: callbacks of ${wanted ?? String(id)}`);
      return send(chosen);
    },
    'POST /callbacks/flush': () => send(store.list().filter(({ state }) => state === 'queued' || state === 'sending')),
  };
}
