// Loads pipelines and their earlier runs from the fixtures.
import { parseIso } from '../../kernel/timestamps.ts';
import { created } from '../base/audit.ts';
import type { Fixtures } from '../fixtures/document.ts';
import { nextRunOf } from './life.ts';
import { NO_PROGRESS, type Pipeline, type NewRun } from '../stores/pipelines.ts';
import { type WarehouseStores, withoutReadOnly } from '../warehouse/resources.ts';
import { largest } from '../../kernel/words.ts';

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
