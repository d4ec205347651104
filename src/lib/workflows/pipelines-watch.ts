// Follows a run until it finishes, and collects evidence for a diagnosis.
import { endingAs, exitOf, fail } from '../errors/fail.ts';
import type { PipelinesApi } from '../api/pipelines.ts';
import type { RunReply } from '../contract/pipeline-runs.ts';
import { isEnded, recordsOf, runId } from '../domain/warehouse/runs.ts';
import type { Clock } from '../kernel/clock.ts';
import { grouped } from '../kernel/words.ts';
import { KnownError, ifFound } from '../kernel/errors.ts';
import type { Api } from '../api/index.ts';
import { diagnose } from '../domain/warehouse/diagnose.ts';
import { retryWhileNotFound } from './retry-while-not-found.ts';
import { warehouseCalls } from './warehouse-apply.ts';

export interface RunPorts {
  api: PipelinesApi;
  clock: Clock;
  signal: AbortSignal;
}

export interface WatchOptions {
  pollMs: number;
  onState(run: RunReply): Promise<void> | void;
  /** Called if the run does not exist or is not visible yet. An error stops the watch. */
  onUnknown?(): Promise<void>;
}

/** First pause between two reads. The pause doubles up to `pollMs`. */
const FIRST_PAUSE_MS = 1000;

/** Reads the run until it finishes. Errors, except for an unknown run, include the command that resumes the watch. */
export async function watchRun(
  pipelineId: string,
  id: string,
  { pollMs, onState, onUnknown }: WatchOptions,
  ports: RunPorts,
): Promise<RunReply> {
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      const run = await retryWhileNotFound(() => ports.api.run(pipelineId, id, ports.signal), pollMs, ports, onUnknown);
      await onState(run);
      if (isEnded(run)) return run;
      await ports.clock.sleep(Math.min(pauseMs, pollMs), ports.signal);
    }
  } catch (error) {
    if (!(error instanceof KnownError) || (exitOf(error) === 'notFound' && !ports.signal.aborted)) throw error;
    // Exit code 1 is reserved for failed runs, so an unreadable response exits with 8 (decision: D216).
    const unread = exitOf(error) === 'failed' ? endingAs(error, 'network') : error;
    const message = `The outcome of run ${id} of pipeline ${pipelineId} is unknown. ${error.message}`;
    throw (ports.signal.aborted ? error : unread.with({ message })).with({
      hint: [
        ...(ports.signal.aborted ? [] : error.hints),
        { text: 'The run continues. To watch it:', command: `cdpadm pipelines watch ${pipelineId} ${id}` },
      ],
      details: { pipeline_id: pipelineId, pipeline_run_id: id },
    });
  }
}

/** Returns the error for an unsuccessful run (exit code 1), with its reasons. */
export function runFailed(pipelineId: string, run: RunReply): KnownError {
  const reasons = (run.errors ?? []).flatMap(({ message }) => (message ? [message] : []));
  const { failed, successful } = recordsOf(run);
  const counts = `${grouped(successful)} records succeeded, ${grouped(failed)} failed`;
  return fail('pipelines.run_failed', {
    message: `Run ${runId(run)} of pipeline ${pipelineId} finished as ${run.status ?? 'unknown'}${reasons.length > 0 ? `: ${reasons.join('; ').replace(/\.$/, '')}` : ''} (${counts}).`,
    hint: { text: 'To see why:', command: `cdpadm pipelines doctor ${pipelineId}` },
    details: { pipeline_id: pipelineId, pipeline_run_id: runId(run), errors: reasons },
  });
}

/** Collects evidence and diagnoses the pipeline. Ages use the platform's time, or `now` if it is unknown. */
export async function examinePipeline(
  api: Api,
  id: string,
  now: number,
  signal: AbortSignal,
): Promise<ReturnType<typeof diagnose>> {
  const pipeline = await api.pipelines.get(id, signal);
  const [{ body: report, date }, connection, model] = await Promise.all([
    api.pipelines.reportDated(id, signal),
    ifFound(warehouseCalls(api, 'connection').get(pipeline.connection_id ?? '', signal)),
    ifFound(warehouseCalls(api, 'data_model').get(pipeline.data_model_id ?? '', signal)),
  ]);
  const lastSuccess = report.latest_successful_pipeline_run_id;
  // The platform may no longer have the run, or not show it yet.
  const success =
    lastSuccess === null || lastSuccess === undefined
      ? undefined
      : await ifFound(api.pipelines.run(id, lastSuccess, signal));
  return diagnose({ pipeline, report, connection, model, success, now: date ?? now });
}
