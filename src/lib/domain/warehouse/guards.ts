// The guards of a plan: each dangerous kind of step needs its own flag, in dry runs too.
import type { WarehousePlan } from './plan.ts';

export interface WarehouseGuardFlags {
  allowDelete: boolean;
  allowReset: boolean;
  allowEmpty: boolean;
  force: boolean;
}

export interface WarehouseRefusal {
  guard: 'delete' | 'reset' | 'empty' | 'threshold';
  flag: string;
  message: string;
  /** What a person may type instead of the flag. */
  typed?: string;
}

/** With this many live resources, a plan that changes a larger share needs a flag. */
const THRESHOLD_RESOURCES = 10;
const THRESHOLD_PERCENT = 30;

/** All guards that stop the plan. `live` is the number of resources in the workspace. */
export function guardWarehouse(
  { steps, summary }: WarehousePlan,
  live: number,
  flags: WarehouseGuardFlags,
): WarehouseRefusal[] {
  const refusals: WarehouseRefusal[] = [];
  const name = (step: { type: string; id: string }): string => `${step.type.replace('_', ' ')} ${step.id}`;
  const deleted = steps.filter(({ action }) => action === 'delete');
  if (deleted.length > 0 && !flags.allowDelete) {
    refusals.push({
      guard: 'delete',
      flag: '--allow-delete',
      message: `${deleted.length} to be deleted: ${deleted.map(name).join(', ')}`,
      typed: String(deleted.length),
    });
  }
  if (live > 0 && summary.delete === live && summary.create === 0 && !flags.allowEmpty) {
    refusals.push({ guard: 'empty', flag: '--allow-empty', message: 'every resource would be deleted' });
  }
  const resets = steps.filter((step) => step.resets);
  if (resets.length > 0 && !flags.allowReset) {
    const ids = resets.map(({ id }) => id).join(', ');
    refusals.push({ guard: 'reset', flag: '--allow-reset', message: `the sync position would be reset: ${ids}` });
  }
  const touched = summary.update + summary.delete;
  if (live >= THRESHOLD_RESOURCES && touched * 100 > live * THRESHOLD_PERCENT && !flags.force) {
    const message = `${touched} of ${live} resources would be changed or deleted, more than ${THRESHOLD_PERCENT} %`;
    refusals.push({ guard: 'threshold', flag: '--force', message });
  }
  return refusals;
}
