// One session of the MCP server: its tools, and the plans that it has issued.
import { createHash } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { fail } from '../../errors/fail.ts';
import { KnownError, usageError } from '../../kernel/errors.ts';
import { choiceHint } from '../../kernel/nearest.ts';
import { canonicalJson, isRecord } from '../../kernel/json.ts';
import { isoSeconds } from '../../kernel/timestamps.ts';
import { bugError, failureJson } from '../../render/failure.ts';
import type { CommandRecord } from '../command-line/define-command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { answerOf } from './answers.ts';
import { type Outcome, runRecord, type Values } from './calls.ts';
import { parametersOf } from './parameters.ts';
import type { AreaTool } from './tools.ts';

const PLAN_MS = 10 * 60_000;

interface Plan {
  area: string;
  record: CommandRecord;
  values: Values;
  expiresAt: number;
}

const AGAIN = 'Call the planning tool again, and show the new plan to the user.';
const GUARD = 'An assistant cannot override a guard. A person can run the command in a terminal.';

const NO_BODIES = 'The bodies of the requests are left out. `data.plan` has every change.';
const TOO_LARGE = 'The plan is too large to approve here. A person can run the command in a terminal.';

export function openSession(ctx: Context, tools: readonly AreaTool[], mayWrite: boolean) {
  const plans = new Map<string, Plan>();

  /** Throws KnownError for an unknown tool or command. */
  async function dispatch(name: string, given: Values, signal: AbortSignal): Promise<CallToolResult> {
    const tool = tools.find(({ definition }) => definition.name === name);
    if (!tool) {
      const names = tools.map(({ definition }) => definition.name);
      throw usageError(`Unknown tool \`${name}\`.`, choiceHint(name, names));
    }
    const { command, ...values } = given;
    const record = tool.records.get(String(command));
    if (!record)
      throw usageError(
        `Unknown command \`${String(command)}\`.`,
        choiceHint(String(command), [...tool.records.keys()]),
      );
    if (tool.kind === 'read') return resultOf(record, await runRecord(ctx, record, values, [], signal));
    return tool.kind === 'plan' ? plan(tool.area, record, values, signal) : write(tool.area, record, values, signal);
  }

  async function plan(
    area: string,
    record: CommandRecord,
    given: Values,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const now = ctx.clock.now();
    const values: Record<string, unknown> = { ...given };
    for (const { name, planned } of parametersOf(record)) if (planned) values[name] ??= planned(now);
    const outcome = await rehearse(record, values, signal);
    if (outcome.error) return resultOf(record, outcome);
    const id = hashOf(record, values, outcome);
    const issued = { id, expires_at: isoSeconds(now + PLAN_MS) };
    const requests = isRecord(outcome.data) ? outcome.data['requests'] : undefined;
    const isEmpty = !Array.isArray(requests) || requests.length === 0;
    const shown = answer(record, outcome, { plan: mayWrite && !isEmpty ? issued : null });
    if (!mayWrite || isEmpty) return shown.content;
    const { content, isCut } = shown.isCut
      ? answer(record, withoutBodies(outcome), { plan: issued }, [NO_BODIES])
      : shown;
    // No one can approve what is not shown.
    if (isCut) return answer(record, outcome, { plan: null }, [TOO_LARGE]).content;
    plans.set(id, { area, record, values, expiresAt: now + PLAN_MS });
    return content;
  }

  async function write(
    area: string,
    record: CommandRecord,
    values: Values,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const { plan: id, ...others } = values;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw usageError(`Unknown argument \`${unknown}\`: a write accepts only its plan.`);
    const planned = plans.get(String(id));
    if (planned?.area !== area || planned.record !== record) {
      throw fail('mcp.no_plan', {
        message: `This session has no plan \`${String(id)}\` of \`${record.path}\`. Nothing was sent.`,
        hint: AGAIN,
      });
    }
    plans.delete(String(id));
    if (ctx.clock.now() > planned.expiresAt) {
      throw fail('mcp.no_plan', { message: 'The plan has expired. Nothing was sent.', hint: AGAIN });
    }
    const again = await rehearse(record, planned.values, signal);
    if (again.error) return resultOf(record, again);
    if (hashOf(record, planned.values, again) !== id) {
      throw fail('mcp.plan_changed', {
        message: 'The platform has changed since the plan was made. Nothing was sent.',
        hint: AGAIN,
      });
    }
    return resultOf(record, await runRecord(ctx, record, planned.values, ['--yes'], signal));
  }

  function rehearse(record: CommandRecord, values: Values, signal: AbortSignal): Promise<Outcome> {
    return runRecord(ctx, record, values, ['--dry-run'], signal);
  }

  function answer({ path }: CommandRecord, outcome: Outcome, more: Values = {}, notes: readonly string[] = []) {
    const { code, data, error } = outcome;
    const warnings = [...outcome.warnings, ...notes, ...(code === EXIT.guard ? [GUARD] : [])];
    const parts = { command: path, ...(error ? { error } : { data: data ?? null }), ...more };
    return answerOf({ ...parts, exit_code: code, ...(warnings.length > 0 && { warnings }) }, ctx.redactor);
  }

  function resultOf(record: CommandRecord, outcome: Outcome): CallToolResult {
    return answer(record, outcome).content;
  }

  return {
    /** Calls a tool. A failure is a result with `isError`. */
    call: async (name: string, values: Values, signal: AbortSignal): Promise<CallToolResult> => {
      try {
        return await dispatch(name, values, signal);
      } catch (failure) {
        const error = failure instanceof KnownError ? failure : bugError(failure, ctx.flags.debug);
        return answerOf(JSON.parse(failureJson(error, ctx.redactor)) as Values, ctx.redactor).content;
      }
    },
  };
}

/** Over the target, the requests and everything that the dry run read. */
function hashOf({ path }: CommandRecord, values: Values, { data, read }: Outcome): string {
  // Each command opens the embedded platform on another port.
  const text = canonicalJson({ path, values, data, read }).replaceAll(/(http:\/\/127\.0\.0\.1):\d+/g, '$1');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** A dry run without the bodies of its requests, if its plan has every change. */
function withoutBodies(outcome: Outcome): Outcome {
  const { data } = outcome;
  if (!isRecord(data) || data['plan'] === undefined || !Array.isArray(data['requests'])) return outcome;
  const requests = data['requests'].filter(isRecord).map(({ body: _, ...request }) => request);
  return { ...outcome, data: { ...data, requests } };
}
