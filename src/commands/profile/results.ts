// The schema of a profile in results.
import { array, boolean, enum as oneOf, looseObject, optional, record, string } from 'zod/mini';
import { FIELDS } from './fields.ts';

/** A profile as its file has it. Fields of a newer version are kept. */
export function profileResult() {
  const text = optional(string());
  const texts = optional(record(string(), string()));
  return looseObject({
    ...Object.fromEntries(FIELDS.map(({ name }) => [name, text])),
    protected: optional(boolean()),
    access: optional(oneOf(['read', 'write'])),
    allow_commands: optional(boolean()),
    allow_files: optional(array(string())),
    limits: texts,
    names: texts,
    secrets: optional(
      looseObject({ client_id: text, client_secret: text, workspace_key: text, workspace_secret: text }),
    ),
  });
}
