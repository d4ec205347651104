// The plan that a directory of definitions makes with what the platform holds.
import { type Definition, NOUNS, type ResourceType } from '../../lib/domain/warehouse/definition.ts';
import { type ByType, planWarehouse, type WarehousePlan } from '../../lib/domain/warehouse/plan.ts';
import { secretUses } from '../../lib/domain/warehouse/secrets.ts';
import { placeIssues } from '../../lib/files/load.ts';
import { invalidInput } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { SecretMemory } from '../../lib/runtime/memory/secrets.ts';
import type { ReferenceRules } from '../../lib/runtime/reference-rules.ts';
import { readLive } from '../../lib/workflows/warehouse-apply.ts';
import type { ResourceReply } from '../../lib/workflows/warehouse-calls.ts';
import type { DirectoryEntry } from './directory.ts';
import { secretKeyOf, secretOf } from './secrets.ts';

export interface PlannedDirectory {
  plan: WarehousePlan;
  live: ByType<ResourceReply>;
  wanted: ByType<Definition>;
}

/** Reads what the platform holds and compares. Throws invalid input (9) for a pipeline whose parts are nowhere. */
export async function planDirectory(
  ctx: Context,
  entries: readonly DirectoryEntry[],
  memory: SecretMemory,
  { sendAll, rules }: { sendAll: boolean; rules: ReferenceRules },
): Promise<PlannedDirectory> {
  const live = await readLive(await ctx.api(), ctx.signal);
  const of = (type: ResourceType) => entries.filter((it) => it.type === type).map(({ definition }) => definition);
  const wanted = { connection: of('connection'), data_model: of('data_model'), pipeline: of('pipeline') };
  checkReferences(entries, wanted);
  const changed = sendAll ? undefined : await changedSecrets(ctx, entries, memory, rules);
  const plan = planWarehouse({
    scope: memory.scope,
    live: live as ByType<Definition>,
    wanted,
    sendSecrets: (type, { id }) => changed === undefined || changed.has(`${type}/${id}`),
  });
  return { plan, live, wanted };
}

/** Entries whose secret was sent from here before and is another one now. */
async function changedSecrets(
  ctx: Context,
  entries: readonly DirectoryEntry[],
  memory: SecretMemory,
  rules: ReferenceRules,
): Promise<Set<string>> {
  const changed = new Set<string>();
  for (const entry of entries) {
    for (const use of secretUses(entry.type, entry.definition)) {
      const key = secretKeyOf(entry, use.path);
      if (!memory.knows(key)) continue;
      try {
        if (memory.isChanged(key, await secretOf(ctx, entry, use, { rules })))
          changed.add(`${entry.type}/${entry.definition.id}`);
      } catch (error) {
        ctx.out.verbose(`Not compared: ${(error as Error).message}`);
      }
    }
  }
  return changed;
}

/** A pipeline's connection and data model are deleted when no file defines them, so they must be there. */
function checkReferences(entries: readonly DirectoryEntry[], wanted: ByType<Definition>): void {
  const issues = entries.flatMap(({ type, definition, file }) =>
    type !== 'pipeline'
      ? []
      : (['connection', 'data_model'] as const).flatMap((part) => {
          const field = `${part}_id`;
          if (wanted[part].some(({ id }) => id === definition[field])) return [];
          const message = `no file defines the ${NOUNS[part]} \`${String(definition[field])}\``;
          return placeIssues(file.document, [{ path: [field], message }]);
        }),
  );
  if (issues.length > 0) throw invalidInput('A pipeline needs what no file defines. Nothing was sent.', issues);
}
