// A live platform as fixtures of the embedded one: roles, groups, connections, data models and pipelines, without secrets.
import type { Api } from '../api/index.ts';
import { ConnectionRequest } from '../contract/connections.ts';
import { DataModelRequest } from '../contract/data-models.ts';
import { PipelineRequest } from '../contract/pipelines.ts';
import { PERMISSIONS } from '../contract/role-catalog.ts';
import {
  RESOURCE_TYPES,
  type ResourceType,
  toDefinition,
  withHiddenSecrets,
  withoutPaths,
} from '../domain/warehouse/definition.ts';
import { readLive } from './warehouse-apply.ts';

const REQUESTS = { connection: ConnectionRequest, data_model: DataModelRequest, pipeline: PipelineRequest };

export interface LiveFixtures {
  fixtures: Record<'roles' | 'groups' | 'connections' | 'data_models' | 'pipelines', object[]>;
  /** What the embedded platform does not know, such as `task x:y of role z`. */
  omitted: string[];
}

/** Reads the organization's roles and the workspace's groups and resources. */
export async function readLiveFixtures(api: Api, signal: AbortSignal): Promise<LiveFixtures> {
  // Opening a client throws if its id is missing: that comes before any request.
  const [rolesApi, groupsApi] = [api.roles, api.groups];
  const [{ roles }, groups, live] = await Promise.all([
    rolesApi.get({ signal }),
    groupsApi.list(signal),
    readLive(api, signal),
  ]);
  const omitted: string[] = [];
  const known = new Set(PERMISSIONS.map(({ task_id }) => task_id));
  const isKnownTask = (role: string, task: string): boolean => {
    if (!known.has(task)) omitted.push(`task ${task} of role ${role}`);
    return known.has(task);
  };
  /** A request that would create the resource, without fields that the contract does not have. */
  const requestOf = (type: ResourceType, reply: Record<string, unknown>): object => {
    const definition = withHiddenSecrets(type, toDefinition(reply));
    const unknown = (REQUESTS[type].safeParse(definition).error?.issues ?? []).flatMap((issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path.map(String), key]) : [],
    );
    omitted.push(...unknown.map((path) => `field ${path.join('.')} of ${definition.id}`));
    return withoutPaths(definition, unknown);
  };
  const [connections = [], data_models = [], pipelines = []] = RESOURCE_TYPES.map((type) =>
    live[type].map((reply) => requestOf(type, reply)),
  );
  return {
    fixtures: {
      roles: roles.map(({ role_id, name, description, tasks }) => ({
        role_id,
        name: name ?? '',
        description: description ?? '',
        tasks: tasks.map(({ task_id }) => task_id).filter((task) => isKnownTask(role_id, task)),
      })),
      groups: groups.map(({ id, description, source_user_attribute, attributes }) => ({
        id,
        description: description ?? '',
        source_user_attribute,
        attributes: (attributes ?? []).map((attribute) => ({ id: attribute.id, type: attribute.type })),
      })),
      connections,
      data_models,
      pipelines,
    },
    omitted,
  };
}
