// The clients of all areas; each is made when it is first asked for.
import type { Client } from '../http/types.ts';
import { type ConnectionsApi, createConnectionsApi, type WorkspaceScope } from './connections.ts';
import { createDataModelsApi, type DataModelsApi } from './data-models.ts';
import { createDsrApi, type DsrApi } from './dsr.ts';
import { createGroupsApi, type GroupsApi } from './groups.ts';
import { createIntakeApi, type IntakeApi } from './intake.ts';
import { createPipelinesApi, type PipelinesApi } from './pipelines.ts';
import { createRolesApi, type RolesApi, type RolesScope } from './roles.ts';
import { createSeedingApi, type SeedingApi } from './seeding.ts';

export interface Api {
  readonly client: Client;
  readonly roles: RolesApi;
  readonly groups: GroupsApi;
  readonly dsr: DsrApi;
  readonly connections: ConnectionsApi;
  readonly dataModels: DataModelsApi;
  readonly pipelines: PipelinesApi;
  readonly seeding: SeedingApi;
  readonly intake: IntakeApi;
}

export interface ApiScope {
  roles(): RolesScope;
  /** Of the areas whose paths name a workspace: B and D. */
  workspace(): WorkspaceScope;
}

export function createApi(client: Client, scope: ApiScope): Api {
  let roles: RolesApi | undefined;
  let groups: GroupsApi | undefined;
  let dsr: DsrApi | undefined;
  let connections: ConnectionsApi | undefined;
  let dataModels: DataModelsApi | undefined;
  let pipelines: PipelinesApi | undefined;
  let seeding: SeedingApi | undefined;
  let intake: IntakeApi | undefined;
  return {
    client,
    get roles() {
      return (roles ??= createRolesApi(client, scope.roles()));
    },
    get groups() {
      return (groups ??= createGroupsApi(client, scope.workspace()));
    },
    get dsr() {
      return (dsr ??= createDsrApi(client));
    },
    get connections() {
      return (connections ??= createConnectionsApi(client, scope.workspace()));
    },
    get dataModels() {
      return (dataModels ??= createDataModelsApi(client, scope.workspace()));
    },
    get pipelines() {
      return (pipelines ??= createPipelinesApi(client, scope.workspace()));
    },
    get seeding() {
      return (seeding ??= createSeedingApi(client));
    },
    get intake() {
      return (intake ??= createIntakeApi(client));
    },
  };
}
