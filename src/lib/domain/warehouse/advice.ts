// What is allowed in a definition and still deserves a second look.
import type { FieldIssue } from '../../contract/explain.ts';
import { valueAt, type Definition, type ResourceType } from './definition.ts';

/** Advice on a definition that is valid. */
export function adviseOn(type: ResourceType, definition: Definition): FieldIssue[] {
  if (type !== 'pipeline') return [];
  const isFull = valueAt(definition, ['sync_mode', 'type']) === 'full';
  if (!isFull || valueAt(definition, ['schedule', 'type']) !== 'interval') return [];
  const message =
    'a full sync on a repeating schedule sends all rows again each time; incremental is what repeats well';
  return [{ path: ['sync_mode', 'type'], message }];
}

/** What a run reads again once the sync position is gone. */
export function describeReread(definition: Definition): string {
  const from = valueAt(definition, ['sync_mode', 'from']);
  const until = valueAt(definition, ['sync_mode', 'until']);
  const range = [
    typeof from === 'string' ? `from ${from} on` : 'from its first row on',
    ...(typeof until === 'string' ? [`up to ${until}`] : []),
  ].join(', ');
  return `This resets the sync position: the next run reads data model ${String(definition['data_model_id'])} again ${range}.`;
}
