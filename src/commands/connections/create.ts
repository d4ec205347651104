// `connections create`: a new connection from a file.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/help.ts';
import { createResource } from '../resource-commands.ts';

export function createCommand(ctx: Context): Command {
  const command = new Command('create')
    .description('create a connection from a file')
    .requiredOption('-f, --file <file>', 'the definition, YAML or JSON; - is standard input')
    .action((flags: { file: string }) => createResource(ctx, 'connection', flags.file));
  return withHelp(command, {
    notes: [
      'Secrets in the file are references, resolved when they are sent: env:NAME, file:PATH, keychain:NAME, command:LINE. `cdpadm schema connection` describes the file.',
    ],
    examples: [
      'cdpadm connections create -f connection.yaml',
      'cdpadm connections create -f connection.yaml --dry-run -o json',
    ],
    json: '{"id","name","state","status","errors":[{"message"}],"service_provider","config":{…},"created_on","created_by","last_modified_on","last_modified_by"}',
    errors: [
      '1  the platform refuses it, or cannot reach the warehouse (505)',
      '6  there is one of this id already',
      '9  the file is invalid',
    ],
  });
}
