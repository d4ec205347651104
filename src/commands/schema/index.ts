// `schema`: the JSON Schema of a document, for editors.
import { Argument, Command } from 'commander';
import { type JsonSchema, jsonSchemaOf, SCHEMA_NAMES, type SchemaName } from '../../lib/files/json-schema.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/help.ts';

export function schemaCommand(ctx: Context): Command {
  const command = new Command('schema')
    .description('print the JSON Schema of a document')
    .addArgument(new Argument('<document>', 'which document').choices(SCHEMA_NAMES))
    .action((name: SchemaName) => printSchema(ctx, name));
  return withHelp(command, {
    notes: [
      'A YAML language server reads the hint `# yaml-language-server: $schema=FILE` in the first lines of a file; `roles pull` writes one.',
    ],
    examples: ['cdpadm schema roles --out roles.schema.json', 'cdpadm schema pipeline'],
    json: 'a JSON Schema, draft 7',
  });
}

const view: DocumentView<JsonSchema> = {
  kind: 'document',
  text: (schema) => JSON.stringify(schema, null, 2),
};

async function printSchema(ctx: Context, name: SchemaName): Promise<void> {
  await ctx.out.emit(await jsonSchemaOf(name), view);
}
