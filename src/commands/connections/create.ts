// `connections create`: a new connection from a file, flags, or both.
import { Command } from 'commander';
import { resourceView } from '../../lib/render/warehouse.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { addFieldFlags, fieldValues } from '../definition-flags.ts';
import { createResource, type ResourceFlags } from '../resource-change.ts';

export function createCommand(ctx: Context): Command {
  const command = addFieldFlags(
    new Command('create')
      .description('create a connection from a file, flags, or both')
      .argument('[connection_id]', 'the id of the new connection; a file may hold it')
      .option('-f, --file <file>', 'the definition, YAML or JSON; - is standard input'),
    'connection',
  ).action((id: string | undefined, flags: ResourceFlags) => createResource(ctx, 'connection', id, flags));
  return withHelp(command, {
    calls: 'platform',
    columns: resourceView('connection').columns,
    values: fieldValues('connection'),
    notes: [
      'Secrets are references, resolved when they are sent: env:NAME, file:PATH, keychain:NAME, command:LINE. On a terminal a secret that is missing or shown as asterisks is asked for. Flags win over the file, which `cdpadm schema connection` describes.',
    ],
    examples: [
      'cdpadm connections create -f connection.yaml',
      'cdpadm connections create lake --name Lake --service-provider PROVIDER_D --provider acme --schema shop --dry-run',
    ],
    json: '{"id","name","state","status","errors":[{"message"}],"service_provider","config":{…},"created_on","created_by","last_modified_on","last_modified_by"}',
    exits: {
      1: 'the platform refuses it, or cannot reach the warehouse (505)',
      2: 'a field that no flag and no file gives',
      6: 'there is one of this id already',
      9: 'the file is invalid',
      12: 'the file names a command or a file elsewhere, or you answered no',
    },
  });
}
