// One row of a bulk run, from its journaled id to what became of it; the gate says when each request may go.
import type { DsrRequest } from '../contract/dsr.ts';
import { isServerTrouble } from '../contract/failures.ts';
import type { SendOutcome, Sender } from '../api/dsr.ts';
import type { CliError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/clock.ts';
import type { VerifyMessage } from './dsr-ports.ts';
import type { Gate, Signal } from './bulk-gate.ts';

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
  /** Called before the first request of the row goes out. */
  onBegin(): void;
}

/** A single row that gets no clear answer this often is given up; the run as a whole gives up earlier, by the gate. */
const MAX_ATTEMPTS = 5;

/** Resolves when the row is settled. Throws what ends the whole run. */
export async function sendRow({ givenId, mayExist, onBegin, request }: RowTask, ports: RowPorts): Promise<RowOutcome> {
  let ask = mayExist;
  let wasSent = mayExist;
  let failures = 0;
  let repeat = false;
  for (;;) {
    const pass = await ports.gate.enter(repeat);
    if (!repeat) onBegin();
    repeat = true;
    const startedAt = ports.clock.now();
    let outcome: SendOutcome;
    try {
      outcome = ask
        ? await ports.get.send(undefined, ports.hardSignal, { requestId: request.subject_request_id })
        : await ports.create.send(ports.encode(request), ports.hardSignal);
    } catch (error) {
      ports.gate.leave(pass, { kind: 'none' });
      throw error;
    }
    ports.gate.leave(pass, signalOf(outcome, ports.clock.now() - startedAt), failureOf(outcome));
    if (outcome.kind === 'accepted') {
      if (ask) return { state: wasSent ? 'submitted' : 'existing', signed: true, ...timesOf(outcome.text) };
      const verdict = await ports.verify(Object.entries(outcome.headers), Buffer.from(outcome.text, 'utf8'));
      return { state: 'submitted', signed: verdict?.valid !== false, ...timesOf(outcome.text) };
    }
    if (outcome.kind === 'refused' && !isOpenEnded(outcome)) {
      const { failure, status } = outcome;
      if (ask && status === 404) {
        ask = false;
        continue;
      }
      // Nothing about one row: every other would be refused as well.
      if (!ROW_STATUSES.has(status) || ask) throw failure;
      // "Already exists" is told from other refusals by asking, never by its sentence.
      if (status === 400 && (wasSent || givenId)) {
        const exists = await existsAfter400(request, ports);
        if (exists) return { state: wasSent ? 'submitted' : 'existing', signed: true, ...exists };
      }
      return { state: 'failed', error: scrubbed(failure.message, request), signed: true };
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

async function existsAfter400(request: DsrRequest, ports: RowPorts) {
  for (let attempt = 1; ; attempt++) {
    const pass = await ports.gate.enter(true);
    const startedAt = ports.clock.now();
    const outcome = await ports.get.send(undefined, ports.hardSignal, { requestId: request.subject_request_id });
    ports.gate.leave(pass, signalOf(outcome, ports.clock.now() - startedAt), failureOf(outcome));
    if (outcome.kind === 'accepted') return timesOf(outcome.text);
    if (outcome.kind === 'refused' && outcome.status === 404) return undefined;
    if (outcome.kind === 'refused' && !isOpenEnded(outcome)) throw outcome.failure;
    if (attempt >= MAX_ATTEMPTS && !(outcome.kind === 'refused' && outcome.status === 429)) throw outcome.failure;
  }
}

/** 429 and 5xx: another time the answer may be another one. */
function isOpenEnded({ status }: Extract<SendOutcome, { kind: 'refused' }>): boolean {
  return status === 429 || isServerTrouble(status);
}

function signalOf(outcome: SendOutcome, ms: number): Signal {
  if (outcome.kind === 'accepted') return { kind: 'answered', ms, slowDown: outcome.slowDown };
  if (outcome.kind === 'lost') return { kind: 'trouble', permanent: outcome.permanent };
  const { retryAfterMs, status } = outcome;
  if (status === 429 || (status === 503 && retryAfterMs !== undefined)) return { kind: 'busy', retryAfterMs };
  return isOpenEnded(outcome) ? { kind: 'trouble', permanent: false } : { kind: 'answered', ms, slowDown: false };
}

function failureOf(outcome: SendOutcome): CliError | undefined {
  return outcome.kind === 'accepted' ? undefined : outcome.failure;
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
