// The only module that determines whether a write is done, not done or unknown, for single calls and bulk rows.
import { exitOf, causedBy, fail } from '../errors/fail.ts';
import { KnownError, type Hints } from '../kernel/errors.ts';

/** Error code of a write with an unknown outcome. `http` throws it if a response is lost or proves nothing. */
const UNKNOWN = 'http.outcome_unknown';
/** Default maximum number of sends, so that a write that the platform never shows is not sent forever. */
const MAX_SENDS = 3;

export interface Doubt {
  /** Error from the send; undefined if the response failed `isOurs`, or if this run has not sent anything yet. */
  readonly error?: KnownError;
  /** Rejection in `error`, either from the send or from its retry after a 429 or a 401. */
  readonly rejection?: KnownError | undefined;
  /** True if a request may have taken effect. False for a first send that the platform rejected. */
  readonly wasSent: boolean;
}

/** The result of a read. An error ends the write, because the platform has stored something else. */
export type Judgement<Result> = { done: Result } | 'not-done' | { unknown: string; hint?: Hints } | KnownError;

export interface Write<Result, Stored> {
  /** Completes "the outcome of … is unknown", for example `the cancellation of request X`. */
  readonly subject: string;
  readonly hint: Hints;
  readonly maxSends?: number;
  /** If set, a read precedes the first send: an earlier run may have sent the write, or the id may be taken. */
  readonly doubt?: Doubt;
  /** Statuses of a first rejection that only a read can explain, such as 400 for a taken id. */
  readonly explained?: readonly number[];
  readonly notes?: { lost?: string; arrived?: (result: Result) => string; again?: string };
  /** Sends the write. Throws KnownError for a lost response or a rejection. `attempt` counts from 1. */
  send(attempt: number): Promise<Result>;
  /** True if a complete response proves the write: it must have the same id and, if signed, a valid signature. */
  isOurs(result: Result): boolean;
  read(): Promise<Stored>;
  /** True if the read returned the same resource. A different resource proves nothing. */
  isAbout(stored: Stored): boolean;
  judge(stored: Stored, doubt: Doubt): Judgement<Result> | Promise<Judgement<Result>>;
}

export type Confirmed<Result> =
  { state: 'done'; result: Result } | { state: 'not-done' | 'unknown'; error: KnownError };

export interface Messages {
  note(text: string): void;
  warn(text: string): void;
}

export interface ConfirmPorts {
  out?: Messages;
  signal: AbortSignal;
  /** `--retries`: limits how often a write is sent again. */
  flags?: { readonly retries: number };
}

/** Sends a write, and confirms it by its response or by a read. Returns a KnownError instead of throwing it. */
export async function confirmWrite<Result, Stored>(
  write: Write<Result, Stored>,
  { flags, out, signal }: ConfirmPorts,
): Promise<Confirmed<Result>> {
  const { again, arrived, lost } = write.notes ?? {};
  const maxSends = Math.min(write.maxSends ?? MAX_SENDS, (flags?.retries ?? Infinity) + 1);
  let { doubt } = write;
  for (let sends = 0; ;) {
    if (doubt === undefined) {
      const sent = await sendOnce(++sends);
      if ('state' in sent) return sent;
      doubt = sent;
      if (signal.aborted) return unknown(doubt, 'the command was stopped');
      if (isUnknown(doubt.error) && lost !== undefined) out?.warn(lost);
    }
    const { error, wasSent } = doubt;
    const found = await readStored();
    if ('problem' in found) {
      if (error !== undefined && !wasSent) return { state: 'not-done', error };
      if (!wasSent && found.error) return { state: 'not-done', error: found.error };
      return unknown(doubt, found.problem);
    }
    const judgement = await write.judge(found.stored, doubt);
    if (judgement instanceof KnownError) return { state: 'not-done', error: judgement };
    if (judgement !== 'not-done') {
      if ('unknown' in judgement) return unknown(doubt, judgement.unknown, judgement.hint);
      if (isUnknown(error) && arrived !== undefined) out?.note(arrived(judgement.done));
      return { state: 'done', result: judgement.done };
    }
    if (doubt.rejection) return { state: 'not-done', error: doubt.rejection };
    if (sends >= maxSends) return unknown(doubt, 'the platform does not show the change');
    if (isUnknown(error) && again !== undefined) out?.note(again);
    doubt = undefined;
  }

  async function sendOnce(attempt: number): Promise<Confirmed<Result> | Doubt> {
    try {
      const result = await write.send(attempt);
      return write.isOurs(result) ? { state: 'done', result } : { wasSent: true };
    } catch (error) {
      if (!(error instanceof KnownError)) throw error;
      const wasSent = isUnknown(error) || attempt > 1;
      if (wasSent || write.explained?.includes(error.status ?? 0) === true)
        return { error, wasSent, rejection: rejectionIn(error) };
      return { state: 'not-done', error };
    }
  }

  async function readStored(): Promise<{ stored: Stored } | { problem: string; error?: KnownError }> {
    try {
      const stored = await write.read();
      return write.isAbout(stored) ? { stored } : { problem: 'the platform returned a different resource' };
    } catch (error) {
      if (!(error instanceof KnownError)) throw error;
      if (signal.aborted) return { problem: 'the command was stopped', error };
      return { problem: `the platform cannot be read: ${error.message.replace(/\.$/, '')}`, error };
    }
  }

  function unknown(open: Doubt, reason: string, hint = write.hint): Confirmed<Result> {
    const { error, wasSent } = open;
    const why = wasSent ? `${causeOf(open)}, and ${reason}` : reason;
    const stop = signal.aborted ? (signal.reason as unknown) : undefined;
    const ended = stop instanceof KnownError ? stop : isUnknown(error) ? error : undefined;
    const failure = fail(UNKNOWN, {
      message: `The outcome of ${write.subject} is unknown: ${why}.`,
      hint,
      ...(ended && { exit: exitOf(ended) }),
      details: error?.details,
      ...causedBy(error),
    });
    return { state: 'unknown', error: failure };
  }
}

export async function confirmed<Result, Stored>(write: Write<Result, Stored>, ports: ConfirmPorts): Promise<Result> {
  const outcome = await confirmWrite(write, ports);
  if (outcome.state === 'done') return outcome.result;
  throw outcome.error;
}

export function isUnknown(error: KnownError | undefined): boolean {
  return error?.code === UNKNOWN;
}

/** Returns the failure as an unknown outcome, because the request may have taken effect. */
export function lossOf(failure: KnownError): KnownError {
  if (failure.code === UNKNOWN) return failure;
  return fail(UNKNOWN, {
    message: failure.message,
    ...(failure.code === 'interrupted' && { exit: exitOf(failure) }),
    ...causedBy(failure),
  });
}

function rejectionIn(error: KnownError): KnownError | undefined {
  if (error.code !== UNKNOWN) return error;
  const { cause } = error;
  const status = cause instanceof KnownError ? cause.status : undefined;
  return status !== undefined && status >= 400 && status < 500 ? (cause as KnownError) : undefined;
}

function causeOf({ error, rejection }: Doubt): string {
  if (error === undefined) return 'the response does not confirm the write';
  if (rejection) return 'the platform rejected the retried request';
  const isUnreadable = error.cause instanceof KnownError && error.cause.code === 'http.unreadable';
  if (isUnreadable) return 'the response is unreadable';
  return error.status === undefined ? 'the response was lost' : `the response status was ${error.status}`;
}
