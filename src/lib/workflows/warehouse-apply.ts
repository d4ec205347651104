// Applies a plan for connections, data models and pipelines step by step, and reports how far it got.
import type { Api } from '../api/index.ts';
import { completed, type Definition, NOUNS, type ResourceType, toDefinition } from '../domain/warehouse/definition.ts';
import type { ByType, Step, WarehousePlan } from '../domain/warehouse/plan.ts';
import { KnownError } from '../kernel/errors.ts';
import type { Tell } from './ports.ts';
import { checkUntouched, createConfirmed, deleteConfirmed, updateConfirmed } from './resource-write.ts';
import { type ResourceReply, warehouseCalls } from './warehouse-calls.ts';

export interface ApplyPorts {
  api: Api;
  tell: Tell;
  signal: AbortSignal;
  /** Adds the secrets, read now. */
  withSecrets(type: ResourceType, definition: Definition): Promise<Definition>;
  /** Called after each completed step. */
  onDone(step: Step, index: number): void;
}

/** All live resources of the three kinds. */
export async function readLive(api: Api, signal: AbortSignal): Promise<ByType<ResourceReply>> {
  const [connection, data_model, pipeline] = await Promise.all(
    (['connection', 'data_model', 'pipeline'] as const).map((type) => warehouseCalls(api, type).list(signal)),
  );
  return { connection: connection ?? [], data_model: data_model ?? [], pipeline: pipeline ?? [] };
}

/**
 * Applies the steps in order. Reads a resource again before each update and deletion. Throws the error of a failed step,
 * with the completed and the remaining steps.
 */
export async function applyWarehouse(
  { steps }: WarehousePlan,
  live: ByType<ResourceReply>,
  wanted: ByType<Definition>,
  ports: ApplyPorts,
): Promise<void> {
  for (const [index, step] of steps.entries()) {
    try {
      ports.signal.throwIfAborted();
      await applyStep(step, find(live, step), find(wanted, step), ports);
    } catch (error) {
      throw stopped(error, steps, index);
    }
    ports.onDone(step, index);
  }
}

async function applyStep(
  { action, type, id, resets }: Step,
  live: ResourceReply | undefined,
  wanted: Definition | undefined,
  ports: ApplyPorts,
): Promise<void> {
  const calls = warehouseCalls(ports.api, type, { allowReset: resets });
  if (live) await checkUntouched(id, live, calls, ports.signal);
  if (action === 'delete') {
    await deleteConfirmed(id, calls, ports);
    return;
  }
  if (!wanted) throw new TypeError(`the plan has ${type} ${id}, which no file defines`);
  const body = await ports.withSecrets(type, completed(type, wanted, live && toDefinition(live)));
  if (live) await updateConfirmed(id, body, live, calls, ports);
  else await createConfirmed(body, calls, ports);
}

function find<T extends { id: string }>(lists: ByType<T>, { type, id }: Step): T | undefined {
  return lists[type].find((it) => it.id === id);
}

/** `create connection crm`. */
export function stepName({ action, type, id }: Step): string {
  return `${action} ${NOUNS[type]} ${id}`;
}

function stopped(error: unknown, steps: readonly Step[], index: number): unknown {
  const failed = steps[index];
  if (!(error instanceof KnownError) || !failed) return error;
  const done = steps.slice(0, index).map(stepName);
  const left = steps.slice(index + 1).map(stepName);
  const sofar = done.length === 0 ? 'No step was completed before it' : `Completed before it: ${done.join(', ')}`;
  const rest = left.length === 0 ? '' : ` Not done: ${left.join(', ')}.`;
  return error.with({
    message: `Step ${index + 1} of ${steps.length} (${stepName(failed)}) failed: ${error.message} ${sofar}.${rest}`,
    hint: [...error.hints, 'Fix the cause and apply again. Completed steps are not repeated.'],
    details: { ...error.details, done, failed: stepName(failed), left },
  });
}
