// Applies a plan for connections, data models and pipelines step by step, and reports the outcome of each step.
import type { Api } from '../api/index.ts';
import {
  completed,
  type Definition,
  NOUNS,
  type ResourceType,
  toDefinition,
  comparable,
  GROUPS,
  SECRET_PATHS,
  valueAt,
} from '../domain/warehouse/definition.ts';
import {
  type ByType,
  findIn,
  neededSteps,
  type Step,
  type StepResult,
  type WarehousePlan,
} from '../domain/warehouse/plan.ts';
import { exitOf, causedBy, fail } from '../errors/fail.ts';
import { KnownError } from '../kernel/errors.ts';
import { counted } from '../kernel/words.ts';
import { isUnknown } from './confirm-write.ts';
import { type ResourceCalls, resourceWriter, type WritePorts } from './resource-write.ts';

/** Response fields that every kind of resource has. */
export type ResourceReply = Record<string, unknown> & {
  id: string;
  errors?: { message?: string | null | undefined }[] | null | undefined;
};

type DescribedWrite = ReturnType<Api['pipelines']['describeDelete']>;

/** The three clients differ only in the types of their bodies, which each kind's schema has already checked. */
interface ResourceClient extends Pick<ResourceCalls<ResourceReply, Definition>, 'list' | 'get' | 'create' | 'delete'> {
  update(id: string, body: Definition, signal: AbortSignal, query: object): Promise<ResourceReply>;
  describeCreate(body: Definition): DescribedWrite;
  describeUpdate(id: string, body: Definition, query: object): DescribedWrite;
  describeDelete(id: string): DescribedWrite;
}

/** `allowReset` permits changes to a sync mode. `resend` is the command that sends the secrets of a resource again. */
export function warehouseCalls(api: Api, type: ResourceType, { allowReset = false, resend = '' } = {}) {
  const clients = { connection: 'connections', data_model: 'dataModels', pipeline: 'pipelines' } as const;
  const client = api[clients[type]] as unknown as ResourceClient;
  const query = allowReset ? { preventResets: false } : {};
  return {
    noun: NOUNS[type],
    group: GROUPS[type],
    ...client,
    update: (id: string, body: Definition, signal: AbortSignal) => client.update(id, body, signal, query),
    describeUpdate: (id: string, body: Definition) => client.describeUpdate(id, body, query),
    comparable: (definition: ResourceReply | Definition) => comparable(type, definition),
    resendSecrets: (body: Definition) =>
      SECRET_PATHS[type].some((path) => valueAt(body, path) !== undefined)
        ? { text: 'To send its secrets:', command: resend }
        : undefined,
  };
}

interface ApplyPorts extends WritePorts {
  api: Api;
  /** Reads the secrets now, and adds them to the definition. */
  withSecrets(type: ResourceType, definition: Definition): Promise<Definition>;
  /** The command that sends all secrets again. */
  resend: string;
  onEnd(result: StepResult, index: number): void;
}

export async function readLive(api: Api, signal: AbortSignal): Promise<ByType<ResourceReply>> {
  const [connection, data_model, pipeline] = await Promise.all([
    api.connections.list(signal),
    api.dataModels.list(signal),
    api.pipelines.list(signal),
  ]);
  return { connection, data_model, pipeline };
}

/** Rereads each resource before changing it. Skips steps that need an incomplete one and, after a stop, all others. */
export async function applyWarehouse(
  { steps }: WarehousePlan,
  live: ByType<ResourceReply>,
  wanted: ByType<Definition>,
  ports: ApplyPorts,
): Promise<{ steps: StepResult[]; error?: KnownError }> {
  const open = new Set(steps);
  const results: StepResult[] = [];
  const errors: KnownError[] = [];
  for (const [index, step] of steps.entries()) {
    const missing = neededSteps(step, steps, live as ByType<Definition>, wanted).find((needed) => open.has(needed));
    const skipped = ports.signal.aborted ? 'the command was stopped' : missing && `it needs: ${stepName(missing)}`;
    const result: StepResult = { ...step, outcome: 'skipped', reason: skipped ?? null };
    if (skipped === undefined) {
      try {
        await applyStep(step, findIn(live, step.type, step.id), findIn(wanted, step.type, step.id), ports);
        result.outcome = 'done';
        open.delete(step);
      } catch (error) {
        if (!(error instanceof KnownError)) throw error;
        // If the error is the stop reason itself, nothing was sent.
        if (error !== ports.signal.reason) result.outcome = isUnknown(error) ? 'unknown' : 'failed';
        result.reason = error.message;
        errors.push(error);
      }
    }
    results.push(result);
    ports.onEnd(result, index);
  }
  return { steps: results, ...(open.size > 0 && { error: incomplete(results, errors, ports.signal) }) };
}

/** Returns failed (1), or network (8) if an outcome is unknown. For a stopped command, uses the signal's exit code. */
function incomplete(results: readonly StepResult[], errors: readonly KnownError[], signal: AbortSignal): KnownError {
  const open = results.filter(({ outcome }) => outcome !== 'done');
  const stop: unknown = signal.reason;
  const exit = open.some(({ outcome }) => outcome === 'unknown') ? 'network' : 'failed';
  return fail('warehouse.incomplete', {
    message: `${open.length} of ${counted(results.length, 'step')} ${open.length === 1 ? 'was' : 'were'} not completed.`,
    issues: open.map((step) => ({ path: stepName(step), message: `${step.outcome}: ${step.reason ?? ''}` })),
    hint: errors.flatMap(({ hints }) => hints),
    exit: stop instanceof KnownError ? exitOf(stop) : exit,
    ...causedBy(errors[0]),
  });
}

async function applyStep(
  { action, type, id, resets }: Step,
  live: ResourceReply | undefined,
  wanted: Definition | undefined,
  ports: ApplyPorts,
): Promise<void> {
  const calls = warehouseCalls(ports.api, type, { allowReset: resets, resend: ports.resend });
  const writer = resourceWriter(calls, ports);
  if (action === 'delete' && live) return await writer.delete(id, live);
  if (!wanted) throw new TypeError(`the plan has ${type} ${id}, which no file defines`);
  const body = await ports.withSecrets(type, completed(type, wanted, live && toDefinition(live)));
  if (live) await writer.update(id, body, live);
  else await writer.create(body);
}

/** Returns the name of a step, such as `create connection crm`. */
export function stepName({ action, type, id }: Step): string {
  return `${action} ${NOUNS[type]} ${id}`;
}
