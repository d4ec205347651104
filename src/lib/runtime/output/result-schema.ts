// Describes the JSON of a result as a JSON Schema and as the short shape of its help.
import { toJSONSchema, type ZodMiniType } from 'zod/mini';

export type Schema = Readonly<Record<string, unknown>>;

/** JSON Schema, draft 7. An object is closed unless its schema is loose. 64-bit integers are integers. */
export function jsonSchemaOfResult(output: ZodMiniType): Schema {
  const { $schema: _, ...schema } = toJSONSchema(output, {
    target: 'draft-7',
    unrepresentable: 'any',
    override: ({ jsonSchema, zodSchema }) => {
      const { def } = zodSchema._zod;
      if (def.type !== 'union' || !def.options.some((option) => option._zod.def.type === 'bigint')) return;
      delete jsonSchema.anyOf;
      jsonSchema.type = 'integer';
    },
  });
  return schema;
}

/**
 * The short shape: `{"id","state":"on"|"off","tasks":[{"task_id"}],"name"?,…}`. A key without a value is a string, number
 * or boolean. A question mark means optional. `…` means that the platform may add fields.
 */
export function shapeOf(schema: Schema): string {
  const { additionalProperties: rest, anyOf, const: constant, enum: words, items, properties, required, type } = schema;
  if (Array.isArray(anyOf)) return unique((anyOf as Schema[]).map((form) => wordOf(form))).join('|');
  if (Array.isArray(words)) return words.map((word) => JSON.stringify(word)).join('|');
  if (constant !== undefined) return JSON.stringify(constant);
  if (type === 'array') return `[${items ? wordOf(items as Schema) : ''}]`;
  if (type !== 'object') return '';
  const fields = Object.entries((properties ?? {}) as Record<string, Schema>).map(([key, value]) => {
    const shape = shapeOf(value);
    const isRequired = Array.isArray(required) && required.includes(key);
    return `"${key}"${isRequired ? '' : '?'}${shape === '' ? '' : `:${shape}`}`;
  });
  if (typeof rest === 'object' && rest !== null && Object.keys(rest).length > 0) {
    const shape = shapeOf(rest as Schema);
    fields.push(`"<name>"${shape === '' ? '' : `:${shape}`}`);
  } else if (rest !== false) fields.push('…');
  return `{${fields.join(',')}}`;
}

/** The shape, or the name of the type if it has none. */
function wordOf(schema: Schema): string {
  const shape = shapeOf(schema);
  return shape === '' && typeof schema['type'] === 'string' ? schema['type'] : shape;
}

function unique(shapes: readonly string[]): string[] {
  return [...new Set(shapes.filter((shape) => shape !== ''))];
}
