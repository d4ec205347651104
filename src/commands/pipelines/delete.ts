// `pipelines delete`: takes a pipeline away.
import { Command } from 'commander';
import { deletedView } from '../../lib/render/deleted.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { TARGET_JSON, withHelp } from '../../lib/runtime/command-line/help.ts';
import { deleteResource } from '../resource-delete.ts';

export function deleteCommand(ctx: Context): Command {
  const command = new Command('delete')
    .description('delete a pipeline')
    .argument('<pipeline_id>', 'the id of the pipeline')
    .action((id: string) => deleteResource(ctx, 'pipeline', id));
  return withHelp(command, {
    calls: 'platform',
    columns: deletedView.columns,
    examples: ['cdpadm pipelines delete customers --dry-run', 'cdpadm pipelines delete customers --yes'],
    json: `{"id","deleted":true,${TARGET_JSON}}`,
    exits: { 5: 'there is no such pipeline', 12: 'you answered no' },
  });
}
