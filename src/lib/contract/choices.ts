// The specification's closed sets of values. They are plain lists, so that a flag can list values without a schema.

export const REGULATIONS = ['gdpr', 'ccpa'] as const;
export const REQUEST_TYPES = ['access', 'portability', 'erasure'] as const;
export const REQUEST_STATUSES = ['pending', 'in_progress', 'completed', 'cancelled'] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];
/** How an attribute's values are combined across group members. */
export const AGGREGATIONS = ['latest', 'boolean_or', 'sum', 'average'] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];
/** States of connections and data models. In a request without a state, `new` is the default (decision: D62). */
export const RESOURCE_STATES = ['new', 'active', 'inactive'] as const;
export const PIPELINE_STATES = ['new', 'active', 'paused'] as const;
export const PIPELINE_TYPES = ['user_attributes', 'events'] as const;
export const SYNC_MODES = ['incremental', 'full'] as const;
export const SCHEDULE_TYPES = ['interval', 'once', 'on_demand'] as const;
export const FREQUENCIES = ['hourly', 'daily', 'weekly', 'monthly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];
