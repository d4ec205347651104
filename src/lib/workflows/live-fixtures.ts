// A live platform as fixtures for the embedded one: roles, groups and warehouse resources, without secrets.
import type * as z from 'zod/mini';
import type { Api } from '../api/index.ts';
import { ConnectionRequest } from '../contract/connections.ts';
import { DataModelRequest } from '../contract/data-models.ts';
import { explain } from '../contract/explain.ts';
import { GroupRequest } from '../contract/groups.ts';
import { PipelineRequest } from '../contract/pipelines.ts';
import { PERMISSIONS } from '../contract/role-catalog.ts';
import {
  type Definition,
  type ResourceType,
  toDefinition,
  withHiddenSecrets,
  withoutPaths,
} from '../domain/warehouse/definition.ts';
import { readLive } from './warehouse-apply.ts';

/** Reads the roles, groups and warehouse resources. `omitted` lists fields and tasks that are not in the contract. */
export async function readLiveFixtures(api: Api, signal: AbortSignal) {
  // Opening a client throws if its id is missing, so open the clients before any request.
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
  /** Removes fields that are not in the contract. */
  const request = (schema: z.ZodMiniType, definition: Definition): object => {
    const unknown = explain(schema, definition).flatMap((issue) => (issue.isUnknown ? [issue.path.map(String)] : []));
    omitted.push(...unknown.map((path) => `field ${path.join('.')} of ${definition.id}`));
    return withoutPaths(definition, unknown);
  };
  const requests = (type: ResourceType, schema: z.ZodMiniType): object[] =>
    live[type].map((reply) => request(schema, withHiddenSecrets(type, toDefinition(reply))));
  const fixtures = {
    roles: roles.map(({ role_id, name, description, tasks }) => ({
      role_id,
      name: name ?? '',
      description: description ?? '',
      tasks: tasks.map(({ task_id }) => task_id).filter((task) => isKnownTask(role_id, task)),
    })),
    groups: groups.map((group) => request(GroupRequest, toDefinition(group))),
    connections: requests('connection', ConnectionRequest),
    data_models: requests('data_model', DataModelRequest),
    pipelines: requests('pipeline', PipelineRequest),
  };
  return { fixtures, omitted };
}
