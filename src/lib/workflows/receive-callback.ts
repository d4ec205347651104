// Checks and stores one callback, and only then acknowledges it.
import { RequestStatusReply } from '../contract/dsr.ts';
import { parseWith } from '../contract/explain.ts';
import { eventId, type ReceivedLine } from '../domain/callbacks/outbox.ts';
import type { HeaderLines, Verdict } from '../domain/callbacks/verify.ts';
import { exitOf } from '../errors/fail.ts';
import { type Clock, withTimeLimit } from '../kernel/clock.ts';
import type { KnownError } from '../kernel/errors.ts';
import { isRecord, tryJson } from '../kernel/json.ts';
import { isUuid } from '../kernel/words.ts';
import { isoMillis } from '../kernel/timestamps.ts';
import type { MessageVerifier } from './verify-message.ts';

export interface CallbackPorts {
  verify: MessageVerifier;
  /** Only callbacks for this workspace are accepted; undefined accepts every workspace. */
  workspace: string | undefined;
  address: string;
  /** Resolves once the callback is on disk, with true for a new status. Rejects if the callback cannot be stored. */
  store(callback: ReceivedLine): Promise<boolean>;
  clock: Clock;
}

export interface Callback {
  method: string;
  headers: HeaderLines;
  /** Undefined if the body is too large. */
  body: Buffer | undefined;
}

export interface Received {
  status: 202 | 401 | 405 | 413 | 503;
  verdict?: Verdict;
  /** Undefined for a callback that is not acknowledged or has no status. */
  state?: RequestStatusReply;
  workspace?: string | undefined;
  isNew: boolean;
  detail: string;
}

/** The platform waits only ten seconds for the response (decision: D262). */
const ANSWER_MS = 9000;

/** Never throws for an invalid message. Does not acknowledge a callback that cannot be stored. */
export async function receiveCallback(callback: Callback, ports: CallbackPorts): Promise<Received> {
  const late = () => reject(503, `it was not stored within ${ANSWER_MS / 1000} seconds`);
  return await withTimeLimit(receive(callback, ports), ANSWER_MS, ports.clock, late);
}

async function receive({ body, headers, method }: Callback, ports: CallbackPorts): Promise<Received> {
  if (method !== 'POST') return reject(405, `${method} is not POST`);
  if (body === undefined) return reject(413, 'the body is too large');
  const { signature, unreachable, ...verdict } = await ports.verify(headers, body);
  // The callback could not be checked yet: the platform will send it again.
  if (unreachable && mayPass(unreachable)) return reject(503, unreachable.message, verdict);
  const failed = verdict.checks.find(({ ok }) => !ok);
  if (failed) return reject(401, `${failed.name}: ${failed.detail}`, verdict);
  const value = tryJson(body.toString('utf8'));
  // The processor signs callbacks for every tenant, so only the workspace shows that this callback is for us.
  const workspace = controllerOf(value);
  if (ports.workspace !== undefined && workspace !== ports.workspace) {
    const whose = workspace === undefined ? 'does not specify a workspace' : `is for workspace ${workspace}`;
    return reject(401, `controller: the callback ${whose}; only workspace ${ports.workspace} is accepted`, verdict);
  }
  const parsed = parseWith(RequestStatusReply, value).data;
  const state = isUuid(parsed?.subject_request_id) ? parsed : undefined;
  const isStatus = state !== undefined && workspace !== undefined;
  let isNew: boolean;
  try {
    isNew = await ports.store({
      event: 'received',
      id: eventId(ports.address, workspace, body),
      at: isoMillis(ports.clock.now()),
      address: ports.address,
      workspace_id: workspace ?? null,
      request_id: isStatus ? state.subject_request_id.toLowerCase() : null,
      status: isStatus ? state.request_status : null,
      ...(isStatus &&
        state.expected_completion_time !== undefined && { expected_completion_time: state.expected_completion_time }),
      targets: [],
      ...(signature && { signature }),
      headers,
      body: body.toString('base64'),
    });
  } catch (error) {
    return reject(503, `it could not be stored: ${(error as Error).message}`, verdict);
  }
  const missing = state ? 'does not specify a workspace' : 'is not a request status';
  const detail = isStatus ? (isNew ? 'stored' : 'nothing new') : `the body ${missing}; no status was stored`;
  return { status: 202, verdict, isNew, detail, ...(state && { state, workspace }) };
}

function reject(status: Received['status'], detail: string, verdict?: Verdict): Received {
  return { status, isNew: false, detail, ...(verdict && { verdict }) };
}

/** True if a check of the resent callback may succeed, for example after the credentials are corrected. */
export function mayPass(error: KnownError): boolean {
  return ['auth', 'network', 'unavailable', 'waitTimedOut', 'interrupted', 'terminated', 'hungUp'].includes(
    exitOf(error),
  );
}

/** Returns the workspace in a body, even if its other fields are unknown. */
function controllerOf(value: unknown): string | undefined {
  const id = isRecord(value) ? value['controller_id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint' ? String(id) : undefined;
}
