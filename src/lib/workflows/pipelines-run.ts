// Triggers and resets pipelines, follows runs, and collects evidence for a diagnosis.
import { endingAs, exitOf, fail, causedBy } from '../errors/fail.ts';
import type { PipelinesApi } from '../api/pipelines.ts';
import type { RunReply } from '../contract/pipeline-runs.ts';
import { isEnded, recordsOf, runId, newManualRuns } from '../domain/warehouse/runs.ts';
import type { Clock } from '../kernel/clock.ts';
import { grouped } from '../kernel/words.ts';
import { KnownError, ifFound, type Hint } from '../kernel/errors.ts';
import type { Api } from '../api/index.ts';
import { diagnose, type Evidence } from '../domain/warehouse/diagnose.ts';
import { retryWhileNotFound } from './retry-while-not-found.ts';
import { warehouseCalls } from './warehouse-apply.ts';
import type { PipelineReportReply } from '../contract/pipelines.ts';
import { confirmed, confirmWrite, type Messages } from './confirm-write.ts';

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
  { names, now }: Pick<Evidence, 'names' | 'now'>,
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
  return diagnose({ pipeline, report, connection, model, success, names, now: date ?? now });
}

export interface TriggerOptions {
  waitIdle: boolean;
  /** True if the command waits for the run. In that case, it also waits for a new pipeline to become visible. */
  patient: boolean;
  pollMs: number;
  onState(text: string): void;
}

export interface Triggered {
  pipeline_id: string;
  pipeline_run_id: RunReply['id'];
  status: string;
}

export type TriggerPorts = RunPorts & { out: Messages };

const RUN_READS = 4;

/** Throws conflict (6) if the pipeline is running, and network (8) if the response was lost and no new run appears. */
export async function triggerPipeline(id: string, options: TriggerOptions, ports: TriggerPorts): Promise<Triggered> {
  const { api, signal } = ports;
  let before: readonly RunReply[];
  let stopped: Hint = { text: 'Nothing was triggered.' };
  try {
    await becomeIdle(id, options, ports, (hint) => (stopped = hint));
    before = await edgeRuns(id, ports);
  } catch (error) {
    throw signal.aborted && error instanceof KnownError ? error.with({ hint: stopped }) : error;
  }
  const result = (run: RunReply['id'], status: string | null | undefined): Triggered => ({
    pipeline_id: id,
    pipeline_run_id: run,
    status: status ?? 'attempt_requested',
  });
  const triggered = await confirmWrite<Triggered, RunReply | undefined>(
    {
      subject: `the trigger of pipeline ${id}`,
      hint: {
        text: 'It was not sent a second time. Before you trigger it again, check its runs:',
        command: `cdpadm pipelines runs ${id}`,
      },
      maxSends: 1,
      notes: {
        lost: 'The response does not confirm the trigger. Searching for its run instead of sending it again.',
        arrived: ({ pipeline_run_id }) => `The platform received the trigger: run ${pipeline_run_id}.`,
      },
      send: async () => {
        // A retry may start a second run, so a read must first show that there is no new run.
        const mayRepeat = async (): Promise<boolean> => newManualRuns(await edgeRuns(id, ports), before).length === 0;
        const { pipeline_run_id, status } = await api.trigger(id, { signal, mayRepeat });
        return result(pipeline_run_id, status);
      },
      isOurs: ({ pipeline_run_id: run }) =>
        /^\d+$/.test(String(run)) && !before.some((known) => runId(known) === String(run)),
      read: () => findTriggered(id, before, options.pollMs, ports),
      isAbout: (run) => (run?.pipeline_id ?? id) === id,
      judge: (run, { rejection }) => {
        if (run) return { done: result(run.id, run.status) };
        return rejection ? 'not-done' : { unknown: 'no new run appears' };
      },
    },
    ports,
  );
  if (triggered.state === 'done') return triggered.result;
  const { error, state } = triggered;
  throw state === 'not-done' && error.status === 400 ? await explainRejection(id, error, ports) : error;
}

/** Throws a conflict (6) that names the current run if the pipeline is running. */
export async function requireIdle(id: string, { api, signal }: TriggerPorts): Promise<void> {
  const report = await api.report(id, signal);
  if (report.status === 'running') throw notIdle(id, report);
}

