// The shape of a command's JSON, from the schema of its record: for the help, `schema output` and completion.
import type { Command } from 'commander';
import { type CommandHelp, helpOf, pathOf } from '../command-line/help.ts';
import { jsonSchemaOfResult, type Schema, shapeOf } from './result-schema.ts';

const DRAFT = 'http://json-schema.org/draft-07/schema#';

/** The JSON Schema (draft 7) of what the command prints under `-o json`; undefined for a command that prints none. */
export function resultSchema(command: Command): Schema | undefined {
  const { output } = helpOf(command) ?? {};
  if (!output) return undefined;
  const schema = jsonSchemaOfResult(output());
  const title = `What \`${pathOf(command)} -o json\` prints`;
  return { $schema: DRAFT, title, description: textOf(schema), ...opened(schema) };
}

/** The shape of a command's result for people; undefined for a command without one. */
export function shapeTextOf({ output }: CommandHelp): string | undefined {
  return output && textOf(jsonSchemaOfResult(output()));
}

function textOf(schema: Schema): string {
  return shapeOf(schema) || 'any JSON';
}

/** The same where `--profile` is given several times; undefined for a command that takes one. */
export function repeatedSchema(command: Command): Schema | undefined {
  const { output, reads } = helpOf(command) ?? {};
  if (!output || reads !== true) return undefined;
  const schema = jsonSchemaOfResult(output());
  const part = (key: string, value: Schema): Schema => ({
    type: 'object',
    properties: { profile: { type: 'string' }, [key]: value },
    required: ['profile', key],
  });
  const text = { type: 'string' };
  const error = { type: 'object', properties: { code: text, message: text }, required: ['code', 'message'] };
  return {
    $schema: DRAFT,
    title: `What \`${pathOf(command)} -o json\` prints for several profiles`,
    description: `[{"profile","data":${textOf(schema)}}], or {"profile","error"} for one that failed`,
    type: 'array',
    items: { oneOf: [part('data', opened(schema)), part('error', error)] },
  };
}

/** The fields of what the command prints, or of each item: those that all forms of the result have. */
export function fieldsOf(command: Command): string[] {
  const { output } = helpOf(command) ?? {};
  const schema = output ? jsonSchemaOfResult(output()) : {};
  const [first = [], ...others] = ((schema['anyOf'] ?? [schema]) as Schema[]).map((form) =>
    Object.keys(((form['items'] ?? form) as Schema)['properties'] ?? {}),
  );
  return first.filter((field) => others.every((fields) => fields.includes(field)));
}

/** A schema that accepts further fields: a newer version may add some. */
function opened(value: Schema): Schema {
  const entries = Object.entries(value).filter(([key, item]) => key !== 'additionalProperties' || item !== false);
  const open = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(open);
    return typeof item === 'object' && item !== null ? opened(item as Schema) : item;
  };
  return Object.fromEntries(entries.map(([key, item]) => [key, open(item)]));
}
