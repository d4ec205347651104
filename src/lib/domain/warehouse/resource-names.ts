// What connections, data models and pipelines are called.
import type { ResourceType } from './definition.ts';

/** As it stands in a sentence. */
export const NOUNS: Readonly<Record<ResourceType, string>> = {
  connection: 'connection',
  data_model: 'data model',
  pipeline: 'pipeline',
};

/** As it stands on the command line and as a folder. */
export const GROUPS: Readonly<Record<ResourceType, string>> = {
  connection: 'connections',
  data_model: 'data-models',
  pipeline: 'pipelines',
};
