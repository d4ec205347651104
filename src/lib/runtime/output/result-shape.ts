// Derives the JSON Schema, the short shape and the fields of a command's result from the command's record.
import type { Command } from 'commander';
import { type CommandHelp, helpOf, pathOf } from '../command-line/help.ts';
import * as z from 'zod/mini';

/** Returns the JSON Schema (draft 7) of the command's `-o json` result. Undefined if the command has no result. */
export function resultSchema(command: Command): Schema | undefined {
  const { output } = helpOf(command) ?? {};
  if (!output) return undefined;
  const schema = jsonSchemaOfResult(output());
  const title = `Result of \`${pathOf(command)} -o json\``;
  return { $schema: 'http://json-schema.org/draft-07/schema#', title, description: textOf(schema), ...opened(schema) };
}

export function shapeTextOf({ output }: CommandHelp): string | undefined {
  return output && textOf(jsonSchemaOfResult(output()));
}

function textOf(schema: Schema): string {
  return shapeOf(schema) || 'any JSON';
}

/** Returns the fields that all forms of the result (or of its items) have. */
export function fieldsOf(command: Command): string[] {
  const { output } = helpOf(command) ?? {};
  const schema = output ? jsonSchemaOfResult(output()) : {};
  const [first = [], ...others] = ((schema['anyOf'] ?? [schema]) as Schema[]).map((form) =>
    Object.keys(((form['items'] ?? form) as Schema)['properties'] ?? {}),
  );
  return first.filter((field) => others.every((fields) => fields.includes(field)));
}

/** Allows additional fields in a schema, because a newer version may add some. */
function opened(schema: Schema): Schema {
  const open = (key: string, value: unknown) => (key === 'additionalProperties' && value === false ? undefined : value);
  return JSON.parse(JSON.stringify(schema, open)) as Schema;
}

export type Schema = Readonly<Record<string, unknown>>;

/** Returns the JSON Schema (draft 7). An object is closed unless its schema is loose. 64-bit integers are integers. */
export function jsonSchemaOfResult(output: z.ZodMiniType): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(output, {
    target: 'draft-7',
    // Omit the contract's words and formats, because a newer platform may send others.
    metadata: z.registry(),
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
 * Returns the short shape: `{"id","state":"on"|"off","tasks":[{"task_id"}],"name"?,…}`. A key without a value is a
 * string, number or boolean. A question mark means optional. `…` means that the platform may add fields.
 */
export function shapeOf(schema: Schema): string {
  const { additionalProperties: rest, anyOf, const: constant, enum: words, items, properties, required, type } = schema;
  if (Array.isArray(anyOf)) {
    const shapes = (anyOf as Schema[]).map(wordOf).filter((shape) => shape !== '');
    return [...new Set(shapes)].join('|');
  }
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

/** Returns the shape or, if there is none, the type's name. */
function wordOf(schema: Schema): string {
  const shape = shapeOf(schema);
  return shape === '' && typeof schema['type'] === 'string' ? schema['type'] : shape;
}
