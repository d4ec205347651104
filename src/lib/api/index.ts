// The clients of all areas; each is made when it is first asked for.
import type { Client } from '../http/types.ts';
import { createDsrApi, type DsrApi } from './dsr.ts';
import { createIntakeApi, type IntakeApi } from './intake.ts';
import { createRolesApi, type RolesApi, type RolesScope } from './roles.ts';
import { createSeedingApi, type SeedingApi } from './seeding.ts';

export interface Api {
  readonly client: Client;
  readonly roles: RolesApi;
  readonly dsr: DsrApi;
  readonly seeding: SeedingApi;
  readonly intake: IntakeApi;
}

export interface ApiScope {
  roles(): RolesScope;
}

export function createApi(client: Client, scope: ApiScope): Api {
  let roles: RolesApi | undefined;
  let dsr: DsrApi | undefined;
  let seeding: SeedingApi | undefined;
  let intake: IntakeApi | undefined;
  return {
    client,
    get roles() {
      return (roles ??= createRolesApi(client, scope.roles()));
    },
    get dsr() {
      return (dsr ??= createDsrApi(client));
    },
    get seeding() {
      return (seeding ??= createSeedingApi(client));
    },
    get intake() {
      return (intake ??= createIntakeApi(client));
    },
  };
}
