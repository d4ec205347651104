// The tabs of the console page: each draws one part of the platform's state.
import { documentOf, fold, make, marked, MOST_ROWS, none, part, pretty, table, time, worded } from './dom.js';
import { callbacks, faults, requestLog, requests } from './traffic.js';

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
          `roles-${org_id}`,
          ['Task', ...list.map((role) => role['role_id'])],
          tasks.map((task) => [task, ...tasksOf.map((set) => (set.has(task) ? '●' : ''))]),
          'No roles.',
          'matrix',
        ),
      ),
      part(
        'Users with a role',
        table(
          `users-${org_id}`,
          ['User', 'Role'],
          users.map((row) => [row['user'], row['role_id']]),
          'No user has a role.',
        ),
        tables.role_assignments,
      ),
    );
  });
}

/** @param {State} state */
function groups({ tables, words }) {
  const among = tables.profiles.length <= MOST_ROWS ? '' : ' among the newest people';
  const rows = tables.groups.map((row) => {
    const { attributes, id, source_user_attribute: source } = documentOf(row);
    const members = tables.profiles.flatMap((profile) => {
      const { group_attributes: all, user_attributes: own } = documentOf(profile);
      const values = Object.entries(all).filter(([name]) => name.startsWith(`${id}:`));
      if (profile['workspace'] !== row['workspace'] || values.length === 0) return [];
      const texts = values.map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
      return [[profile['xpid'], profile['environment'], JSON.stringify(own[source]), texts.join(', ')]];
    });
    const key = `group-${row['workspace']}-${id}`;
    const heads = [worded(words, 'xpid'), 'Environment', source, 'Values'];
    return [
      id,
      row['workspace'],
      source,
      attributes.map((/** @type {Row} */ one) => `${one['id']} (${one['type']})`).join(', '),
      time(row['refresh_at']),
      fold(key, `Members${among}: ${members.length}`, table(key, heads, members, 'No members.')),
    ];
  });
  const heads = ['Id', 'Workspace', 'Source attribute', 'Attributes', 'Next refresh'];
  return [part('Group identities', table('groups', heads, rows, 'No group identities.'), rows)];
}

/** @param {string[]} errors */
const errorList = (errors) =>
  errors.length === 0 ? '' : make('ul', { class: 'plain' }, ...errors.map((error) => make('li', {}, error)));

/** @param {State} state */
function warehouse({ tables, words }) {
  /** @param {'connections' | 'data_models' | 'pipelines'} name @param {string} title @param {string[]} [statuses] */
  const resources = (name, title, [healthy, broken] = []) => {
    const rows = tables[name].map((row) => {
      const { broken: isBroken, definition, errors, status = isBroken ? broken : healthy } = documentOf(row);
      return [
        definition.id,
        row['workspace'],
        definition.state,
        marked(status),
        definition.name,
        errorList(errors),
        fold(`${name}-${row['workspace']}-${definition.id}`, 'Definition', pretty(inWords(definition))),
      ];
    });
    const heads = ['Id', 'Workspace', 'State', 'Status', 'Name', 'Errors'];
    return part(title, table(name, heads, rows, `No ${title.toLowerCase()}.`), rows);
  };
  /** @param {Row} definition */
  const inWords = ({ config, service_provider: provider, ...rest }) => ({
    ...rest,
    ...(provider && { service_provider: worded(words, provider) }),
    config: config && Object.fromEntries(Object.entries(config).map(([key, value]) => [worded(words, key), value])),
  });
  const runs = tables.pipeline_runs.map((run) => {
    const progress = JSON.parse(run['progress']);
    const reasons = Object.entries(progress.reasons).map(([reason, count]) => `${count} failed: ${reason}`);
    return [
      run['id'],
      run['pipeline'],
      marked(run['status']),
      run['type'],
      time(run['logical_at']),
      time(run['ended_at']),
      errorList(progress.failure && run['ended_at'] !== null ? [progress.failure.message, ...reasons] : reasons),
      fold(`run-${run['id']}`, 'Details', pretty(progress)),
    ];
  });
  const heads = ['Run', 'Pipeline', 'Status', 'Type', 'Time', 'Ended', 'Errors'];
  return [
    resources('connections', 'Connections', ['healthy', 'faulted']),
    resources('data_models', 'Data models', ['valid', 'invalid']),
    resources('pipelines', 'Pipelines'),
    part('Runs, newest first', table('runs', heads, runs, 'No runs yet.'), runs),
  ];
}

const KINDS = { user_attributes: 'attribute', group_attributes: 'group attribute', calculated_attributes: 'seed' };

/** @param {State} state */
function people({ tables, counts, words }) {
  const rows = tables.profiles.map((row) => {
    const document = documentOf(row);
    const sources = JSON.parse(row['sources']);
    const names = Object.entries(document['identities']).map(
      ([type, all]) => `${worded(words, type)}: ${all.join(', ')}`,
    );
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
        table(`profile-${row['id']}`, ['Name', 'Kind', 'Value', 'From'], attributes, 'No attributes.'),
      ),
    ];
  });
  const heads = [worded(words, 'xpid'), 'Workspace', 'Environment', 'Identities', 'Changed'];
  return [
    none(`${counts.profiles} profiles, ${counts.seeds} seeds, ${counts.events} events.`),
    part('People, newest first', table('people', heads, rows, 'No profiles yet.'), rows),
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
