// `connections delete`: takes a connection away.
import { Command } from 'commander';
import { deletedView } from '../../lib/render/deleted.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { TARGET_JSON, withHelp } from '../../lib/runtime/command-line/help.ts';
import { deleteResource } from '../resource-delete.ts';

export function deleteCommand(ctx: Context): Command {
  const command = new Command('delete')
    .description('delete a connection')
    .argument('<connection_id>', 'the id of the connection')
    .action((id: string) => deleteResource(ctx, 'connection', id));
  return withHelp(command, {
    calls: 'platform',
    columns: deletedView.columns,
    examples: ['cdpadm connections delete unused --dry-run', 'cdpadm connections delete unused --yes'],
    json: `{"id","deleted":true,${TARGET_JSON}}`,
    exits: { 5: 'there is no such connection', 6: 'a pipeline uses it', 12: 'you answered no' },
  });
}
