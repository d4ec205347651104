// The console page's tabs about traffic: data subject requests, callbacks, the log and faults.
import { byId, documentOf, fold, make, marked, part, pretty, table, time, worded } from './dom.js';
import { act, call } from './control.js';

/** @typedef {import('./dom.js').Row} Row */
/** @typedef {import('./dom.js').State} State */

/** @param {Row} callback @returns {Row[]} */
const attemptsOf = (callback) =>
  callback['attempts'].map((/** @type {Row} */ one) => ({
    at: Date.parse(one['at']),
    text: ` callback ${callback['status']}: ${one['status'] ?? one['error']}`,
  }));

/** @param {Row[]} events */
const timeline = (events) =>
  events
    .toSorted((a, b) => a['at'] - b['at'])
    .map(({ at, text, due }) => make('li', { class: due ? 'quiet' : '' }, time(at), due ? ' due: ' : ' ', text));

/** @param {State} state */
export function requests({ tables, callbacks, words }) {
  const rows = tables.dsr_requests.map((row) => {
    const body = documentOf(row);
    const extended = Object.values(body['extensions'] ?? {}).map((one) => one.subject_identities);
    const people = [body['subject_identities'], ...extended].flatMap((one) => Object.entries(one ?? {}));
    const events = [
      { at: Date.parse(body['submitted_time']), text: 'submitted' },
      ...JSON.parse(row['history']).map((/** @type {Row} */ { at, status }, /** @type {number} */ index) => ({
        at,
        text: index === 0 ? `received, ${status}` : status,
      })),
      ...callbacks.filter((one) => one['request_id'] === row['id']).flatMap(attemptsOf),
      ...tables.dsr_steps
        .filter((step) => step['request'] === row['seq'])
        .map(({ at, step }) => ({ at, text: step.replace('_', ' '), due: true })),
    ];
    return [
      row['id'],
      row['status'],
      body['subject_request_type'],
      row['group_id'] ?? '',
      people.map(([type, one]) => `${worded(words, type)}: ${one.value}`).join(', '),
      time(row['expected_at']),
      fold(`request-${row['workspace']}-${row['id']}`, 'Timeline', make('ol', {}, ...timeline(events))),
    ];
  });
  const heads = ['Id', 'Status', 'Type', 'Group', 'Person', 'Expected'];
  const list = table('requests', heads, rows, 'No requests yet.');
  return [part('Data subject requests, newest first', list, rows)];
}

/** @param {State} state */
export function callbacks({ callbacks: list }) {
  const rows = list.map((one) => [
    one['id'],
    one['request_id'],
    one['status'],
    marked(one['state']),
    one['url'],
    button(`resend-${one['id']}`, 'Send again', () => call('/callbacks/resend', 'POST', { id: one['id'] })),
    fold(
      `callback-${one['id']}`,
      `Attempts and checks: ${one['attempts'].length}`,
      make('ol', {}, ...timeline(attemptsOf(one))),
      checks(one['id']),
    ),
  ]);
  const heads = ['Id', 'Request', 'Status', 'State', 'Receiver', ''];
  return [part('Callbacks, newest first', table('callbacks', heads, rows, 'No callbacks yet.'), rows)];
}

/** @param {string} id @param {string} label @param {() => Promise<unknown>} work */
const button = (id, label, work) => make('button', { type: 'button', id, click: () => act(work) }, label);

/** The checks that were made, by the id of the callback. @type {Map<number, Row[]>} */
export const checked = new Map();

/** Shows the results of a receiver's four checks, or a button that makes the checks. @param {number} id */
function checks(id) {
  const found = checked.get(id);
  const check = async () => checked.set(id, await call(`/callbacks/checks?id=${id}`));
  if (!found) return button(`check-${id}`, 'Check the signature', check);
  const lines = found.map(({ detail, name, ok }) => make('li', { class: ok ? 'good' : 'bad' }, `${name}: ${detail}`));
  return make('ul', {}, ...lines);
}

const FAULT_FIELDS = {
  method: ['Method', 'any'],
  path: ['Path', '/v3/*'],
  status: ['Status', '503'],
  retry_after: ['Retry-After', 'seconds'],
  delay: ['Delay', '2s'],
  drop: ['Drop', 'before or after'],
  times: ['Times', 'all'],
  probability: ['Probability', '1'],
};

const TEXTS = ['method', 'path', 'drop'];

/** @param {State} state */
export function faults({ faults: list }) {
  const inputs = Object.entries(FAULT_FIELDS).map(([name, [label, placeholder = '']]) =>
    make('label', {}, label, make('input', { id: `fault-${name}`, name, placeholder, size: '12' })),
  );
  const form = make('form', {}, ...inputs, make('button', { type: 'submit', id: 'fault-add' }, 'Add fault'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = Object.keys(FAULT_FIELDS).flatMap((name) => {
      const value = /** @type {HTMLInputElement} */ (byId(`fault-${name}`)).value.trim();
      const isText = TEXTS.includes(name) || Number.isNaN(Number(value));
      return value === '' ? [] : [[name, isText ? value : Number(value)]];
    });
    act(() => call('/faults', 'POST', Object.fromEntries(given)));
  });
  const rows = list.map((fault, at) => [
    fault['path'] ?? 'any path',
    fault['method'] ?? 'any method',
    JSON.stringify({ ...fault, path: undefined, method: undefined }),
    button(`fault-remove-${at}`, 'Remove', () => call('/faults', 'DELETE', fault)),
  ]);
  const shown = table('faults', ['Path', 'Method', 'Effect', ''], rows, 'No faults: every request is processed.');
  return [
    part('Faults', shown),
    rows.length > 0 ? button('fault-clear', 'Remove all faults', () => call('/faults', 'DELETE')) : null,
    part('Add a fault', form),
  ];
}

/** @param {State} state */
export function requestLog({ log }) {
  const rows = log
    .toReversed()
    .map(({ id, at, method, status, path, headers, body = '', response }) => [
      make('time', {}, at),
      method,
      make('span', { class: status === null || status >= 400 ? 'bad' : '' }, status ?? 'cut'),
      make(
        'div',
        {},
        fold(
          `log-${id}`,
          path,
          make('h3', {}, 'Request'),
          pretty(headers),
          pretty(body),
          make('h3', {}, 'Response'),
          pretty(response?.headers ?? ''),
          pretty(response?.body ?? ''),
        ),
      ),
    ]);
  const list = table('log', ['Time', 'Method', 'Status', 'Path'], rows, 'No requests yet.');
  return [part('Requests, newest first; secrets are masked', list, rows)];
}
