// `pipelines get`: one pipeline.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { getResource } from '../resource-read.ts';

export function getCommand(ctx: Context): Command {
  const command = new Command('get')
    .description('show one pipeline')
    .argument('<pipeline_id>', 'the id of the pipeline')
    .action((id: string) => getResource(ctx, 'pipeline', id));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    examples: ['cdpadm pipelines get customers', 'cdpadm pipelines get customers -o yaml'],
    json: '{"id","name","pipeline_type","connection_id","data_model_id","state","status","errors":[{"message"}],"sync_mode":{…},"schedule":{…},"environment",…}',
    exits: { 5: 'there is no such pipeline' },
  });
}
