// Warehouse sync: what connections, data models and pipelines have in common (specification, "D. Warehouse sync").
import * as z from 'zod/mini';
import type { NameMark } from './endpoint.ts';
import { ignoredAuditFields, noDuplicates, textWhere } from './shared.ts';

/** `{baseURI}`, relative to the platform's address. */
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

export const Filled = textWhere((text) => (text.trim() === '' ? 'is empty' : undefined), { pattern: '\\S' });

export const readOnlyFields = {
  status: z.optional(z.unknown()),
  errors: z.optional(z.unknown()),
  ...ignoredAuditFields,
};

export const READ_ONLY_FIELDS: readonly string[] = Object.keys(readOnlyFields);

export const ResourceErrors = z.nullish(z.array(z.looseObject({ message: z.nullish(z.string()) })));

/** Returns the endpoints that every kind of resource has. `marks` are the deployment-specific names in one resource. */
export function resourceRows<
  const List extends string,
  const Id extends string,
  Body extends z.ZodMiniType,
  Reply extends z.ZodMiniType<{ id: string }>,
>(list: List, id: Id, body: Body, reply: Reply, marks: readonly NameMark[] = []) {
  const path = `${list}/{${id}}` as const;
  const about = { [id]: 'id' };
  const listMarks = marks.map((mark) => mark.replace(':', ':[].') as NameMark);
  return {
    list: { method: 'GET', path: list, reply: z.array(reply).check(noDuplicates('id')), names: { reply: listMarks } },
    get: { method: 'GET', path, reply, about, names: { reply: marks } },
    create: { method: 'POST', path: list, body, reply, names: { body: marks, reply: marks } },
    update: { method: 'PUT', path, body, reply, about, names: { body: marks, reply: marks } },
    delete: { method: 'DELETE', path, status: 204 },
  } as const;
}
