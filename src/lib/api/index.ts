// The clients of all areas; each is made when it is first asked for.
import type { Client } from '../http/types.ts';
import { createRolesApi, type RolesApi, type RolesScope } from './roles.ts';

export interface Api {
  readonly client: Client;
  readonly roles: RolesApi;
}

export interface ApiScope {
  roles(): RolesScope;
}

export function createApi(client: Client, scope: ApiScope): Api {
  let roles: RolesApi | undefined;
  return {
    client,
    get roles() {
      return (roles ??= createRolesApi(client, scope.roles()));
    },
  };
}
