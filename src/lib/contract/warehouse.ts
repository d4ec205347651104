// D. Warehouse sync: what connections, data models and pipelines have in common (specification, "D. Warehouse sync").
import * as z from 'zod/mini';
import { ignoredAuditFields, textWhere } from './shared.ts';

/** `{baseURI}` below the platform's address. */
export const WORKSPACE_PATH = '/platform/v2/workspaces/{workspaceId}';

const SLUG = /^[A-Za-z0-9_-]+$/;

/** An id that the caller chooses: letters, digits, `_` and `-`. */
export const Slug = textWhere(
  (text) => {
    if (SLUG.test(text)) return undefined;
    return text === '' ? 'is empty' : 'may contain only letters, digits, `_` and `-`';
  },
  { pattern: SLUG.source },
);

/** A non-blank string. */
export const Filled = textWhere((text) => (text.trim() === '' ? 'is empty' : undefined), { pattern: '\\S' });

/** Fields that the platform sets. Requests may send these fields back, but the platform ignores them. */
export const readOnlyFields = {
  status: z.optional(z.unknown()),
  errors: z.optional(z.unknown()),
  ...ignoredAuditFields,
};

export const READ_ONLY_FIELDS: readonly string[] = Object.keys(readOnlyFields);

export const ResourceErrors = z.nullish(z.array(z.looseObject({ message: z.nullish(z.string()) })));
