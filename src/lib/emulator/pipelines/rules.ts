// Rules for pipelines that need the stored state, and the error for an invalid body (decision: D66).
import type { FieldIssue } from '../../contract/explain.ts';
import { type Failure, WAREHOUSE_FAILURES } from '../../contract/failures.ts';
import type { PipelineRequest, SyncMode } from '../../contract/pipelines.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { refuse, sentences } from '../wire/request-body.ts';
import type { WarehouseFixtures } from '../fixtures/warehouse.ts';
import type { PlatformError } from '../wire/platform-error.ts';

/** The error for a body. Two mistakes have their own sentence when they are the only issue. */
export function judgePipeline(issues: FieldIssue[]): PlatformError {
  const alone = issues.length === 1 ? issues[0]?.failure : undefined;
  return refuse(alone ?? WAREHOUSE_FAILURES.invalidRequest, ...sentences(issues));
}

/** The problem of a pipeline's data plan; undefined without a plan and for an active one. */
export function describePlanFailure(
  { data_plan_id: id, data_plan_version: version }: Pick<PipelineRequest, 'data_plan_id' | 'data_plan_version'>,
  workspace: number,
  plans: WarehouseFixtures['data_plans'],
): { failure: Failure; detail: string } | undefined {
  if (id === undefined) return undefined;
  const versions = plans.filter((plan) => plan.workspace_id === workspace && plan.id === id);
  const plan = versions.find((candidate) => String(candidate.version) === String(version));
  if (!plan) {
    const detail =
      versions.length === 0 ? `data plan \`${id}\`` : `data plan \`${id}\` has no version ${String(version)}`;
    return { failure: WAREHOUSE_FAILURES.planNotFound, detail };
  }
  if (plan.active) return undefined;
  return { failure: WAREHOUSE_FAILURES.planNotActive, detail: `data plan \`${id}\`, version ${String(version)}` };
}

/** True if a change requires a new sync from the start. */
export function changesSyncMode(before: SyncMode, after: SyncMode): boolean {
  return canonicalJson(before) !== canonicalJson(after);
}
