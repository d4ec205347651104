// `data-models delete`: takes a data model away.
import { Command } from 'commander';
import { deletedView } from '../../lib/render/deleted.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { TARGET_JSON, withHelp } from '../../lib/runtime/command-line/help.ts';
import { deleteResource } from '../resource-delete.ts';

export function deleteCommand(ctx: Context): Command {
  const command = new Command('delete')
    .description('delete a data model')
    .argument('<data_model_id>', 'the id of the data model')
    .action((id: string) => deleteResource(ctx, 'data_model', id));
  return withHelp(command, {
    calls: 'platform',
    columns: deletedView.columns,
    examples: ['cdpadm data-models delete unused --dry-run', 'cdpadm data-models delete unused --yes'],
    json: `{"id","deleted":true,${TARGET_JSON}}`,
    exits: { 5: 'there is no such data model', 6: 'a pipeline uses it', 12: 'you answered no' },
  });
}
