// D. Warehouse sync: what connections, data models and pipelines have in common (specification, "D. Warehouse sync").
import { array, check, looseObject, nullish, optional, string, unknown } from 'zod/mini';

/** `{baseURI}` below the platform's address. */
export const WORKSPACE_PATH = '/platform/v2/workspaces/{workspaceId}';

const SLUG = /^[A-Za-z0-9_-]+$/;

/** An id that the caller chooses: letters, digits, `_` and `-`. */
export const Slug = string().check(
  check((context) => {
    if (SLUG.test(context.value)) return;
    const message = context.value === '' ? 'is empty' : 'may hold letters, digits, `_` and `-` only';
    context.issues.push({ code: 'custom', message, input: context.value });
  }),
);

/** A text that says something. */
export const Filled = string().check(
  check((context) => {
    if (context.value.trim() !== '') return;
    context.issues.push({ code: 'custom', message: 'is empty', input: context.value });
  }),
);

/** Fields that the platform sets: they may come back to it with the rest, and are ignored. */
export const READ_ONLY_FIELDS = [
  'status',
  'errors',
  'created_on',
  'created_by',
  'last_modified_on',
  'last_modified_by',
] as const;

export const readOnlyFields = {
  status: optional(unknown()),
  errors: optional(unknown()),
  created_on: optional(unknown()),
  created_by: optional(unknown()),
  last_modified_on: optional(unknown()),
  last_modified_by: optional(unknown()),
};

export const ResourceErrors = nullish(array(looseObject({ message: nullish(string()) })));

/** Who made and changed a resource, and when: ISO 8601. */
export const auditFields = {
  created_on: nullish(string()),
  created_by: nullish(string()),
  last_modified_on: nullish(string()),
  last_modified_by: nullish(string()),
};

/** States of connections and data models; `new` when a request leaves it out (decision: D62). */
export const RESOURCE_STATES = ['new', 'active', 'inactive'] as const;
