// `connections update`: replaces a connection by what a file says, or changes the fields that flags give.
import { Command } from 'commander';
import { resourceView } from '../../lib/render/warehouse.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { addFieldFlags, fieldValues } from '../definition-flags.ts';
import { type ResourceFlags, updateResource } from '../resource-change.ts';

export function updateCommand(ctx: Context): Command {
  const command = addFieldFlags(
    new Command('update')
      .description('replace a connection by a file, or change the fields that flags give')
      .argument('<connection_id>', 'the id of the connection')
      .option('-f, --file <file>', 'the definition, YAML or JSON; - is standard input'),
    'connection',
  ).action((id: string, flags: ResourceFlags) => updateResource(ctx, 'connection', id, flags));
  return withHelp(command, {
    calls: 'platform',
    columns: resourceView('connection').columns,
    values: fieldValues('connection'),
    notes: [
      'With -f the file is the whole connection. Without it the flags change what is there; the platform never shows a secret, so it must be given again (--password-from), or is asked for on a terminal. An empty text takes a field out.',
    ],
    examples: [
      'cdpadm connections update crm -f connection.yaml',
      'cdpadm connections update crm --role loader --password-from file:password.txt --dry-run',
    ],
    json: '{"id","name","state","status","errors":[{"message"}],"service_provider","config":{…},"created_on","created_by","last_modified_on","last_modified_by"}',
    exits: {
      1: 'the platform refuses it, or cannot reach the warehouse (505)',
      5: 'there is no such connection',
      6: 'somebody changed it meanwhile',
      9: 'the file is invalid',
      12: 'the file names a command or a file elsewhere, or you answered no',
    },
  });
}
