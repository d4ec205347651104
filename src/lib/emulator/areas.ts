// The areas of the platform. To add an area, add its file under `routes/` and list it here.
import type { Area } from './platform/area.ts';
import { connectionsArea, dataModelsArea } from './routes/warehouse-resources.ts';
import { dsrArea } from './routes/dsr.ts';
import { groupsArea } from './routes/groups.ts';
import { intakeArea, seedingArea } from './routes/seeding.ts';
import { oauthArea } from './routes/oauth.ts';
import { pipelinesArea } from './routes/pipelines.ts';
import { rolesArea } from './routes/roles.ts';

export const platformAreas: readonly Area[] = [
  oauthArea,
  rolesArea,
  groupsArea,
  dsrArea,
  connectionsArea,
  dataModelsArea,
  pipelinesArea,
  seedingArea,
  intakeArea,
];
