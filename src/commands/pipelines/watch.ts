// `pipelines watch`: follows a run until it finishes, by default the latest one.
import { RunReply } from '../../lib/contract/pipeline-runs.ts';
import { runId } from '../../lib/domain/warehouse/runs.ts';
import { runLine, runListView } from '../../lib/render/pipelines.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { createResultLines, watchClock } from '../../lib/runtime/output/result-lines.ts';
import { runFailed, watchRun } from '../../lib/workflows/pipelines-watch.ts';
import { readDuration } from '../flag-values.ts';
import { onPipeline, pipelineArg, pollFlag, requirePipeline, runIdOf, runPorts } from './session.ts';
import { fail } from '../../lib/errors/fail.ts';

export const watchPipeline = defineCommand({
  path: 'pipelines watch',
  summary: 'follow a run until it finishes',
  effect: 'read',
  tool: false,
  endless: true,
  calls: 'platform',
  args: { ...pipelineArg, run_id: { optional: true, help: 'id of the run (default: the latest run)' } },
  flags: pollFlag,
  output: () => RunReply,
  notes: [
    'Each change is one line: an object with -o json, a row with -o csv and markdown, a document with -o yaml. Stopping the command does not stop the run.',
  ],
  examples: ['cdpadm pipelines watch customers', 'cdpadm pipelines watch customers --poll 10s -o json'],
  exits: {
    failed: 'the run failed or was stopped',
    notFound: 'the pipeline or the run does not exist',
    waitTimedOut: '--timeout passed',
  },
  run: (ctx, { args, flags }) => watch(ctx, args.pipeline_id, args.run_id, flags.poll),
});

async function watch(ctx: Context, id: string, run: string | undefined, poll: string): Promise<void> {
  const pollMs = readDuration('--poll', poll);
  const named = run === undefined ? undefined : runIdOf(run);
  const ports = await runPorts(ctx);
  const wanted = named ?? (await latestRun(ctx, id));

  const { tell } = createResultLines(ctx, runListView({ pipeline: id }), runLine);
  let shown = '';
  const onState = async (state: RunReply): Promise<void> => {
    const now = `${state.status ?? ''} ${String(state.successful_records ?? '')}`;
    if (now !== shown) await tell(state);
    shown = now;
  };
  const onUnknown = async (): Promise<void> => {
    await requirePipeline(ctx, id);
    ctx.out.note(
      `The platform does not show run ${wanted} of ${id} yet. A new run may take a minute to appear. Waiting.`,
    );
  };
  const clock = watchClock(ctx, `Watching run ${wanted} of pipeline ${id}`);
  const ended = await onPipeline(ctx, id, watchRun(id, wanted, { pollMs, onState, onUnknown }, { ...ports, clock }));
  if (ended.status !== 'success') throw runFailed(id, ended);
}

async function latestRun(ctx: Context, id: string): Promise<string> {
  const { pipelines } = await ctx.api();
  const { latest_pipeline_run: latest } = await onPipeline(ctx, id, pipelines.report(id, ctx.signal));
  if (latest) return runId(latest);
  throw fail('pipelines.no_runs', {
    message: `Pipeline ${id} has not run yet.`,
    hint: { text: 'To run it:', command: `cdpadm pipelines trigger ${id} --wait` },
  });
}
