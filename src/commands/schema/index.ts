// `schema`: the JSON Schema of a document, for editors.
import { Argument, Command } from 'commander';
import { usageError } from '../../lib/kernel/errors.ts';
import { type JsonSchema, jsonSchemaOf, SCHEMA_NAMES, type SchemaName } from '../../lib/files/json-schema.ts';
import { nearest } from '../../lib/kernel/nearest.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { repeatedSchema, resultSchema } from '../../lib/runtime/output/result-shape.ts';

/** Not a document that one writes: what a command prints. */
const OUTPUT = 'output';

export function schemaCommand(ctx: Context): Command {
  const command = new Command('schema')
    .description('print the JSON Schema of a document, or the whole contract as OpenAPI')
    .addArgument(new Argument('<document>', 'which document').choices([...SCHEMA_NAMES, OUTPUT]))
    .argument('[command...]', 'with `output`: the words of a command, such as roles diff')
    .option('--several-profiles', 'with `output`: what is printed where --profile is given more than once')
    .action((name: SchemaName | typeof OUTPUT, words: string[], flags: { severalProfiles?: boolean }, self: Command) =>
      name === OUTPUT
        ? ctx.out.emit(outputSchema(self.parent, words, flags.severalProfiles ? repeatedSchema : resultSchema), view)
        : printSchema(ctx, name, words),
    );
  return withHelp(command, {
    calls: 'nobody',
    notes: [
      'A YAML language server reads the hint `# yaml-language-server: $schema=FILE` in the first lines of a file; `roles pull` writes one. A JSON file names its schema in a field `$schema`, which is never sent.',
    ],
    examples: [
      'cdpadm schema roles --out roles.schema.json',
      'cdpadm schema pipeline',
      'cdpadm schema output roles diff',
      'cdpadm schema output roles list --several-profiles',
      'cdpadm schema openapi --out platform.openapi.json',
    ],
    json: 'a JSON Schema, draft 7; of openapi an OpenAPI 3.1 document',
  });
}

const view: DocumentView<JsonSchema> = {
  kind: 'document',
  text: (schema) => JSON.stringify(schema, null, 2),
};

async function printSchema(ctx: Context, name: SchemaName, words: readonly string[]): Promise<void> {
  const [word] = words;
  if (word !== undefined) throw usageError(`\`schema ${name}\` takes no further word; \`${word}\` is one too many.`);
  await ctx.out.emit(await jsonSchemaOf(name), view);
}

function outputSchema(root: Command | null, words: readonly string[], shape: typeof resultSchema): JsonSchema {
  const found = words.reduce<Command | null | undefined>(
    (command, word) => command?.commands.find((child) => child.name() === word),
    root,
  );
  const schema = words.length > 0 && found ? shape(found) : undefined;
  if (schema) return schema;
  if (found && resultSchema(found)) throw usageError(`\`${words.join(' ')}\` takes one --profile.`);
  const what = words.length === 0 ? 'Which command is missing.' : `\`${words.join(' ')}\` is no command with a result.`;
  const guess = nearest(words.join(' '), root ? root.commands.flatMap((child) => pathsFrom(child)) : []);
  const hint = 'Name one as it is typed, such as: cdpadm schema output roles diff';
  throw usageError(what, guess === undefined ? hint : `Did you mean \`${guess}\`? ${hint}`);
}

/** The words of every command with a result, from this one down. */
function pathsFrom(command: Command, before = ''): string[] {
  const path = `${before}${command.name()}`;
  const below = command.commands.flatMap((child) => pathsFrom(child, `${path} `));
  return resultSchema(command) ? [path, ...below] : below;
}
