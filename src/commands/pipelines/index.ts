// The pipeline commands.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { createPipeline } from './create.ts';
import { deletePipeline } from './delete.ts';
import { doctorCommand } from './doctor.ts';
import { getPipeline } from './get.ts';
import { listPipelines } from './list.ts';
import { pauseCommand } from './pause.ts';
import { reportCommand } from './report.ts';
import { resetCommand } from './reset.ts';
import { resumeCommand } from './resume.ts';
import { runCommand } from './run.ts';
import { runsCommand } from './runs.ts';
import { triggerCommand } from './trigger.ts';
import { updatePipeline } from './update.ts';
import { watchCommand } from './watch.ts';

export function pipelinesGroup(ctx: Context): Command {
  const group = new Command('pipelines').description('syncs from a warehouse: trigger, watch, find out what is wrong');
  for (const build of [
    listPipelines.build,
    getPipeline.build,
    createPipeline.build,
    updatePipeline.build,
    deletePipeline.build,
    pauseCommand,
    resumeCommand,
    triggerCommand,
    resetCommand,
    reportCommand,
    runsCommand,
    runCommand,
    watchCommand,
    doctorCommand,
  ]) {
    group.addCommand(build(ctx));
  }
  return group;
}
