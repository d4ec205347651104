// A single plan for connections, data models and pipelines: computed once, then shown, hashed and applied.
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { canonicalJson } from '../../kernel/json.ts';
import { counted } from '../../kernel/words.ts';
import { changedFields, type Refusal, refuseDeletions, refuseMany } from '../field-changes.ts';
import {
  comparable,
  completed,
  type Definition,
  RESOURCE_TYPES,
  resetsPosition,
  type ResourceType,
  toDefinition,
  maskedSecrets,
  referenceMap,
  secretUses,
} from './definition.ts';

const ACTIONS = ['create', 'update', 'delete'] as const;

function stepFields() {
  return {
    action: z.enum(ACTIONS),
    type: z.enum(RESOURCE_TYPES),
    id: z.string(),
    /** Values in a definition may be any JSON. */
    changes: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })),
    /** Fields whose secrets the plan sends. A plan never contains the secrets themselves. */
    secrets: z.array(z.string()),
    /** References in the file: `{"config.password": "env:NAME"}`. */
    references: z.record(z.string(), z.string()),
    resets: z.boolean(),
  };
}

export function planResult() {
  return z.object({
    /** Hash (32 hex digits) of the workspace, the address, and the live and desired resources. */
    plan: z.string(),
    steps: z.array(z.object(stepFields())),
    /** `connection/crm` … */
    unchanged: z.array(z.string()),
    /** Live resources that no file defines and that the plan does not change. */
    unmanaged: z.array(z.string()),
    summary: z.object({
      create: z.number(),
      update: z.number(),
      delete: z.number(),
      unchanged: z.number(),
      unmanaged: z.number(),
    }),
  });
}

export type WarehousePlan = z.infer<ReturnType<typeof planResult>>;
export type Step = WarehousePlan['steps'][number];

export function stepResult() {
  const outcome = z.enum(['done', 'failed', 'skipped', 'unknown']);
  /** `reason` explains why the step was not done; null if it was done. */
  return z.object({ ...stepFields(), outcome, reason: z.nullable(z.string()) });
}

export type StepResult = z.infer<ReturnType<typeof stepResult>>;

export type ByType<T> = Record<ResourceType, T[]>;

export function byType<T>(list: (type: ResourceType) => T[]): ByType<T> {
  return { connection: list('connection'), data_model: list('data_model'), pipeline: list('pipeline') };
}

interface PlanInput {
  /** Workspace and address, which are part of the hash. */
  scope: { workspace: string; address: string };
  live: ByType<Definition>;
  wanted: ByType<Definition>;
  /** True to plan the deletion of live resources that no file defines. */
  prune: boolean;
  selects(type: ResourceType, id: string): boolean;
  /** True if the plan sends a resource's secrets even if nothing else differs. */
  sendSecrets(type: ResourceType, definition: Definition): boolean;
}

/** Plans creations and updates in dependency order, followed by deletions in reverse order. */
export function planWarehouse({ scope, prune, selects, sendSecrets, ...lists }: PlanInput): WarehousePlan {
  const [live, wanted] = [lists.live, lists.wanted].map((all) =>
    byType((type) =>
      [...all[type].filter(({ id }) => selects(type, id))].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)),
    ),
  ) as [ByType<Definition>, ByType<Definition>];
  const steps: Step[] = [];
  const unchanged: string[] = [];
  const managed = byType((type) => live[type].filter((it) => prune || findIn(wanted, type, it.id)));
  for (const type of RESOURCE_TYPES) {
    for (const definition of wanted[type]) {
      const step = stepFor(type, definition, findIn(live, type, definition.id), sendSecrets(type, definition));
      if (step) steps.push(step);
      else unchanged.push(`${type}/${definition.id}`);
    }
  }
  for (const type of [...RESOURCE_TYPES].reverse()) {
    for (const definition of managed[type]) {
      if (findIn(wanted, type, definition.id)) continue;
      const changes = changedFields(comparable(type, definition), {});
      steps.push({ action: 'delete', type, id: definition.id, changes, secrets: [], references: {}, resets: false });
    }
  }
  const unmanaged = RESOURCE_TYPES.flatMap((type) =>
    live[type].filter((it) => !managed[type].includes(it)).map(({ id }) => `${type}/${id}`),
  );
  const normalized = (lists: ByType<Definition>) =>
    RESOURCE_TYPES.map((type) => lists[type].map((it) => comparable(type, it)));
  const hashed = { scope, live: normalized(managed), wanted: normalized(wanted), steps };
  const count = (action: Step['action']): number => steps.filter((step) => step.action === action).length;
  return {
    plan: createHash('sha256').update(canonicalJson(hashed)).digest('hex').slice(0, 32),
    steps,
    unchanged,
    unmanaged,
    summary: {
      create: count('create'),
      update: count('update'),
      delete: count('delete'),
      unchanged: unchanged.length,
      unmanaged: unmanaged.length,
    },
  };
}

