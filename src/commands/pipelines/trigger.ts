// `pipelines trigger`: triggers a run once, and can wait for it to finish.
import * as z from 'zod/mini';
import { RunReply } from '../../lib/contract/pipeline-runs.ts';
import { fail } from '../../lib/errors/fail.ts';
import { runId } from '../../lib/domain/warehouse/runs.ts';
import { ifFound, type KnownError, isNotFound } from '../../lib/kernel/errors.ts';
import { runLine, runListView } from '../../lib/render/pipelines.ts';
import { plainStyle } from '../../lib/render/style.ts';
import type { RecordView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context, Progress } from '../../lib/runtime/context.ts';
import {
  requireIdle,
  type Triggered,
  triggerPipeline,
  runFailed,
  watchRun,
} from '../../lib/workflows/pipelines-run.ts';
import { type WithTarget, workspaceTarget } from '../results.ts';
import { readDuration } from '../flag-values.ts';
import { pickLatestRun } from '../pick.ts';
import { onPipeline, pipelineArg, pollFlag, requirePipeline, runPorts, runIdOf } from './session.ts';
import { createResultLines, watchClock } from '../../lib/runtime/output/result-lines.ts';

function triggerResult() {
  return z.object({
    pipeline_id: z.string(),
    pipeline_run_id: RunReply.shape.id,
    status: z.string(),
    target: workspaceTarget(),
  });
}

const view: RecordView<WithTarget<typeof triggerResult>> = {
  kind: 'record',
  columns: [
    { key: 'pipeline_id', id: true, value: (it) => it.pipeline_id },
    { key: 'pipeline_run_id', title: 'run', value: (it) => it.pipeline_run_id },
    { key: 'status', value: (it) => it.status },
  ],
};

export const triggerRun = defineCommand({
  path: 'pipelines trigger',
  summary: 'run a pipeline now',
  undoNote: 'A triggered run cannot be undone.',
  effect: 'write',
  calls: 'platform',
  args: pipelineArg,
  flags: {
    wait: { help: 'wait until the run finishes' },
    waitIdle: { help: 'first wait until the pipeline is idle' },
    ...pollFlag,
  },
  columns: view.columns,
  output: triggerResult,
  notes: ['If the response is lost, the command searches for the new run instead of triggering the pipeline again.'],
  examples: [
    'cdpadm pipelines trigger customers --wait --yes',
    'cdpadm pipelines trigger customers --wait-idle --yes -o json',
  ],
  exits: {
    failed: 'the run failed or was stopped (with --wait)',
    notFound: 'the pipeline does not exist',
    conflict: 'the pipeline is already running, or it is paused',
    network: 'the response was lost and no new run appeared',
    waitTimedOut: '--timeout was reached; the run continues',
    guard: 'you answered no',
  },
  run: async (ctx, { args: { pipeline_id: id }, flags: { poll, wait = false, waitIdle = false } }) => {
    const pollMs = readDuration('--poll', poll);
    const ports = await runPorts(ctx);
    if (ctx.flags.curl) {
      await ports.api.trigger(id, { signal: ctx.signal });
      return;
    }
    const target = await ctx.startWrite('workspace');
    if (ctx.flags.dryRun) {
      // A dry run does not wait.
      await (waitIdle ? requirePipeline(ctx, id) : onPipeline(ctx, id, requireIdle(id, ports)));
      await ctx.out.emitDryRun([ports.api.describeTrigger(id)], undefined, undefined, [id]);
      return;
    }
    await ctx.confirmWrite(`Run pipeline ${id} now?`);
    let progress: Progress | undefined;
    let reads = 0;
    const onState = (text: string): void => {
      progress ??= ctx.out.progress(`Waiting until pipeline ${id} is idle; reads`);
      progress.update({ done: ++reads, text });
    };
    let ended: RunReply | undefined;
    let triggered: Triggered;
    try {
      triggered = await onPipeline(ctx, id, triggerPipeline(id, { waitIdle, patient: wait, pollMs, onState }, ports));
      if (wait) {
        ctx.out.note(`Triggered run ${triggered.pipeline_run_id}. Waiting for it to finish.`);
        progress?.end();
        const records = (progress = ctx.out.progress(`Records of pipeline ${id}`));
        const onRun = (run: RunReply): void => records.update(progressOf(run));
        const run = String(triggered.pipeline_run_id);
        ended = await watchRun(id, run, { pollMs, onState: onRun }, ports).catch((error: unknown) => {
          throw isNotFound(error) ? neverShown(id, run, error) : error;
        });
      }
    } finally {
      progress?.end();
    }
    await ctx.out.emit({ ...triggered, ...(ended && { status: ended.status ?? 'unknown' }), target }, view);
    if (!ended)
      ctx.out.note({ text: 'To watch it:', command: `cdpadm pipelines watch ${id} ${triggered.pipeline_run_id}` });
    else if (ended.status === 'success') ctx.out.note(runLine(ended, plainStyle));
    else throw runFailed(id, ended);
  },
});

