// The pipeline commands.
import { buildGroup } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { createPipeline } from './create.ts';
import { deletePipeline } from './delete.ts';
import { diagnosePipeline } from './doctor.ts';
import { getPipeline } from './get.ts';
import { listPipelines } from './list.ts';
import { showReport } from './report.ts';
import { resetPosition } from './reset.ts';
import { listRuns, showRun } from './runs.ts';
import { pausePipeline, resumePipeline } from './state.ts';
import { triggerRun } from './trigger.ts';
import { updatePipeline } from './update.ts';
import { watchPipeline } from './watch.ts';

export function pipelinesGroup(ctx: Context) {
  return buildGroup(ctx, 'pipelines', 'syncs from a warehouse: trigger, watch, find out what is wrong', [
    listPipelines,
    getPipeline,
    createPipeline,
    updatePipeline,
    deletePipeline,
    pausePipeline,
    resumePipeline,
    triggerRun,
    resetPosition,
    showReport,
    listRuns,
    showRun,
    watchPipeline,
    diagnosePipeline,
  ]);
}