/** Returns the plan's steps that must succeed before this one (decision: D106). */
export function neededSteps(
  { action, type, id }: Step,
  steps: readonly Step[],
  live: ByType<Definition>,
  wanted: ByType<Definition>,
): Step[] {
  const usersOf = (pipelines: readonly Definition[], part: ResourceType, partId: string) =>
    pipelines.filter((it) => it[`${part}_id`] === partId).map((it) => it.id);
  if (type === 'pipeline') {
    if (action === 'delete') return [];
    return steps.filter((it) => it.action !== 'delete' && usersOf(wanted.pipeline, it.type, it.id).includes(id));
  }
  if (action !== 'delete') return [];
  const users = usersOf(live.pipeline, type, id);
  return steps.filter((step) => step.type === 'pipeline' && users.includes(step.id));
}

export function findIn<T extends { id: string }>(lists: ByType<T>, type: ResourceType, id: string): T | undefined {
  return lists[type].find((it) => it.id === id);
}

function stepFor(
  type: ResourceType,
  definition: Definition,
  live: Definition | undefined,
  sendSecrets: boolean,
): Step | undefined {
  const uses = secretUses(type, definition);
  const references = referenceMap(uses);
  // The user must enter a masked secret before the other fields can be sent.
  const secrets = [...uses.map(({ path }) => path), ...maskedSecrets(type, definition)].map((path) => path.join('.'));
  const wanted = comparable(type, completed(type, definition, live && toDefinition(live)));
  const changes = changedFields(live ? comparable(type, live) : {}, wanted);
  if (!live) return { action: 'create', type, id: definition.id, changes, secrets, references, resets: false };
  if (Object.keys(changes).length === 0 && !(sendSecrets && uses.length > 0)) return undefined;
  const resets = resetsPosition(type, changes);
  return { action: 'update', type, id: definition.id, changes, secrets, references, resets };
}

export type WarehouseRefusal = Refusal<'delete' | 'reset' | 'empty' | 'threshold'>;

/** Returns all guards that stop the plan. `live` is the number of resources in the workspace. */
export function guardWarehouse(
  { steps, summary }: WarehousePlan,
  live: number,
  flags: Partial<Record<'allowDelete' | 'allowReset' | 'allowEmpty' | 'force', boolean>>,
): WarehouseRefusal[] {
  const refusals: WarehouseRefusal[] = [];
  const name = (step: { type: string; id: string }): string => `${step.type.replace('_', ' ')} ${step.id}`;
  if (!flags.allowDelete) {
    const deleted = steps.filter(({ action }) => action === 'delete');
    const message = `${counted(deleted.length, 'resource')} would be deleted: ${deleted.map(name).join(', ')}`;
    const ids = deleted.map(({ id }) => id);
    refusals.push(...refuseDeletions(ids, message));
  }
  if (live > 0 && summary.delete === live && summary.create === 0 && !flags.allowEmpty) {
    refusals.push({ guard: 'empty', flag: '--allow-empty', message: 'every resource would be deleted' });
  }
  const resets = steps.filter((step) => step.resets);
  if (resets.length > 0 && !flags.allowReset) {
    const ids = resets.map(({ id }) => id).join(', ');
    refusals.push({ guard: 'reset', flag: '--allow-reset', message: `the sync position would be reset: ${ids}` });
  }
  if (!flags.force) refusals.push(...refuseMany(summary.update + summary.delete, live, 'resources'));
  return refusals;
}
