// The table of areas, with every endpoint by area and name. To add an area, add its file and list it here.
import { connectionsEndpoints } from './connections.ts';
import { dataModelsEndpoints } from './data-models.ts';
import { dsrEndpoints } from './dsr.ts';
import type { Endpoint } from './endpoint.ts';
import { groupsEndpoints } from './groups.ts';
import { intakeEndpoints } from './intake.ts';
import { oauthEndpoints } from './oauth.ts';
import { pipelinesEndpoints } from './pipelines.ts';
import { rolesEndpoints } from './roles.ts';
import { seedingEndpoints } from './seeding.ts';

export const areas = {
  oauth: oauthEndpoints,
  roles: rolesEndpoints,
  groups: groupsEndpoints,
  dsr: dsrEndpoints,
  connections: connectionsEndpoints,
  dataModels: dataModelsEndpoints,
  pipelines: pipelinesEndpoints,
  seeding: seedingEndpoints,
  intake: intakeEndpoints,
} as const;

/** Every endpoint, in the specification's order. */
export const allEndpoints: readonly Endpoint[] = Object.values<Record<string, Endpoint>>(areas).flatMap((area) =>
  Object.values(area),
);
