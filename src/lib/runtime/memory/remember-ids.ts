// The API clients, listened to: the ids in what the platform answers are kept for completion.
import type { Api } from '../../api/index.ts';
import { type KnownIds, openKnownIds } from '../../config/known-ids.ts';
import type { Settings } from '../../config/settings.ts';
import { KnownError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';

/** The ids of the scope that these settings lead to. */
export function knownIdsOf(cacheFolder: string, settings: Settings): KnownIds {
  return openKnownIds(cacheFolder, {
    profile: settings.profile?.value,
    base_url: settings.get('base_url')?.value,
    org_id: settings.get('org_id')?.value,
    workspace_id: settings.get('workspace_id')?.value,
  });
}

/** The same clients; every answer that lists things leaves their ids behind. */
export function rememberingIds(api: Api, settings: Settings, ctx: Context): Api {
  const ids = knownIdsOf(ctx.paths.cache, settings);

  /** Keeping ids is a courtesy: a folder that cannot be written to must not spoil the command. */
  async function heard<T>(answer: Promise<T>, keep: (value: T) => void): Promise<T> {
    const value = await answer;
    try {
      keep(value);
    } catch (error) {
      if (!(error instanceof KnownError)) throw error;
      ctx.out.verbose(`Ids are not kept for completion: ${error.message}`);
    }
    return value;
  }

  const idOf = ({ id }: { id: string }): string => id;
  const requestId = ({ subject_request_id: id }: { subject_request_id: string }): string => id;

  return {
    client: api.client,
    get seeding(): Api['seeding'] {
      return api.seeding;
    },
    get intake(): Api['intake'] {
      return api.intake;
    },
    get roles(): Api['roles'] {
      const { roles } = api;
      return {
        ...roles,
        listTasks: (signal) =>
          heard(roles.listTasks(signal), (tasks) => {
            ids.replace(
              'task_id',
              tasks.map(({ task_id }) => task_id),
            );
          }),
        get: (options) => heard(roles.get(options), (manifest) => keepRoles(manifest)),
        replace: (manifest, options) => heard(roles.replace(manifest, options), (reply) => keepRoles(reply)),
      };
    },
    get groups(): Api['groups'] {
      const { groups } = api;
      return {
        ...groups,
        list: (signal) =>
          heard(groups.list(signal), (all) => {
            ids.replace('group_id', all.map(idOf));
            for (const group of all) keepAttributes(group);
          }),
        get: (id, signal) =>
          heard(groups.get(id, signal), (group) => {
            ids.add('group_id', [group.id]);
            keepAttributes(group);
          }),
      };
    },
    get connections(): Api['connections'] {
      const { connections } = api;
      return {
        ...connections,
        list: (provider, signal) =>
          heard(connections.list(provider, signal), (all) => {
            if (provider === undefined) ids.replace('connection_id', all.map(idOf));
            else ids.add('connection_id', all.map(idOf));
          }),
        get: (id, signal) => heard(connections.get(id, signal), (one) => ids.add('connection_id', [one.id])),
      };
    },
    get dataModels(): Api['dataModels'] {
      const { dataModels } = api;
      return {
        ...dataModels,
        list: (signal) => heard(dataModels.list(signal), (all) => ids.replace('data_model_id', all.map(idOf))),
        get: (id, signal) => heard(dataModels.get(id, signal), (one) => ids.add('data_model_id', [one.id])),
      };
    },
    get pipelines(): Api['pipelines'] {
      const { pipelines } = api;
      return {
        ...pipelines,
        list: (signal) => heard(pipelines.list(signal), (all) => ids.replace('pipeline_id', all.map(idOf))),
        get: (id, signal) => heard(pipelines.get(id, signal), (one) => ids.add('pipeline_id', [one.id])),
        runs: (id, query, signal) =>
          heard(pipelines.runs(id, query, signal), ({ items }) => {
            ids.add(
              `pipeline_run_id of ${id}`,
              items.map((run) => String(run.id)),
            );
          }),
      };
    },
    get dsr(): Api['dsr'] {
      const { dsr } = api;
      return {
        ...dsr,
        create: (body, signal) =>
          heard(dsr.create(body, signal), () => {
            ids.add('subject_request_id', [body.subject_request_id]);
            if (typeof body.group_id === 'string') ids.add('request_group_id', [body.group_id]);
          }),
        get: (id, signal) => heard(dsr.get(id, signal), (reply) => ids.add('subject_request_id', [requestId(reply)])),
        list: (group, signal) =>
          heard(dsr.list(group, signal), (all) => {
            ids.add('subject_request_id', all.map(requestId));
            if (all.length > 0) ids.add('request_group_id', [group]);
          }),
      };
    },
  };

  function keepAttributes({ id, attributes }: { id: string; attributes?: readonly { id: string }[] | null }): void {
    ids.replace(`attribute_id of ${id}`, (attributes ?? []).map(idOf));
  }

  function keepRoles({ roles }: { roles: readonly { role_id: string }[] }): void {
    ids.replace(
      'role_id',
      roles.map(({ role_id }) => role_id),
    );
  }
}
