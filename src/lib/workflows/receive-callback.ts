// One callback from its bytes to its answer: checked, its state stored, handed on, and only then acknowledged.
import { RequestStatusReply } from '../contract/dsr.ts';
import type { HeaderLines, Verdict } from '../domain/callbacks/verify.ts';
import { parseJson } from '../kernel/json.ts';
import { isoMillis } from '../kernel/timestamps.ts';
import type { Clock } from '../kernel/clock.ts';
import type { LedgerPort } from './dsr-ports.ts';
import type { MessageVerifier } from './verify-message.ts';

export interface CallbackPorts {
  verify: MessageVerifier;
  ledger: LedgerPort;
  clock: Clock;
  /** Hands the bytes on as they came; false when whoever should have them did not take them. */
  forward(headers: HeaderLines, body: Buffer): Promise<boolean>;
}

export interface Callback {
  method: string;
  headers: HeaderLines;
  /** Undefined when it is too large. */
  body: Buffer | undefined;
}

export interface Received {
  /** What is answered. */
  status: 202 | 401 | 405 | 413 | 503;
  verdict?: Verdict;
  /** What it says; undefined for a callback that is not acknowledged, or whose body is no status. */
  state?: RequestStatusReply;
  /** Whether it told anything new. */
  isNew: boolean;
  detail: string;
}

/** Never throws for what was sent; what the ledger cannot keep is not acknowledged either. */
export async function receiveCallback({ body, headers, method }: Callback, ports: CallbackPorts): Promise<Received> {
  const refuse = (status: Received['status'], detail: string, verdict?: Verdict): Received => {
    return { status, isNew: false, detail, ...(verdict && { verdict }) };
  };
  if (method !== 'POST') return refuse(405, `${method} is not how callbacks come`);
  if (body === undefined) return refuse(413, 'the body is too large');
  const { unreachable, ...verdict } = await ports.verify(headers, body);
  // Neither right nor wrong: the platform shall send it again.
  if (unreachable) return refuse(503, unreachable.message, verdict);
  const failed = verdict.checks.find(({ ok }) => !ok);
  if (failed) return refuse(401, `${failed.name}: ${failed.detail}`, verdict);
  const state = readState(body);
  let isNew = false;
  if (state) {
    try {
      const news = await ports.ledger.append([
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
  if (!(await ports.forward(headers, body))) return refuse(503, 'it could not be handed on', verdict);
  const detail = state ? (isNew ? 'stored' : 'nothing new') : 'the body is no status of a request; nothing was stored';
  return { status: 202, verdict, isNew, detail, ...(state && { state }) };
}

/** Signed, so it is the platform's word; whether we understand it is another matter. */
function readState(body: Buffer): RequestStatusReply | undefined {
  let value: unknown;
  try {
    value = parseJson(body.toString('utf8'));
  } catch {
    return undefined;
  }
  const result = RequestStatusReply.safeParse(value);
  return result.success ? result.data : undefined;
}
