// Stores the ids in the platform's responses, for tab completion.
import type { Api } from '../../api/index.ts';
import { type IdKind, type KnownIds, openKnownIds } from '../../config/known-ids.ts';
import type { Settings } from '../../config/resolve-settings.ts';
import { KnownError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';

type Keeper<Method> = Method extends (...args: infer Args) => Promise<infer Reply>
  ? (ids: KnownIds, reply: Reply, ...args: Args) => void
  : never;

/** For each method, a function that stores the ids in its response. */
type Keepers = {
  readonly [Area in Exclude<keyof Api, 'client'>]?: { readonly [M in keyof Api[Area]]?: Keeper<Api[Area][M]> };
};

/** The ids in a complete list replace the known ids. */
const listed =
  <Key extends string>(kind: IdKind, key: Key) =>
  (ids: KnownIds, all: readonly Readonly<Record<Key, string>>[]): void =>
    ids.replace(
      kind,
      all.map((one) => one[key]),
    );
const idsOf = (all: readonly { id: string }[]): string[] => all.map(({ id }) => id);
const one =
  (kind: IdKind) =>
  (ids: KnownIds, { id }: { id: string }): void =>
    ids.add(kind, [id]);

const keepRoles = (ids: KnownIds, { roles }: { roles: readonly { role_id: string }[] }): void =>
  listed('role_id', 'role_id')(ids, roles);

function keepAttributes(ids: KnownIds, group: { id: string; attributes?: readonly { id: string }[] | null }): void {
  listed(`attribute_id of ${group.id}`, 'id')(ids, group.attributes ?? []);
}

const KEEPERS: Keepers = {
  roles: { listTasks: listed('task_id', 'task_id'), get: keepRoles, replace: keepRoles },
  groups: {
    list: (ids, all) => {
      listed('group_id', 'id')(ids, all);
      for (const group of all) keepAttributes(ids, group);
    },
    get: (ids, group) => {
      ids.add('group_id', [group.id]);
      keepAttributes(ids, group);
    },
  },
  connections: {
    list: (ids, all, _signal, provider) => {
      if (provider === undefined) listed('connection_id', 'id')(ids, all);
      else ids.add('connection_id', idsOf(all));
    },
    get: one('connection_id'),
  },
  dataModels: { list: listed('data_model_id', 'id'), get: one('data_model_id') },
  pipelines: {
    list: listed('pipeline_id', 'id'),
    get: one('pipeline_id'),
    runs: (ids, { items }, id) =>
      ids.add(
        `pipeline_run_id of ${id}`,
        items.map((run) => String(run.id)),
      ),
  },
  dsr: {
    create: (ids, _reply, { group_id: group, subject_request_id: id }) => {
      ids.add('subject_request_id', [id]);
      if (typeof group === 'string') ids.add('request_group_id', [group]);
    },
    get: (ids, { body }) => ids.add('subject_request_id', [body.subject_request_id]),
    list: (ids, { body: all }, group) => {
      ids.add(
        'subject_request_id',
        all.map(({ subject_request_id: id }) => id),
      );
      if (all.length > 0) ids.add('request_group_id', [group]);
    },
  },
};

/** Wraps the clients so that they store the ids from the responses listed in `KEEPERS`. */
export function rememberingIds(api: Api, settings: Settings, ctx: Context): Api {
  const ids = openKnownIds(ctx.paths.cache, {
    profile: settings.profile?.value,
    base_url: settings.get('base_url')?.value,
    org_id: settings.get('org_id')?.value,
    workspace_id: settings.get('workspace_id')?.value,
  });

  type Method = (...args: unknown[]) => Promise<unknown>;
  const remembering =
    (method: Method, keep: (ids: KnownIds, reply: unknown, ...args: unknown[]) => void): Method =>
    async (...args) => {
      const reply = await method(...args);
      try {
        keep(ids, reply, ...args);
      } catch (error) {
        // A command must not fail if the cache cannot be written.
        if (!(error instanceof KnownError)) throw error;
        ctx.out.verbose(`Ids were not saved for completion: ${error.message}`);
      }
      return reply;
    };

  // Both types are erased here; `Keepers` checks each keeper against its method.
  const areas = Object.entries(KEEPERS as Record<string, Record<string, Parameters<typeof remembering>[1]>>);
  const clients = areas.map(([area, keepers]) => {
    const get = (): unknown => {
      const client = api[area as keyof Api] as unknown as Record<string, Method>;
      const methods = Object.entries(keepers).map(([name, keep]) => [name, remembering(client[name] as Method, keep)]);
      return { ...client, ...(Object.fromEntries(methods) as object) };
    };
    return [area, { get }] as const;
  });
  return Object.create(api, Object.fromEntries(clients)) as Api;
}
