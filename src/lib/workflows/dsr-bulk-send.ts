// One row of a bulk run, from its journaled id to what became of it; the gate says when each request may go.
import type { DsrRequest } from '../contract/dsr.ts';
import type { SendOutcome, Sender } from '../api/dsr.ts';
import type { Clock } from '../kernel/clock.ts';
import type { VerifyMessage } from './dsr-ports.ts';
import type { Gate } from './bulk-gate.ts';
import { mayPass, type Refused, sendThrough } from './gated-send.ts';

export interface RowOutcome {
  state: 'submitted' | 'existing' | 'failed';
  /** Why it failed, with nothing personal in it. */
  error?: string;
  /** Of the platform's answer; null where it did not say. */
  expected_completion_time?: string | null;
  received_time?: string | null;
  /** Only false when a signature was there to be checked and did not fit. */
  signed: boolean;
}

export interface RowPorts {
  gate: Gate;
  create: Sender;
  get: Sender;
  /** The wire's bytes of a request. */
  encode(request: DsrRequest): Buffer;
  verify: VerifyMessage;
  clock: Clock;
  /** Aborted when what is under way is given up as well. */
  hardSignal: AbortSignal;
}

export interface RowTask {
  request: DsrRequest;
  /** Its POST may have been sent before: the platform is asked first. */
  mayExist: boolean;
  /** The id is from the file: it may stand for a request of another run. */
  givenId: boolean;
  /** Called before each request of the row goes out. */
  onSend(): void;
}

/** A single row that gets no clear answer this often is given up; the run as a whole gives up earlier, by the gate. */
const MAX_ATTEMPTS = 5;

/** Resolves when the row is settled. Throws what ends the whole run. */
export async function sendRow({ givenId, mayExist, onSend, request }: RowTask, ports: RowPorts): Promise<RowOutcome> {
  const { clock, create, gate, get, hardSignal } = ports;
  const asking = {
    send: () => {
      onSend();
      return get.send(undefined, hardSignal, { requestId: request.subject_request_id });
    },
    endsRun: ({ status }: Refused) => status !== 404,
  };
  const creating = {
    send: () => {
      onSend();
      return create.send(ports.encode(request), hardSignal);
    },
    endsRun: ({ status }: Refused) => !ROW_STATUSES.has(status),
  };
  let ask = mayExist;
  let wasSent = mayExist;
  let failures = 0;
  for (let isRepeat = false; ; isRepeat = true) {
    const outcome = await sendThrough(gate, clock, { ...(ask ? asking : creating), isRepeat });
    if (outcome.kind === 'accepted') {
      if (ask) return { state: wasSent ? 'submitted' : 'existing', signed: true, ...timesOf(outcome.text) };
      const verdict = await ports.verify(Object.entries(outcome.headers), Buffer.from(outcome.text, 'utf8'));
      return { state: 'submitted', signed: verdict?.valid !== false, ...timesOf(outcome.text) };
    }
    if (outcome.kind === 'refused' && !mayPass(outcome)) {
      if (ask) {
        // There is no such request yet.
        ask = false;
        continue;
      }
      // "Already exists" is told from other refusals by asking, never by its sentence.
      if (outcome.status === 400 && (wasSent || givenId)) {
        const exists = await existsAfter400(() => sendThrough(gate, clock, { ...asking, isRepeat: true }));
        if (exists) return { state: wasSent ? 'submitted' : 'existing', signed: true, ...exists };
      }
      return { state: 'failed', error: scrubbed(outcome.failure.message, request), signed: true };
    }
    const isWait = outcome.kind === 'refused' && outcome.status === 429;
    if (!isWait && ++failures >= MAX_ATTEMPTS) throw outcome.failure;
    // A 429 did nothing. After anything else nobody knows, so that the platform is asked first.
    if (!isWait && !ask) {
      ask = true;
      wasSent = true;
    }
  }
}

/** What the platform says of one body; anything else it says of all of them. */
const ROW_STATUSES = new Set([400, 409, 413, 422]);

/** `ask` asks the platform for the request. Resolves with its times, undefined when there is none. */
async function existsAfter400(ask: () => Promise<SendOutcome>) {
  for (let attempt = 1; ; attempt++) {
    const outcome = await ask();
    if (outcome.kind === 'accepted') return timesOf(outcome.text);
    if (outcome.kind === 'refused' && !mayPass(outcome)) return undefined;
    if (attempt >= MAX_ATTEMPTS && !(outcome.kind === 'refused' && outcome.status === 429)) throw outcome.failure;
  }
}

function timesOf(text: string): Pick<RowOutcome, 'expected_completion_time' | 'received_time'> {
  try {
    const body = JSON.parse(text) as Record<string, unknown> | null;
    const time = (name: string): string | null => (typeof body?.[name] === 'string' ? body[name] : null);
    return { expected_completion_time: time('expected_completion_time'), received_time: time('received_time') };
  } catch {
    // The status said all that counts.
    return { expected_completion_time: null, received_time: null };
  }
}

const MAX_ERROR = 300;

/** A refusal may quote what it refuses. */
function scrubbed(message: string, request: DsrRequest): string {
  const maps = [request, ...Object.values(request.extensions ?? {})].map((part) => part.subject_identities ?? {});
  const values = maps
    .flatMap((map) => Object.values(map).map(({ value }) => value))
    .filter((value) => value.length > 2);
  return values
    .reduce((text, value) => text.replaceAll(value, '***'), message)
    .replace(/\s+/g, ' ')
    .slice(0, MAX_ERROR);
}
