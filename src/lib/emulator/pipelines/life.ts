// State transitions of pipelines and runs (specification, "States and transitions"; decision: D66).
import { parseIso } from '../../kernel/timestamps.ts';
import { largest } from '../../kernel/words.ts';
import type { Fixtures } from '../fixtures/document.ts';
import { dataRange, logicalDate, nextRun } from './schedule.ts';
import { type NewRun, NO_PROGRESS, type Pipeline, type Run, type RunFault } from '../stores/pipelines.ts';
import { created, type DocumentStore, type Kept } from '../stores/documents.ts';
import { type WarehouseStores, withoutReadOnly } from '../warehouse/resources.ts';

/** Minimum duration of a run on the platform's clock. */
const SHORTEST_RUN_MS = 1000;

export type PipelineLife = ReturnType<typeof createPipelineLife>;

/** Returns the time of a pipeline's next scheduled run at or after `at`; undefined if there is none. */
export function nextRunOf(
  { definition, ranOnce, lastLogicalAt }: Pick<Pipeline, 'definition' | 'ranOnce' | 'lastLogicalAt'>,
  at: number,
): number | undefined {
  return nextRun(definition, Math.max(at, (lastLogicalAt ?? -Infinity) + 1), ranOnce);
}

/** Returns the pipeline without its fault, scheduled for the next interval. */
export function withoutFault(pipeline: Pipeline, at: number): Pipeline {
  const healthy: Pipeline = { ...pipeline, status: 'idle', errors: [], cause: undefined };
  return { ...healthy, nextRunAt: nextRunOf(healthy, at) };
}

export function createPipelineLife(stores: WarehouseStores) {
  const { pipelines, runs } = stores;

  /** Marks a resource as broken if it caused a run to fail. */
  function mark(workspace: number, { definition }: Pipeline, { cause, message, marks, notes = [] }: RunFault): void {
    if (!marks || cause === 'pipeline') return;
    const store = stores[cause] as unknown as DocumentStore<Kept<{ id: string }>>;
    const kept = store.get(workspace, definition[`${cause}_id`]);
    if (kept) store.replace(workspace, { ...kept, broken: true, errors: [message, ...notes] });
  }

  function afterSuccess(run: Run, before: Pipeline, at: number): Pipeline {
    const { rangeEnd, resets } = run.progress;
    const moves = before.definition.sync_mode.type === 'incremental' && resets === before.resets;
    const pipeline: Pipeline = {
      ...before,
      status: 'idle',
      errors: [],
      cause: undefined,
      ranOnce: before.ranOnce || run.type === 'scheduled',
      position: moves ? Math.max(before.position ?? -Infinity, rangeEnd) : before.position,
    };
    return { ...pipeline, nextRunAt: before.nextRunAt ?? nextRunOf(pipeline, at) };
  }

  return {
    /** Queues a run that is due at `at` (epoch ms) and returns its id. */
    begin: (workspace: number, pipeline: Pipeline, type: Run['type'], at: number): number | bigint => {
      const { definition } = pipeline;
      const logical = type === 'scheduled' ? (pipeline.nextRunAt ?? at) : logicalDate(definition.schedule, at);
      const id = runs.add({
        workspace,
        pipeline: definition.id,
        type,
        status: 'queued',
        logical_at: logical,
        due_at: at,
        started_at: null,
        ended_at: null,
        progress: {
          ...NO_PROGRESS,
          ...dataRange(definition, type === 'scheduled' ? logical : at, pipeline.position),
          resets: pipeline.resets,
        },
      });
      const running: Pipeline = { ...pipeline, status: 'running' };
      if (type === 'scheduled') {
        running.lastLogicalAt = logical;
        running.nextRunAt = nextRunOf({ ...running, ranOnce: true }, logical);
      }
      pipelines.replace(workspace, running);
      return id;
    },
    /** Marks a run's work as done at `at`. The run does not end until its minimum duration is over. */
    finish: (run: Run, at: number): void => {
      const earliest = (run.started_at ?? at) + SHORTEST_RUN_MS;
      runs.save({ ...run, due_at: Math.max(earliest, at), progress: { ...run.progress, done: true } });
    },
    end: (run: Run): void => {
      const at = run.due_at ?? 0;
      const { failure } = run.progress;
      runs.save({ ...run, status: failure ? 'failed' : 'success', due_at: null, ended_at: at });
      const before = pipelines.get(run.workspace, run.pipeline);
      if (!before) return;
      if (!failure) {
        pipelines.replace(run.workspace, afterSuccess(run, before, at));
        return;
      }
      const { cause, message } = failure;
      mark(run.workspace, before, failure);
      const faulted: Pipeline = { ...before, status: 'faulted', errors: [message], cause, nextRunAt: undefined };
      pipelines.replace(run.workspace, faulted);
    },
    /** Stops the current run of a pipeline that was paused at `at`. Returns the stopped pipeline. */
    stop: (workspace: number, pipeline: Pipeline, at: number): Pipeline => {
      const run = runs.current(workspace, pipeline.definition.id);
      if (run) runs.save({ ...run, status: 'stopped', due_at: null, ended_at: at });
      return { ...pipeline, status: 'stopped', nextRunAt: undefined };
    },
    /** Removes the fault from pipelines whose faulty resource was fixed at `at`. */
    release: (workspace: number, cause: 'connection' | 'data_model', id: string, at: number): void => {
      for (const pipeline of pipelines.list(workspace)) {
        const waits =
          pipeline.status === 'faulted' && pipeline.cause === cause && pipeline.definition[`${cause}_id`] === id;
        if (waits) pipelines.replace(workspace, withoutFault(pipeline, at));
      }
    },
  };
}

