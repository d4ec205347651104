// `schema`: the JSON Schema of a document, for editors.
import type { Command } from 'commander';
import * as z from 'zod/mini';
import { usageError } from '../../lib/kernel/errors.ts';
import { type JsonSchema, jsonSchemaOf, SCHEMA_NAMES } from '../../lib/files/json-schema.ts';
import { suggest } from '../../lib/kernel/nearest.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { commandAt } from '../../lib/runtime/command-line/help.ts';
import { resultSchema } from '../../lib/runtime/output/result-shape.ts';

export const command = defineCommand({
  path: 'schema',
  summary: 'print the JSON Schema of a document, or the whole contract as OpenAPI',
  effect: 'local',
  calls: 'none',
  args: {
    document: { help: 'document to describe', choices: [...SCHEMA_NAMES, 'output'] as const },
    command: { many: true, optional: true, help: 'for `output`: the command, such as roles diff' },
  },
  // A JSON Schema (draft 7) or, for `openapi`, an OpenAPI 3.1 document.
  output: () => z.record(z.string(), z.unknown()),
  notes: [
    'A YAML language server reads the hint `# yaml-language-server: $schema=FILE` in the first lines of a file; `roles pull` writes this hint. A JSON file names its schema in the `$schema` field, which is never sent.',
  ],
  examples: [
    'cdpadm schema roles --out roles.schema.json',
    'cdpadm schema pipeline',
    'cdpadm schema output roles diff',
    'cdpadm schema openapi --out platform.openapi.json',
  ],
  run: async (ctx, { args: { document, command } }) => {
    if (document === 'output') return outputSchema(await ctx.commands(), command);
    const [word] = command;
    if (word !== undefined) throw usageError(`Unexpected word \`${word}\` after \`schema ${document}\`.`);
    return await jsonSchemaOf(document);
  },
  view: { kind: 'document', text: (schema) => JSON.stringify(schema, null, 2), names: () => [] },
});

function outputSchema(root: Command, words: readonly string[]): JsonSchema {
  const found = commandAt(root, words);
  const schema = words.length > 0 && found ? resultSchema(found) : undefined;
  if (schema) return schema;
  const what = words.length === 0 ? 'Missing command.' : `\`${words.join(' ')}\` is not a command with a result.`;
  const paths = root.commands.flatMap((child) => pathsFrom(child));
  const text = suggest(words.join(' '), paths, 'Pass a command, such as:');
  throw usageError(what, { text, command: 'cdpadm schema output roles diff' });
}

/** Returns the paths of this command and of all its subcommands that have a result. */
function pathsFrom(command: Command, before = ''): string[] {
  const path = `${before}${command.name()}`;
  const below = command.commands.flatMap((child) => pathsFrom(child, `${path} `));
  return resultSchema(command) ? [path, ...below] : below;
}
