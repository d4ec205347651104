// One callback from its bytes to its response: checked, stored, forwarded, and only then acknowledged.
import { RequestStatusReply } from '../contract/dsr.ts';
import type { HeaderLines, Verdict } from '../domain/callbacks/verify.ts';
import { parseJson } from '../kernel/json.ts';
import { isRecord } from '../kernel/record.ts';
import { isoMillis } from '../kernel/timestamps.ts';
import type { Clock } from '../kernel/clock.ts';
import type { LedgerPort } from './dsr-ports.ts';
import type { MessageVerifier } from './verify-message.ts';

export interface CallbackPorts {
  verify: MessageVerifier;
  /** The only workspace whose callbacks are accepted; undefined accepts any. */
  workspace: string | undefined;
  /** The ledger of a workspace at the address in use. */
  ledger(workspace: string): Pick<LedgerPort, 'append'>;
  clock: Clock;
  /** Forwards the bytes unchanged; false when the receiver did not accept them. */
  forward(headers: HeaderLines, body: Buffer): Promise<boolean>;
}

export interface Callback {
  method: string;
  headers: HeaderLines;
  /** Undefined when it is too large. */
  body: Buffer | undefined;
}

export interface Received {
  /** Of the response. */
  status: 202 | 401 | 405 | 413 | 503;
  verdict?: Verdict;
  /** Undefined for a callback that is not acknowledged, or whose body is not a status. */
  state?: RequestStatusReply;
  /** Whether the state is news. */
  isNew: boolean;
  detail: string;
}

/** Never throws because of a message. A state that the ledger cannot store is not acknowledged. */
export async function receiveCallback({ body, headers, method }: Callback, ports: CallbackPorts): Promise<Received> {
  const refuse = (status: Received['status'], detail: string, verdict?: Verdict): Received => {
    return { status, isNew: false, detail, ...(verdict && { verdict }) };
  };
  if (method !== 'POST') return refuse(405, `${method} is not how callbacks come`);
  if (body === undefined) return refuse(413, 'the body is too large');
  const { unreachable, ...verdict } = await ports.verify(headers, body);
  // Not judged yet: the platform sends it again.
  if (unreachable) return refuse(503, unreachable.message, verdict);
  const failed = verdict.checks.find(({ ok }) => !ok);
  if (failed) return refuse(401, `${failed.name}: ${failed.detail}`, verdict);
  const value = readJson(body);
  // Signed by the processor, which serves every tenant: only the workspace shows whether it is for us.
  const workspace = controllerOf(value);
  if (ports.workspace !== undefined && workspace !== ports.workspace) {
    const whose = workspace === undefined ? 'names no workspace' : `is about workspace ${workspace}`;
    return refuse(401, `controller: the callback ${whose}; only workspace ${ports.workspace} is accepted`, verdict);
  }
  const state = RequestStatusReply.safeParse(value).data;
  let isNew = false;
  if (state && workspace !== undefined) {
    try {
      const news = await ports.ledger(workspace).append([
        {
          event: 'state',
          id: state.subject_request_id.toLowerCase(),
          at: isoMillis(ports.clock.now()),
          status: state.request_status,
          source: 'callback',
          ...(state.expected_completion_time !== undefined && {
            expected_completion_time: state.expected_completion_time,
          }),
        },
      ]);
      isNew = news > 0;
    } catch (error) {
      return refuse(503, `it could not be stored: ${(error as Error).message}`, verdict);
    }
  }
  if (!(await ports.forward(headers, body))) return refuse(503, 'it could not be forwarded', verdict);
  const missing = state ? 'names no workspace' : 'is not the status of a request';
  const isStored = state !== undefined && workspace !== undefined;
  const detail = isStored ? (isNew ? 'stored' : 'nothing new') : `the body ${missing}; nothing was stored`;
  return { status: 202, verdict, isNew, detail, ...(state && { state }) };
}

/** Undefined for a body that is not JSON. */
function readJson(body: Buffer): unknown {
  try {
    return parseJson(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The workspace that a body is about, even where the rest of it is unknown to us. */
function controllerOf(value: unknown): string | undefined {
  const id = isRecord(value) ? value['controller_id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint' ? String(id) : undefined;
}