async function becomeIdle(id: string, options: TriggerOptions, ports: TriggerPorts, onWait: (hint: Hint) => void) {
  const read = () => ports.api.report(id, ports.signal);
  const onUnknown = async (error: KnownError): Promise<void> => {
    onWait({ text: 'Nothing was triggered. To check the id:', command: 'cdpadm pipelines list' });
    // The list shows whether the id is mistyped or new (decision: D102).
    if (!(await ports.api.list(ports.signal)).some((pipeline) => pipeline.id === id)) throw error;
    ports.out.note(
      `The platform does not show pipeline ${id} yet. A new pipeline may take a minute to appear. Waiting.`,
    );
  };
  let report = options.patient ? await retryWhileNotFound(read, options.pollMs, ports, onUnknown) : await read();
  while (report.status === 'running' && options.waitIdle) {
    onWait({ text: 'Nothing was triggered. The current run continues:', command: `cdpadm pipelines watch ${id}` });
    const run = report.latest_pipeline_run;
    options.onState(run && !isEnded(run) ? `run ${runId(run)} is ${run.status ?? 'running'}` : 'it is running');
    await ports.clock.sleep(options.pollMs, ports.signal);
    report = await read();
  }
  if (report.status === 'running') throw notIdle(id, report);
}

/** Explains a 400 if another client triggered a run first, or if the pipeline is paused. */
async function explainRejection(id: string, error: KnownError, { api, signal }: TriggerPorts): Promise<KnownError> {
  try {
    const report = await api.report(id, signal);
    if (report.status === 'running') return notIdle(id, report, error);
    if ((await api.get(id, signal)).state !== 'paused') return error;
  } catch (failure) {
    // The rejection is certain, even if its reason cannot be read.
    if (failure instanceof KnownError && !signal.aborted) return error;
    throw failure;
  }
  return fail('pipelines.paused', {
    message: `Pipeline ${id} is paused. Nothing was triggered.`,
    hint: { text: 'To resume it:', command: `cdpadm pipelines resume ${id}` },
    ...causedBy(error),
  });
}

/** Sends a reset once. A 204 means that it was accepted. After a lost response, reports the sync position. */
export async function resetPipeline(id: string, ports: TriggerPorts): Promise<void> {
  const { api, signal } = ports;
  const position = async (): Promise<string | null> => (await api.report(id, signal)).current_iterator_position ?? null;
  const before = await position();
  await confirmed<unknown, PipelineReportReply>(
    {
      subject: `the reset of pipeline ${id}`,
      hint: {
        text: 'It was not sent a second time. Check the pipeline before you reset it again:',
        command: `cdpadm pipelines report ${id}`,
      },
      maxSends: 1,
      send: () => api.reset(id, { signal, mayRepeat: async () => (await position()) === before }),
      isOurs: () => true,
      read: () => api.report(id, signal),
      isAbout: (report) => (report.pipeline_id ?? id) === id,
      judge: ({ current_iterator_position: now = null }, { rejection }) => {
        if (rejection && now === before) return 'not-done';
        return {
          unknown: `its sync position is now ${now ?? 'none, as after a reset'}`,
          hint: now
            ? 'It was not sent a second time. If the position is outdated, run the command again.'
            : 'It was not sent a second time. If there was a position before, the reset has taken effect.',
        };
      },
    },
    ports,
  );
}

/** Searches for the run of a trigger that may have reached the platform. */
async function findTriggered(id: string, before: readonly RunReply[], pollMs: number, ports: TriggerPorts) {
  for (let read = 1; ; read++) {
    const [run] = newManualRuns(await edgeRuns(id, ports), before);
    if (run !== undefined || read >= RUN_READS) return run;
    await ports.clock.sleep(pollMs, ports.signal);
  }
}

/** Returns the first and last pages of runs, which include the newest runs in either sort order. */
async function edgeRuns(id: string, { api, signal }: RunPorts): Promise<RunReply[]> {
  const pageSize = 100;
  const first = await api.runs(id, { currentPage: 1, pageSize }, signal);
  const last = first.total_pages ?? 1;
  if (last <= 1) return first.items;
  return [...first.items, ...(await api.runs(id, { currentPage: last, pageSize }, signal)).items];
}

function notIdle(id: string, report: PipelineReportReply, cause?: KnownError): KnownError {
  const run = report.latest_pipeline_run;
  const running =
    run && !isEnded(run)
      ? `: run ${runId(run)} (${run.type ?? 'unknown'}) is ${run.status ?? 'running'}${run.started_on ? ` since ${run.started_on}` : ''}`
      : '';
  return fail('pipelines.not_idle', {
    message: `Pipeline ${id} is not idle${running}.`,
    hint: {
      text: 'To trigger it once it is idle, pass --wait-idle. To watch the current run:',
      command: `cdpadm pipelines watch ${id}`,
    },
    ...(run && { details: { pipeline_run_id: runId(run), run_status: run.status } }),
    ...causedBy(cause),
  });
}
