// Asking for a run and for a reset: each is sent once, whatever becomes of its answer.
import type { RunReply } from '../contract/pipeline-runs.ts';
import type { PipelineReportReply } from '../contract/pipelines.ts';
import { isEnded, newManualRuns, runId } from '../domain/warehouse/runs.ts';
import { CliError, EXIT } from '../kernel/errors.ts';
import { nearlySpelt } from '../kernel/nearest.ts';
import { settle } from './lost-answer.ts';
import { bearingUnknown, type RunPorts } from './pipelines-watch.ts';
import type { Tell } from './ports.ts';

export interface TriggerOptions {
  waitIdle: boolean;
  /** Whether somebody is going to wait: then a pipeline that is not yet known is waited for, too. */
  patient: boolean;
  pollMs: number;
  onState(text: string): void;
}

export interface Triggered {
  pipeline_id: string;
  /** As text, since it may have 64 bits; null when a lost answer could not be matched with a run. */
  pipeline_run_id: RunReply['id'] | null;
  status: string;
}

export type TriggerPorts = RunPorts & { tell: Tell };

/** How often the runs are looked at for one whose answer was lost. */
const LOOKS = 4;

/**
 * Triggers a run. Throws conflict (6), with what is running, when the pipeline is not idle. An answer that was lost is
 * looked for among the runs; it is never sent again. Throws network (8) when nothing can be found.
 */
export async function triggerPipeline(id: string, options: TriggerOptions, ports: TriggerPorts): Promise<Triggered> {
  const { api, signal } = ports;
  let known: ReadonlySet<string>;
  let seen: Seen = 'nothing';
  try {
    await becomeIdle(id, options, ports, (what) => (seen = what));
    known = new Set((await edgeRuns(id, ports)).map(runId));
  } catch (error) {
    throw signal.aborted ? notTriggered(id, error, seen) : error;
  }
  const unknown = (reason: string) => ({
    message: `It is not known whether pipeline ${id} was triggered: the answer was lost, and ${reason}.`,
    hint: `It was not sent a second time. Look with \`cdpadm pipelines runs ${id}\` before you trigger again.`,
  });
  return await settle<Triggered, RunReply | undefined>(
    {
      mostSends: 1,
      send: async () => {
        try {
          const { pipeline_run_id, status } = await api.trigger(id, signal);
          return { pipeline_id: id, pipeline_run_id, status: status ?? 'attempt_requested' };
        } catch (error) {
          throw error instanceof CliError && error.status === 400 ? await refusal(id, error, ports) : error;
        }
      },
      place: 'the runs',
      read: () => findTriggered(id, known, options.pollMs, ports),
      judge: (run, lost) =>
        run
          ? { done: { pipeline_id: id, pipeline_run_id: run.id, status: run.status ?? 'attempt_requested' } }
          : lost.with(unknown('no new run is to be seen')),
      told: {
        lost: 'The answer to the trigger was lost. It is not sent again; looking for its run.',
        arrived: ({ pipeline_run_id }) => `The trigger had arrived: run ${pipeline_run_id}.`,
      },
      unknown,
    },
    ports,
  );
}

/** Throws conflict (6), with what is running, unless the pipeline is idle. */
export async function requireIdle(id: string, { api, signal }: TriggerPorts): Promise<void> {
  const report = await api.report(id, signal);
  if (report.status === 'running') throw notIdle(id, report);
}

/** What was last known of a pipeline while it was waited for: by it one is told how to go on. */
type Seen = 'nothing' | 'unknown' | 'running';

async function becomeIdle(
  id: string,
  options: TriggerOptions,
  ports: TriggerPorts,
  onSeen: (what: Seen) => void,
): Promise<void> {
  const read = () => ports.api.report(id, ports.signal);
  const onUnknown = async (error: CliError): Promise<void> => {
    onSeen('unknown');
    const known = (await ports.api.list(ports.signal)).map((pipeline) => pipeline.id);
    // Mistyped rather than new (decision: D102); one that others begin with may well be new.
    if (!known.includes(id) && nearlySpelt(id, known) !== undefined) throw error;
    ports.tell.note(`The platform knows no pipeline ${id}. A new one may take a minute to appear: looking on.`);
  };
  let report = options.patient ? await bearingUnknown(read, options.pollMs, ports, onUnknown) : await read();
  while (report.status === 'running' && options.waitIdle) {
    onSeen('running');
    const run = report.latest_pipeline_run;
    options.onState(run && !isEnded(run) ? `run ${runId(run)} is ${run.status ?? 'under way'}` : 'it is running');
    await ports.clock.sleep(options.pollMs, ports.signal);
    report = await read();
  }
  if (report.status === 'running') throw notIdle(id, report);
}