function neverShown(id: string, run: string, cause: KnownError): KnownError {
  return fail('http.outcome_unknown', {
    message: `The outcome of run ${run} of pipeline ${id} is unknown: the platform accepted the trigger, but does not show the run.`,
    hint: { text: 'Before you trigger the pipeline again, check its runs:', command: `cdpadm pipelines runs ${id}` },
    request: cause.request,
    cause,
  });
}

function progressOf(run: RunReply) {
  const [done, failed] = [Number(run.successful_records ?? 0), Number(run.failed_records ?? 0)];
  const text = `run ${runId(run)} is ${run.status ?? 'running'}${failed > 0 ? `, ${failed} failed` : ''}`;
  return { done, text, data: { pipeline_run_id: run.id, status: run.status, failed } };
}

export const watchPipeline = defineCommand({
  path: 'pipelines watch',
  summary: 'follow a run until it finishes',
  effect: 'read',
  tool: false,
  endless: true,
  calls: 'platform',
  args: {
    ...pipelineArg,
    run_id: { optional: true, help: 'id of the run (default: the latest run)', pick: pickLatestRun },
  },
  flags: pollFlag,
  output: () => RunReply,
  notes: [
    'Each change is printed as a line of text, an object (-o json), a row (-o csv and markdown) or a document (-o yaml). Stopping the command does not stop the run.',
  ],
  examples: ['cdpadm pipelines watch customers', 'cdpadm pipelines watch customers --poll 10s -o json'],
  exits: {
    failed: 'the run failed or was stopped',
    notFound: 'the pipeline or the run does not exist',
    waitTimedOut: '--timeout was reached',
  },
  run: async (ctx, { args: { pipeline_id: id, run_id: run }, flags: { poll } }) => {
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
      // A new pipeline can be in the list before a read finds it.
      await ifFound(requirePipeline(ctx, id));
      ctx.out.note(
        `The platform does not show run ${wanted} of ${id} yet. A new run may take a minute to appear. Waiting.`,
      );
    };
    const clock = watchClock(ctx, `Watching run ${wanted} of pipeline ${id}`);
    const ended = await onPipeline(ctx, id, watchRun(id, wanted, { pollMs, onState, onUnknown }, { ...ports, clock }));
    if (ended.status !== 'success') throw runFailed(id, ended);
  },
});

async function latestRun(ctx: Context, id: string): Promise<string> {
  const { pipelines } = await ctx.api();
  const { latest_pipeline_run: latest } = await onPipeline(ctx, id, pipelines.report(id, ctx.signal));
  if (latest) return runId(latest);
  throw fail('pipelines.no_runs', {
    message: `Pipeline ${id} has not run yet.`,
    hint: { text: 'To run it:', command: `cdpadm pipelines trigger ${id} --wait` },
  });
}
