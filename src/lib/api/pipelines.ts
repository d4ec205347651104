// Pipelines (specification, D): calls to each endpoint.
import { pipelinesEndpoints } from '../contract/pipelines.ts';
import type { AnyInput, Client } from '../http/types.ts';
import { dated } from './dsr.ts';
import { resourceCalls } from './resource.ts';

interface RunsQuery {
  currentPage?: number;
  pageSize?: number;
  /** Bounds of `logical_date`, ISO 8601. */
  startDate?: string;
  endDate?: string;
}

type OnceOptions = Pick<AnyInput, 'signal' | 'mayRepeat'>;

export type PipelinesApi = ReturnType<typeof createPipelinesApi>;

export function createPipelinesApi(client: Client, workspaceId: bigint) {
  const { trigger, reset, report, runs, run } = pipelinesEndpoints;
  const params = { workspaceId };
  const of = (pipelineId: string) => ({ workspaceId, pipelineId });
  const triggerOf = (pipeline_id: string) => ({ params, body: { pipeline_id } });
  const resetOf = (pipeline_id: string) => ({ params, body: { pipeline_id, reset_type: 'full' as const } });
  return {
    ...resourceCalls(client, pipelinesEndpoints, params, 'pipelineId'),
    /** Starts a run. Never retries the call after a lost response: throws OutcomeUnknownError instead. */
    trigger: (id: string, options?: OnceOptions) => client.call(trigger, { ...triggerOf(id), ...options }),
    describeTrigger: (id: string) => client.describe(trigger, triggerOf(id)),
    /** Resets the sync position. Never retries after a lost response: throws OutcomeUnknownError instead. */
    reset: async (id: string, options?: OnceOptions): Promise<void> => {
      await client.call(reset, { ...resetOf(id), ...options });
    },
    describeReset: (id: string) => client.describe(reset, resetOf(id)),
    report: (id: string, signal?: AbortSignal) => client.call(report, { params: of(id), signal }),
    reportDated: async (id: string, signal?: AbortSignal) =>
      dated(await client.exchange(report, { params: of(id), signal })),
    runs: (id: string, query: RunsQuery = {}, signal?: AbortSignal) =>
      client.call(runs, { params: of(id), query: { ...query }, signal }),
    run: (id: string, pipelineRunId: string | bigint | number, signal?: AbortSignal) =>
      client.call(run, { params: { ...of(id), pipelineRunId }, signal }),
  };
}
