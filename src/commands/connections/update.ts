// `connections update`: replaces a connection by what a file says.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/help.ts';
import { updateResource } from '../resource-commands.ts';

export function updateCommand(ctx: Context): Command {
  const command = new Command('update')
    .description('replace a connection by what a file says')
    .argument('<connection_id>', 'the id of the connection')
    .requiredOption('-f, --file <file>', 'the definition, YAML or JSON; - is standard input')
    .action((id: string, flags: { file: string }) => updateResource(ctx, 'connection', id, flags.file));
  return withHelp(command, {
    examples: [
      'cdpadm connections update crm -f connection.yaml',
      'cdpadm connections update crm -f connection.yaml --dry-run',
    ],
    json: '{"id","name","state","status","errors":[{"message"}],"service_provider","config":{…},"created_on","created_by","last_modified_on","last_modified_by"}',
    errors: ['5  there is no such connection', '6  somebody changed it meanwhile', '9  the file is invalid'],
  });
}
