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

export type PipelinesApi = ReturnType<typeof createPipelinesApi>;

export function createPipelinesApi(client: Client, { workspaceId }: WorkspaceScope) {
  const params = { workspaceId };
  const of = (pipelineId: string) => ({ workspaceId, pipelineId });
  const { list, get, create, update, delete: remove, trigger, reset, report, runs, run } = pipelinesEndpoints;
  const triggerBody = (pipeline_id: string) => ({ pipeline_id });
  const resetBody = (pipeline_id: string) => ({ pipeline_id, reset_type: 'full' as const });
  return {
    list: (signal?: AbortSignal): Promise<PipelineReply[]> => client.call(list, { params, ...(signal && { signal }) }),
    get: (id: string, signal?: AbortSignal): Promise<PipelineReply> =>
      client.call(get, { params: of(id), ...(signal && { signal }) }),
    /** POST. Throws OutcomeUnknownError when the answer is lost, as the other writes do. */
    create: (body: PipelineRequest, signal?: AbortSignal): Promise<PipelineReply> =>
      client.call(create, { params, body, ...(signal && { signal }) }),
    /** PUT; `preventResets: false` lets it change the sync mode, which resets the sync position. */
    update: (
      id: string,
      body: PipelineRequest,
      { preventResets, signal }: { preventResets?: boolean; signal?: AbortSignal } = {},
    ): Promise<PipelineReply> =>
      client.call(update, { params: of(id), body, query: { preventResets }, ...(signal && { signal }) }),
    delete: async (id: string, signal?: AbortSignal): Promise<void> => {
      await client.call(remove, { params: of(id), ...(signal && { signal }) });
    },
    /** Starts a run. Never repeated after a lost response: throws OutcomeUnknownError. */
    trigger: (id: string, options?: OnceOptions): Promise<TriggerReply> =>
      client.call(trigger, { params, body: triggerBody(id), ...options }),
    /** Resets the sync position. Never repeated after a lost response: throws OutcomeUnknownError. */
    reset: async (id: string, options?: OnceOptions): Promise<void> => {
      await client.call(reset, { params, body: resetBody(id), ...options });
    },
    report: (id: string, signal?: AbortSignal): Promise<PipelineReportReply> =>
      client.call(report, { params: of(id), ...(signal && { signal }) }),
    /** The same with the `date` header: the platform's own time, in milliseconds since the epoch. */
    reportDated: async (id: string, signal?: AbortSignal): Promise<Dated<PipelineReportReply>> =>
      dated(await client.exchange(report, { params: of(id), ...(signal && { signal }) })),
    /** One page of runs. */
    runs: (id: string, query: RunsQuery = {}, signal?: AbortSignal): Promise<RunPageReply> =>
      client.call(runs, { params: of(id), query: { ...query }, ...(signal && { signal }) }),
    run: (id: string, pipelineRunId: string | bigint | number, signal?: AbortSignal): Promise<RunReply> =>
      client.call(run, { params: { ...of(id), pipelineRunId }, ...(signal && { signal }) }),
    /** What the write of that name would send. */
    describeCreate: (body: PipelineRequest): DescribedRequest => client.describe(create, { params, body }),
    describeUpdate: (
      id: string,
      body: PipelineRequest,
      { preventResets }: { preventResets?: boolean } = {},
    ): DescribedRequest => client.describe(update, { params: of(id), body, query: { preventResets } }),
    describeDelete: (id: string): DescribedRequest => client.describe(remove, { params: of(id) }),
    describeTrigger: (id: string): DescribedRequest => client.describe(trigger, { params, body: triggerBody(id) }),
    describeReset: (id: string): DescribedRequest => client.describe(reset, { params, body: resetBody(id) }),
  };
}
