// What the three resources of D do alike.
import { WAREHOUSE_FAILURES } from '../../contract/failures.ts';
import { READ_ONLY_FIELDS } from '../../contract/warehouse.ts';
import { refuse } from '../wire/accept-body.ts';
import { created } from '../base/audit.ts';
import type { ResourceFixture } from '../fixtures/warehouse.ts';
import type { Pipeline } from '../stores/pipelines.ts';
import type { Kept } from '../stores/resources.ts';

/** A request without the fields that only the platform sets. */
export function withoutReadOnly<Definition extends object>(sent: Definition): Definition {
  const ignored: readonly string[] = READ_ONLY_FIELDS;
  return Object.fromEntries(Object.entries(sent).filter(([field]) => !ignored.includes(field))) as Definition;
}

/** Throws 400 when the id of a body is not that of its path. */
export function refuseOtherId(sent: string, inPath: string): void {
  if (sent === inPath) return;
  throw refuse(WAREHOUSE_FAILURES.invalidRequest, `id is \`${sent}\` and the path says \`${inPath}\``);
}

/** The ids of the pipelines that refer to a resource. */
export function usersOf(
  pipelines: readonly Pipeline[],
  field: 'connection_id' | 'data_model_id',
  id: string,
): string[] {
  return pipelines.filter(({ definition }) => definition[field] === id).map(({ definition }) => definition.id);
}

/** A resource as a fixture has it; `broken` is the status that means so. */
export function keptFixture<Definition extends { id: string }>(
  { definition, status, errors }: ResourceFixture<Definition>,
  broken: string,
  now: number,
): Kept<Definition> {
  return {
    definition: withoutReadOnly(definition),
    audit: created(now, 'fixtures'),
    broken: status === broken,
    errors,
  };
}