export function loadPipelines(
  fixtures: Fixtures,
  { pipelines, runs }: WarehouseStores,
  now: number,
  author: string,
): void {
  pipelines.clear();
  runs.clear();
  for (const { workspace_id, definition, status, errors } of fixtures.pipelines) {
    const own = fixtures.runs.filter((run) => run.workspace_id === workspace_id && run.pipeline_id === definition.id);
    const pipeline: Pipeline = {
      definition: withoutReadOnly(definition),
      audit: created(now, author),
      status: status === 'faulted' || status === 'stopped' ? status : 'idle',
      errors,
      resets: 0,
      ...(status === 'faulted' && { cause: 'pipeline' as const }),
      ...progressOf(own, definition.sync_mode.type === 'incremental'),
    };
    const isIdle = pipeline.status === 'idle';
    pipelines.add(workspace_id, { ...pipeline, ...(isIdle && { nextRunAt: nextRunOf(pipeline, now) }) });
    for (const run of own) runs.add(runOf(run));
  }
}

function progressOf(
  runs: readonly Fixtures['runs'][0][],
  incremental: boolean,
): Pick<Pipeline, 'position' | 'ranOnce'> {
  const successes = runs.filter(({ status }) => status === 'success');
  const ends = successes.map(({ range_end, logical_date }) => parseIso(range_end ?? logical_date) ?? 0);
  return {
    ranOnce: successes.some(({ type }) => type !== 'manual'),
    ...(incremental && ends.length > 0 && { position: largest(ends) }),
  };
}

function runOf(fixture: Fixtures['runs'][0]): NewRun {
  const { id, workspace_id, pipeline_id, type, status, successful_records, failed_records } = fixture;
  const logical = parseIso(fixture.logical_date) ?? 0;
  const time = (text: string | undefined, absent: number): number => parseIso(text) ?? absent;
  const message = fixture.errors.map((error) => error.message).join('; ');
  return {
    id,
    workspace: workspace_id,
    pipeline: pipeline_id,
    type,
    status,
    logical_at: logical,
    due_at: null,
    started_at: time(fixture.started_on, logical),
    ended_at: time(fixture.ended_on, logical),
    progress: {
      ...NO_PROGRESS,
      rangeStart: parseIso(fixture.range_start),
      rangeEnd: time(fixture.range_end, logical),
      bounded: true,
      succeeded: successful_records,
      failed: failed_records,
      done: true,
      ...(message !== '' && { failure: { cause: 'pipeline' as const, message, marks: false } }),
    },
  };
}
