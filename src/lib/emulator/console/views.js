// The tabs of the console page: each draws one part of the platform's state.
import { byId, documentOf, fold, make, none, part, pretty, table, time } from './dom.js';
import { act, call } from './control.js';

/** @typedef {import('./dom.js').Row} Row */
/** @typedef {import('./dom.js').Child} Child */
/** @typedef {import('./dom.js').State} State */

/** @param {State} state */
function roles({ tables }) {
  return tables.manifests.map(({ org_id, reply }) => {
    const list = /** @type {Row[]} */ (JSON.parse(reply).roles);
    const tasksOf = list.map((role) => new Set(role['tasks'].map((/** @type {Row} */ task) => task['task_id'])));
    const tasks = [...new Set(tasksOf.flatMap((set) => [...set]))].sort();
    const users = tables.role_assignments.filter((row) => row['org_id'] === org_id);
    return make(
      'div',
      {},
      part(
        `Roles of organization ${org_id}`,
        table(
          ['Task', ...list.map((role) => role['role_id'])],
          tasks.map((task) => [task, ...tasksOf.map((set) => (set.has(task) ? '●' : ''))]),
          'No roles.',
          'matrix',
        ),
      ),
      part(
        'Users with a role',
        table(
          ['User', 'Role'],
          users.map((row) => [row['user'], row['role_id']]),
          'No user has a role.',
        ),
      ),
    );
  });
}

/** @param {State} state */
function groups({ tables }) {
  const rows = tables.groups.map((row) => {
    const group = documentOf(row);
    const attributes = group['attributes'].map((/** @type {Row} */ one) => `${one['id']} (${one['type']})`).join(', ');
    return [group['id'], row['workspace'], group['source_user_attribute'], attributes, time(row['refresh_at'])];
  });
  return [
    part(
      'Group identities',
      table(['Id', 'Workspace', 'Source attribute', 'Attributes', 'Next refresh'], rows, 'No group identity.'),
    ),
  ];
}

/** @param {State} state */
function warehouse({ tables }) {
  /** @param {Row[]} rows */
  const definitions = (rows) =>
    rows.map((row) => {
      const { definition } = documentOf(row);
      return [
        definition.id,
        row['workspace'],
        definition.state,
        definition.name,
        fold(`definition-${row['workspace']}-${definition.id}`, 'Definition', pretty(definition)),
      ];
    });
  const runs = tables.pipeline_runs.map((run) => [
    run['id'],
    run['pipeline'],
    make('span', { class: run['status'] === 'failed' ? 'bad' : '' }, run['status']),
    run['type'],
    time(run['logical_at']),
    time(run['ended_at']),
    fold(`run-${run['id']}`, 'Details', pretty(run['progress'])),
  ]);
  const heads = ['Id', 'Workspace', 'State', 'Name', ''];
  return [
    part('Connections', table(heads, definitions(tables.connections), 'No connection.')),
    part('Data models', table(heads, definitions(tables.data_models), 'No data model.')),
    part('Pipelines', table(heads, definitions(tables.pipelines), 'No pipeline.')),
    part('Runs, newest first', table(['Run', 'Pipeline', 'Status', 'Type', 'Time', 'Ended', ''], runs, 'No run yet.')),
  ];
}

/** @param {Row} callback */
const attemptsOf = (callback) =>
  callback['attempts'].map((/** @type {Row} */ one) =>
    make('li', {}, `${one['at']} callback ${callback['status']}: ${one['status'] ?? one['error']}`),
  );

/** @param {State} state */
function requests({ tables, callbacks }) {
  const rows = tables.dsr_requests.map((row) => {
    const body = documentOf(row);
    const steps = tables.dsr_steps.filter((step) => step['request'] === row['seq']);
    const own = callbacks.filter((one) => one['request_id'] === row['id']);
    const people = Object.entries(body['subject_identities'] ?? {}).map(([type, one]) => `${type}: ${one.value}`);
    const timeline = make(
      'ol',
      {},
      make('li', {}, `${body['submitted_time']} submitted`),
      ...own.toReversed().flatMap(attemptsOf),
      row['completed_at'] === null ? null : make('li', {}, time(row['completed_at']), ` ${row['status']}`),
      ...steps.map((step) =>
        make('li', { class: 'quiet' }, time(step['at']), ` due: ${step['step'].replace('_', ' ')}`),
      ),
    );
    return [
      row['id'],
      row['status'],
      body['subject_request_type'],
      row['group_id'] ?? '',
      people.join(', '),
      time(row['expected_at']),
      fold(`request-${row['workspace']}-${row['id']}`, 'Timeline', timeline),
    ];
  });
  return [
    part(
      'Data subject requests, newest first',
      table(['Id', 'Status', 'Type', 'Group', 'Person', 'Expected', ''], rows, 'No request yet.'),
    ),
  ];
}

const KINDS = { user_attributes: 'attribute', group_attributes: 'group attribute', calculated_attributes: 'seed' };

