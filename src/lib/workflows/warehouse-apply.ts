// Applies a plan for connections, data models and pipelines step by step, and reports how far it got.
import type { Api } from '../api/index.ts';
import {
  completed,
  type Definition,
  NOUNS,
  type ResourceType,
  toDefinition,
  comparable,
  GROUPS,
} from '../domain/warehouse/definition.ts';
import type { ByType, Step, WarehousePlan } from '../domain/warehouse/plan.ts';
import { KnownError } from '../kernel/errors.ts';
import type { Tell } from './ports.ts';
import { checkUntouched, createConfirmed, deleteConfirmed, updateConfirmed } from './resource-write.ts';

/** The fields that all kinds have in a response. */
export type ResourceReply = Record<string, unknown> & {
  id: string;
  errors?: { message?: string | null | undefined }[] | null | undefined;
};

type DescribedWrite = ReturnType<Api['pipelines']['describeDelete']>;

/** The three clients differ only in the types of their bodies, which the schema of each kind has checked. */
interface ResourceClient {
  list(signal: AbortSignal): Promise<ResourceReply[]>;
  get(id: string, signal: AbortSignal): Promise<ResourceReply>;
  create(body: Definition, signal: AbortSignal): Promise<ResourceReply>;
  update(id: string, body: Definition, signal: AbortSignal, options: object): Promise<ResourceReply>;
  delete(id: string, signal: AbortSignal): Promise<void>;
  describeCreate(body: Definition): DescribedWrite;
  describeUpdate(id: string, body: Definition, options: object): DescribedWrite;
  describeDelete(id: string): DescribedWrite;
}

export type WarehouseCalls = ReturnType<typeof warehouseCalls>;

/** `allowReset`: an update of a pipeline may change its sync mode, which resets the sync position. */
export function warehouseCalls(api: Api, type: ResourceType, { allowReset = false } = {}) {
  const clients = { connection: 'connections', data_model: 'dataModels', pipeline: 'pipelines' } as const;
  const client = api[clients[type]] as unknown as ResourceClient;
  const options = allowReset ? { preventResets: false } : {};
  return {
    type,
    noun: NOUNS[type],
    look: `${GROUPS[type]} get`,
    ...client,
    update: (id: string, body: Definition, signal: AbortSignal) => client.update(id, body, signal, options),
    describeUpdate: (id: string, body: Definition) => client.describeUpdate(id, body, options),
    comparable: (definition: ResourceReply | Definition) => comparable(type, definition),
  };
}

interface ApplyPorts {
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
