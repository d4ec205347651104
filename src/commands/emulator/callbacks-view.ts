// How the log of callbacks is drawn.
import type { ListView } from '../../lib/render/view.ts';

export interface Callback {
  id: number;
  subject_request_id: string;
  request_status: string;
  url: string;
  state: string;
  /** When it is, or was, to be sent. */
  due_on: string;
  /** `status` is null when the receiver gave no answer; `error` then says why. */
  attempts: { at: string; status: number | null; error: string | null }[];
}

/** What an answer of callbacks holds at least. */
export const CALLBACKS = { list: true, fields: ['id', 'url', 'state', 'due_on', 'attempts'] };

export const callbackList: ListView<Callback> = {
  kind: 'list',
  columns: [
    { key: 'id', value: ({ id }) => id, id: true, align: 'right' },
    { key: 'subject_request_id', title: 'REQUEST', value: ({ subject_request_id }) => subject_request_id, id: true },
    { key: 'request_status', title: 'TELLS', value: ({ request_status }) => request_status },
    {
      key: 'state',
      value: ({ state }) => state,
      paint: (text, { state }, style) =>
        state === 'delivered' ? style.green(text) : state === 'failed' ? style.red(text) : text,
    },
    { key: 'due_on', value: ({ due_on }) => due_on, rank: 2 },
    { key: 'attempts', value: ({ attempts }) => attempts.length, align: 'right', rank: 3 },
    { key: 'last_answer', value: lastAnswer, rank: 1 },
    { key: 'url', value: ({ url }) => url, rank: 4 },
  ],
  name: ({ id }) => String(id),
  empty: 'No callback was queued yet: requests with `status_callback_urls` make them.',
};

function lastAnswer({ attempts }: Callback): string {
  const last = attempts.at(-1);
  return last ? (last.error ?? String(last.status)) : '';
}
