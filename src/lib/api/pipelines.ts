// D. Pipelines: one method per endpoint.
import type { RunPageReply, RunReply, TriggerReply } from '../contract/pipeline-runs.ts';
import {
  type PipelineReply,
  type PipelineReportReply,
  type PipelineRequest,
  pipelinesEndpoints,
} from '../contract/pipelines.ts';
import type { Client, DescribedRequest } from '../http/types.ts';
import type { WorkspaceScope } from './connections.ts';
import { type Dated, dated } from './dated.ts';

export interface RunsQuery {
  /** From 1 on. */
  currentPage?: number;
  /** 1 to 100. */
  pageSize?: number;
  /** Bounds of `logical_date`, ISO 8601. */
  startDate?: string;
  endDate?: string;
}

export interface OnceOptions {
  signal?: AbortSignal;
  /** Called before a repeat after a 429 or a 401; see `CallInput`. */
  mayRepeat?: () => Promise<boolean>;
}

export interface PipelinesApi {
  list(signal?: AbortSignal): Promise<PipelineReply[]>;
  get(pipelineId: string, signal?: AbortSignal): Promise<PipelineReply>;
  /** POST. Throws OutcomeUnknownError when the answer is lost, as the other writes do. */
  create(pipeline: PipelineRequest, signal?: AbortSignal): Promise<PipelineReply>;
  /** PUT; `preventResets: false` lets it change the sync mode, which resets the sync position. */
  update(
    pipelineId: string,
    pipeline: PipelineRequest,
    options?: { preventResets?: boolean; signal?: AbortSignal },
  ): Promise<PipelineReply>;
  delete(pipelineId: string, signal?: AbortSignal): Promise<void>;
  /** Starts a run. Never repeated after a lost response: throws OutcomeUnknownError. */
  trigger(pipelineId: string, options?: OnceOptions): Promise<TriggerReply>;
  /** Resets the sync position. Never repeated after a lost response: throws OutcomeUnknownError. */
  reset(pipelineId: string, options?: OnceOptions): Promise<void>;
  report(pipelineId: string, signal?: AbortSignal): Promise<PipelineReportReply>;
  /** The same with the `date` header: the platform's own time, in milliseconds since the epoch. */
  reportDated(pipelineId: string, signal?: AbortSignal): Promise<Dated<PipelineReportReply>>;
  /** One page of runs. */
  runs(pipelineId: string, query?: RunsQuery, signal?: AbortSignal): Promise<RunPageReply>;
  run(pipelineId: string, runId: string | bigint | number, signal?: AbortSignal): Promise<RunReply>;
  /** What the write of that name would send. */
  describeCreate(pipeline: PipelineRequest): DescribedRequest;
  describeUpdate(
    pipelineId: string,
    pipeline: PipelineRequest,
    options?: { preventResets?: boolean },
  ): DescribedRequest;
  describeDelete(pipelineId: string): DescribedRequest;
  describeTrigger(pipelineId: string): DescribedRequest;
  describeReset(pipelineId: string): DescribedRequest;
}

export function createPipelinesApi(client: Client, { workspaceId }: WorkspaceScope): PipelinesApi {
  const params = { workspaceId };
  const of = (pipelineId: string) => ({ workspaceId, pipelineId });
  const { list, get, create, update, delete: remove, trigger, reset, report, runs, run } = pipelinesEndpoints;
  const triggerBody = (pipeline_id: string) => ({ pipeline_id });
  const resetBody = (pipeline_id: string) => ({ pipeline_id, reset_type: 'full' as const });
  return {
    list: (signal) => client.call(list, { params, ...(signal && { signal }) }),
    get: (id, signal) => client.call(get, { params: of(id), ...(signal && { signal }) }),
    create: (body, signal) => client.call(create, { params, body, ...(signal && { signal }) }),
    update: (id, body, { preventResets, signal } = {}) =>
      client.call(update, { params: of(id), body, query: { preventResets }, ...(signal && { signal }) }),
    delete: async (id, signal) => {
      await client.call(remove, { params: of(id), ...(signal && { signal }) });
    },
    trigger: (id, options) => client.call(trigger, { params, body: triggerBody(id), ...options }),
    reset: async (id, options) => {
      await client.call(reset, { params, body: resetBody(id), ...options });
    },
    report: (id, signal) => client.call(report, { params: of(id), ...(signal && { signal }) }),
    reportDated: async (id, signal) =>
      dated(await client.exchange(report, { params: of(id), ...(signal && { signal }) })),
    runs: (id, query = {}, signal) =>
      client.call(runs, { params: of(id), query: { ...query }, ...(signal && { signal }) }),
    run: (id, pipelineRunId, signal) =>
      client.call(run, { params: { ...of(id), pipelineRunId }, ...(signal && { signal }) }),
    describeCreate: (body) => client.describe(create, { params, body }),
    describeUpdate: (id, body, { preventResets } = {}) =>
      client.describe(update, { params: of(id), body, query: { preventResets } }),
    describeDelete: (id) => client.describe(remove, { params: of(id) }),
    describeTrigger: (id) => client.describe(trigger, { params, body: triggerBody(id) }),
    describeReset: (id) => client.describe(reset, { params, body: resetBody(id) }),
  };
}
