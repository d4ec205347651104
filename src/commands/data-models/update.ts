// `data-models update`: replaces a data model by what a file says.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/help.ts';
import { updateResource } from '../resource-commands.ts';

export function updateCommand(ctx: Context): Command {
  const command = new Command('update')
    .description('replace a data model by what a file says')
    .argument('<data_model_id>', 'the id of the data model')
    .requiredOption('-f, --file <file>', 'the definition, YAML or JSON; - is standard input')
    .action((id: string, flags: { file: string }) => updateResource(ctx, 'data_model', id, flags.file));
  return withHelp(command, {
    examples: [
      'cdpadm data-models update active-customers -f model.yaml',
      'cdpadm data-models update active-customers -f model.yaml --dry-run',
    ],
    json: '{"id","name","state","status","errors":[{"message"}],"type":"sql","config":{"sql_query"},"created_on",…}',
    errors: ['5  there is no such data model', '6  somebody changed it meanwhile', '9  the file is invalid'],
  });
}
