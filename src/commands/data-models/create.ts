// `data-models create`: a new data model from a file.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/help.ts';
import { createResource } from '../resource-commands.ts';

export function createCommand(ctx: Context): Command {
  const command = new Command('create')
    .description('create a data model from a file')
    .requiredOption('-f, --file <file>', 'the definition, YAML or JSON; - is standard input')
    .action((flags: { file: string }) => createResource(ctx, 'data_model', flags.file));
  return withHelp(command, {
    notes: ['`config.sql_file: NAME.sql` beside the file may stand in place of `config.sql_query`.'],
    examples: ['cdpadm data-models create -f model.yaml', 'cdpadm data-models create -f model.yaml --dry-run -o json'],
    json: '{"id","name","state","status","errors":[{"message"}],"type":"sql","config":{"sql_query"},"created_on",…}',
    errors: ['1  the platform refuses it', '6  there is one of this id already', '9  the file is invalid'],
  });
}