/** @param {State} state */
function people({ tables, counts }) {
  const rows = tables.profiles.map((row) => {
    const document = documentOf(row);
    const sources = JSON.parse(row['sources']);
    const names = Object.entries(document['identities']).map(([type, values]) => `${type}: ${values.join(', ')}`);
    const attributes = Object.entries(KINDS).flatMap(([kind, label]) =>
      Object.entries(document[kind]).map(([name, value]) => [
        name,
        label,
        typeof value === 'string' ? value : JSON.stringify(value),
        sources[`${kind}.${name}`] ?? `group ${name.split(':')[0]}`,
      ]),
    );
    return [
      row['xpid'],
      row['workspace'],
      row['environment'],
      names.join('; '),
      time(row['changed_at']),
      fold(
        `profile-${row['id']}`,
        `Attributes and seeds: ${attributes.length}`,
        table(['Name', 'Kind', 'Value', 'From'], attributes, 'No attribute.'),
      ),
    ];
  });
  return [
    none(`${counts.profiles} profiles, ${counts.seeds} seeds, ${counts.events} events.`),
    part(
      'People, newest first',
      table(['xpid', 'Workspace', 'Environment', 'Identities', 'Changed', ''], rows, 'No profile yet.'),
    ),
  ];
}

/** @param {State} state */
function callbacks({ callbacks: list }) {
  const rows = list.map((one) => [
    one['id'],
    one['request_id'],
    one['status'],
    make(
      'span',
      { class: one['state'] === 'failed' ? 'bad' : one['state'] === 'delivered' ? 'good' : '' },
      one['state'],
    ),
    one['url'],
    fold(
      `callback-${one['id']}`,
      `Attempts: ${one['attempts'].length}`,
      make('ol', {}, ...attemptsOf(one)),
      checks(one['id']),
    ),
    make(
      'button',
      {
        type: 'button',
        id: `resend-${one['id']}`,
        click: () => act(() => call('/callbacks/resend', 'POST', { id: one['id'] })),
      },
      'Send again',
    ),
  ]);
  return [
    part(
      'Callbacks, newest first',
      table(['Id', 'Request', 'Status', 'State', 'Receiver', 'Attempts and checks', ''], rows, 'No callback yet.'),
    ),
  ];
}

/** The checks that were made, by the id of the callback. @type {Map<number, Row[]>} */
export const checked = new Map();

/** The four checks that a receiver makes. @param {number} id */
function checks(id) {
  const found = checked.get(id);
  if (found) {
    const lines = found.map(({ detail, name, ok }) => make('li', { class: ok ? 'good' : 'bad' }, `${name}: ${detail}`));
    return make('ul', {}, ...lines);
  }
  const check = () => act(async () => checked.set(id, await call(`/callbacks/checks?id=${id}`)));
  return make('button', { type: 'button', id: `check-${id}`, click: check }, 'Check its signature');
}

/** @param {State} state */
function faults({ faults: list }) {
  const fields = [
    ['method', 'Method', 'any'],
    ['path', 'Path', '/v3/*'],
    ['status', 'Status', '503'],
    ['delay', 'Delay', '2s'],
    ['drop', 'Drop', 'before or after'],
    ['times', 'Times', 'all'],
    ['probability', 'Probability', '1'],
  ];
  const inputs = fields.map(([name, label, hint]) =>
    make(
      'label',
      {},
      label,
      make('input', { id: `fault-${name}`, name: name ?? '', placeholder: hint ?? '', size: '12' }),
    ),
  );
  const form = make('form', {}, ...inputs, make('button', { type: 'submit', id: 'fault-add' }, 'Add fault'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = fields.flatMap(([name]) => {
      const { value } = /** @type {HTMLInputElement} */ (byId(`fault-${name}`));
      const number = ['status', 'times', 'probability'].includes(name ?? '');
      return value === '' ? [] : [[name, number ? Number(value) : value]];
    });
    act(() => call('/faults', 'POST', Object.fromEntries(given)));
  });
  const rows = list.map((fault) => [
    fault['path'] ?? 'any path',
    fault['method'] ?? 'any method',
    JSON.stringify({ ...fault, path: undefined, method: undefined }),
  ]);
  return [
    part('Faults', table(['Path', 'Method', 'Effect'], rows, 'No fault: every request is processed.')),
    list.length > 0
      ? make(
          'button',
          { type: 'button', id: 'fault-clear', click: () => act(() => call('/faults', 'DELETE')) },
          'Remove all faults',
        )
      : null,
    part('Add a fault', form),
  ];
}

/** @param {State} state */
function requestLog({ log }) {
  const rows = log
    .toReversed()
    .map((one) => [
      make('time', {}, one['at']),
      one['method'],
      make('span', { class: one['status'] === null || one['status'] >= 400 ? 'bad' : '' }, one['status'] ?? 'cut'),
      fold(
        `log-${one['id']}`,
        one['path'],
        make('h3', {}, 'Request'),
        pretty(one['headers']),
        pretty(one['body'] ?? ''),
        make('h3', {}, 'Response'),
        pretty(one['response']?.headers ?? ''),
        pretty(one['response']?.body ?? ''),
      ),
    ]);
  return [
    part(
      'Requests, newest first; secrets are masked',
      table(['Time', 'Method', 'Status', 'Path'], rows, 'No request yet.'),
    ),
  ];
}

/** @type {Record<string, [title: string, draw: (state: State) => Child[]]>} */
export const TABS = {
  roles: ['Roles', roles],
  groups: ['Groups', groups],
  warehouse: ['Warehouse', warehouse],
  requests: ['Requests', requests],
  people: ['People', people],
  callbacks: ['Callbacks', callbacks],
  log: ['Log', requestLog],
  faults: ['Faults', faults],
};
