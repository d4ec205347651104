// `connections get`: one connection.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { getResource } from '../resource-read.ts';

export function getCommand(ctx: Context): Command {
  const command = new Command('get')
    .description('show one connection')
    .argument('<connection_id>', 'the id of the connection')
    .action((id: string) => getResource(ctx, 'connection', id));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    examples: ['cdpadm connections get crm', 'cdpadm connections get crm -o yaml'],
    json: '{"id","name","state","status","errors":[{"message"}],"service_provider","config":{…},"created_on","created_by","last_modified_on","last_modified_by"}',
    exits: { 5: 'there is no such connection' },
  });
}
