// D. Pipelines: their definitions, triggers, resets, reports and runs (specification, D; decisions: D62 to D69).
import { WAREHOUSE_FAILURES } from '../../contract/failures.ts';
import { TriggerRequest } from '../../contract/pipeline-runs.ts';
import { PipelineRequest, pipelinesEndpoints, ResetRequest } from '../../contract/pipelines.ts';
import { acceptBody, acceptJson, readJson } from '../wire/request-body.ts';
import { defineArea, type OpenArea, type Platform } from '../platform/area.ts';
import { createPipelineLife, loadPipelines, nextRunOf, withoutFault } from '../pipelines/life.ts';
import {
  changesSyncMode,
  describePlanFailure,
  judgePipeline,
  readRunQuery,
  reportReply,
  runReply,
} from '../pipelines/run-replies.ts';
import { openPipelineRunner } from '../pipelines/runner.ts';
import { answer, reject } from '../wire/platform-error.ts';
import { type Pipeline, pipelinesMigration, progressMigration, runsMigration } from '../stores/pipelines.ts';
import { createWarehouseStores, withoutReadOnly } from '../warehouse/resources.ts';
import { openResources } from './warehouse-resources.ts';

export const pipelinesArea = defineArea({
  name: 'pipelines',
  endpoints: pipelinesEndpoints,
  migrations: [pipelinesMigration + ';' + runsMigration, progressMigration],
  open: openPipelines,
});

function openPipelines(platform: Platform): OpenArea<typeof pipelinesEndpoints> {
  const { db, clock, fixtures } = platform;
  const stores = createWarehouseStores(db);
  const { connection: connections, data_model: models, pipelines, runs } = stores;
  const life = createPipelineLife(stores);
  const runner = openPipelineRunner(stores, life, platform);

  const { find, findFor, handlers, workspaceOf } = openResources<Pipeline>(platform, {
    what: 'pipeline',
    idParameter: 'pipelineId',
    store: pipelines,
    read: ({ body, query }, workspace, before) => {
      const preventResets = before && readPreventResets(query);
      const value = readJson(body, WAREHOUSE_FAILURES.invalidRequest);
      const definition = withoutReadOnly(acceptBody(PipelineRequest, value, judgePipeline));
      const { connection_id, data_model_id } = definition;
      const missing = WAREHOUSE_FAILURES.notFound;
      if (!connections.get(workspace, connection_id)) throw reject(missing, `connection ${connection_id}`);
      if (!models.get(workspace, data_model_id)) throw reject(missing, `data model ${data_model_id}`);
      const plan = describePlanFailure(definition, workspace, fixtures.data_plans);
      if (plan) throw reject(plan.failure, plan.detail);
      const isSame = before?.definition.id === definition.id;
      if (preventResets && isSame && changesSyncMode(before.definition.sync_mode, definition.sync_mode)) {
        throw reject(WAREHOUSE_FAILURES.wouldReset, 'sync_mode changes; send preventResets=false to allow it');
      }
      return definition;
    },
    make: (workspace, definition, now, before) => {
      if (before) return changed(workspace, before, definition, now);
      const nextRunAt = nextRunOf({ definition, ranOnce: false }, now);
      return { definition, status: 'idle', errors: [], resets: 0, ranOnce: false, nextRunAt };
    },
    remove: (workspace, id) =>
      db.transaction(() => {
        runs.removeOf(workspace, id);
        pipelines.remove(workspace, id);
      }),
    statusOf: ({ status }) => status,
  });

  function changed(workspace: number, before: Pipeline, definition: PipelineRequest, at: number): Pipeline {
    const resets = changesSyncMode(before.definition.sync_mode, definition.sync_mode);
    const after = { ...before, definition, ...(resets && withoutPosition(before)) };
    if (before.status === 'faulted') return withoutFault(after, at);
    if (before.status === 'running' && definition.state === 'paused') return life.stop(workspace, after, at);
    return { ...after, nextRunAt: nextRunOf(after, at) };
  }

  return {
    handlers: {
      ...handlers,
      trigger: (request) => {
        const workspace = workspaceOf(request);
        const { pipeline_id } = acceptJson(TriggerRequest, request.body, WAREHOUSE_FAILURES.invalidRequest);
        const pipeline = find(workspace, pipeline_id);
        if (pipeline.definition.state === 'paused') throw reject(WAREHOUSE_FAILURES.notIdle, 'it is paused');
        if (pipeline.status === 'running') {
          const current = runs.current(workspace, pipeline_id);
          throw reject(WAREHOUSE_FAILURES.notIdle, `run ${String(current?.id)} is ${current?.status ?? 'running'}`);
        }
        const id = db.transaction(() => life.begin(workspace, pipeline, 'manual', clock.now()));
        platform.wake();
        return answer(200, { pipeline_run_id: id, status: 'attempt_requested' });
      },
      reset: (request) => {
        const workspace = workspaceOf(request);
        const { pipeline_id } = acceptJson(ResetRequest, request.body, WAREHOUSE_FAILURES.invalidRequest);
        const pipeline = find(workspace, pipeline_id);
        pipelines.replace(workspace, { ...pipeline, ...withoutPosition(pipeline) });
        return { status: 204 };
      },
      report: (request) => {
        const { workspace, stored } = findFor(request);
        return answer(200, reportReply(workspace, stored, stores));
      },
      runs: (request) => {
        const { workspace, stored } = findFor(request);
        const { id } = stored.definition;
        const { page, size, from, to } = readRunQuery(request.query);
        const { items, total } = runs.page(workspace, id, { from, to, offset: (page - 1) * size, limit: size });
        const pages = Math.ceil(total / size);
        return answer(200, {
          items: items.map(runReply),
          current_page: page,
          page_size: size,
          total_pages: pages,
          total_items: total,
          has_previous_page: page > 1 && total > 0,
          has_next_page: page < pages,
        });
      },
      run: (request) => {
        const { workspace, stored } = findFor(request);
        const { id } = stored.definition;
        const { pipelineRunId } = request.params;
        const run = /^\d{1,19}$/.test(pipelineRunId) ? runs.get(BigInt.asIntN(64, BigInt(pipelineRunId))) : undefined;
        if (run?.workspace !== workspace || run.pipeline !== id) {
          throw reject(WAREHOUSE_FAILURES.notFound, `run ${pipelineRunId} of pipeline ${id}`);
        }
        return answer(200, runReply(run));
      },
    },
    load: (loaded) => loadPipelines(loaded, stores, clock.now(), platform.emailOf('fixtures')),
    nextDue: runner.nextDue,
    catchUp: runner.catchUp,
    close: runner.close,
  };
}

/** Returns the changes that a reset makes: the next run reads from the configured `from`. */
function withoutPosition({ resets }: Pipeline): Pick<Pipeline, 'position' | 'resets'> {
  return { position: undefined, resets: resets + 1 };
}

function readPreventResets(query: URLSearchParams): boolean {
  const text = query.get('preventResets') ?? 'true';
  if (text !== 'true' && text !== 'false') {
    throw reject(WAREHOUSE_FAILURES.invalidRequest, 'preventResets must be true or false');
  }
  return text === 'true';
}