/** The platform's 400, by what it means: somebody else may have been quicker, or the pipeline is paused. */
async function refusal(id: string, error: CliError, { api, signal }: TriggerPorts): Promise<CliError> {
  const report = await api.report(id, signal);
  if (report.status === 'running') return notIdle(id, report, error);
  const { state } = await api.get(id, signal);
  return state === 'paused' ? paused(id, error) : error;
}

/** Sends a reset once. After a lost answer the position is told instead of trying again. */
export async function resetPipeline(id: string, ports: TriggerPorts): Promise<void> {
  const { api, signal } = ports;
  await settle<unknown, PipelineReportReply>(
    {
      mostSends: 1,
      send: () => api.reset(id, signal),
      read: () => api.report(id, signal),
      judge: ({ current_iterator_position: position }, lost) =>
        lost.with({
          message: `It is not known whether pipeline ${id} was reset: the answer was lost. Its sync position is now ${position ?? 'none, as after a reset'}.`,
          hint: position
            ? 'It was not sent a second time. If the position is an old one, run the command again.'
            : 'It was not sent a second time. Nothing more needs to be done if there was a position before.',
        }),
      told: {},
      unknown: (reason) => ({
        message: `It is not known whether pipeline ${id} was reset: the answer was lost, and ${reason}.`,
        hint: `It was not sent a second time. Look with \`cdpadm pipelines report ${id}\` before you reset again.`,
      }),
    },
    ports,
  );
}

/** Looks for the run of a trigger that may have arrived. */
async function findTriggered(
  id: string,
  known: ReadonlySet<string>,
  pollMs: number,
  ports: TriggerPorts,
): Promise<RunReply | undefined> {
  for (let look = 1; ; look++) {
    const [run] = newManualRuns(await edgeRuns(id, ports), known);
    if (run !== undefined || look >= LOOKS) return run;
    await ports.clock.sleep(pollMs, ports.signal);
  }
}

/** The first and the last page of runs: in whichever order they come, the newest are among them. */
async function edgeRuns(id: string, { api, signal }: RunPorts): Promise<RunReply[]> {
  const pageSize = 100;
  const first = await api.runs(id, { currentPage: 1, pageSize }, signal);
  const last = first.total_pages ?? 1;
  if (last <= 1) return first.items;
  return [...first.items, ...(await api.runs(id, { currentPage: last, pageSize }, signal)).items];
}

function notIdle(id: string, report: PipelineReportReply, cause?: CliError): CliError {
  const run = report.latest_pipeline_run;
  const running =
    run && !isEnded(run)
      ? `: run ${runId(run)} (${run.type ?? 'unknown'}) is ${run.status ?? 'under way'}${run.started_on ? ` since ${run.started_on}` : ''}`
      : '';
  return new CliError({
    code: 'pipelines.not_idle',
    message: `Pipeline ${id} is not idle${running}.`,
    hint: `Add --wait-idle to trigger it afterwards, or watch what is running: cdpadm pipelines watch ${id}`,
    exit: EXIT.conflict,
    ...(run && { details: { pipeline_run_id: runId(run), run_status: run.status } }),
    ...(cause?.status !== undefined && { status: cause.status }),
    ...(cause?.request && { request: cause.request }),
    ...(cause && { cause }),
  });
}

function paused(id: string, cause: CliError): CliError {
  return new CliError({
    code: 'pipelines.paused',
    message: `Pipeline ${id} is paused, and runs of a paused pipeline are refused. Nothing was triggered.`,
    hint: `Let it sync again: cdpadm pipelines resume ${id}`,
    exit: EXIT.conflict,
    ...(cause.status !== undefined && { status: cause.status }),
    ...(cause.request && { request: cause.request }),
    cause,
  });
}

/** The waiting was ended before anything was sent. */
function notTriggered(id: string, error: unknown, seen: Seen): unknown {
  if (!(error instanceof CliError)) return error;
  const next: Record<Seen, string> = {
    nothing: '',
    unknown: ' Compare the id with those of `cdpadm pipelines list`.',
    running: ` What is running goes on: cdpadm pipelines watch ${id}`,
  };
  return error.with({ hint: `Nothing was triggered.${next[seen]}` });
}
