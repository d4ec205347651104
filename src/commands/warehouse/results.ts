// Schemas of results of the warehouse commands.
import { array, boolean, enum as oneOf, number, object, record, string, unknown } from 'zod/mini';
import { RESOURCE_TYPES } from '../../lib/domain/warehouse/definition.ts';
import { workspaceTarget } from '../results.ts';

function planFields() {
  return {
    plan: string(),
    steps: array(
      object({
        action: oneOf(['create', 'update', 'delete']),
        type: oneOf(RESOURCE_TYPES),
        id: string(),
        // Values of a definition hold any JSON.
        changes: record(string(), object({ from: unknown(), to: unknown() })),
        secrets: array(string()),
        references: record(string(), string()),
        resets: boolean(),
      }),
    ),
    unchanged: array(string()),
    summary: object({ create: number(), update: number(), delete: number(), unchanged: number() }),
  };
}

export function planResult() {
  return object(planFields());
}

export function appliedResult() {
  return object({ ...planFields(), applied: boolean(), target: workspaceTarget() });
}

export function exportedFile() {
  return object({
    type: oneOf(RESOURCE_TYPES),
    id: string(),
    file: string(),
    action: oneOf(['written', 'updated', 'unchanged']),
  });
}
