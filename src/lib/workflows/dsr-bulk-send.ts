// Sends one row of a bulk run, and confirms its state. The row's id is in the journal. The gate paces the requests.
import { type CreateReply, dsrEndpoints, type DsrRequest, type RequestStatusReply } from '../contract/dsr.ts';
import type { Sender } from '../api/dsr.ts';
import { isServerTrouble } from '../contract/failures.ts';
import type { LedgerRequest, SubmittedNews } from '../domain/dsr/ledger.ts';
import type { RowStates, StoredState } from '../domain/dsr/row-states.ts';
import { steadyClock } from '../kernel/clock.ts';
import { KnownError, isNotFound } from '../kernel/errors.ts';
import { stringifyJson } from '../kernel/json.ts';
import { type Gate, type GateOptions, MAX_PAUSED } from '../bulk/gate.ts';
import { confirmWrite, type Doubt, type Judgement, lossOf } from './confirm-write.ts';
import type { SignatureFacts } from '../domain/callbacks/verify.ts';
import type { EarlierRequest, FindDuplicate } from './dsr-submit.ts';
import type { RowOptions } from './dsr-row-reader.ts';
import type { DsrPorts, VerifyMessage } from './dsr-ports.ts';
import type { DsrJournal } from '../files/bulk-journal.ts';
import type { RowTable } from '../bulk/rows.ts';
import type { Redactor } from '../kernel/redact.ts';
import type { MaxErrors } from '../bulk/runner.ts';
import { checkWorkspace, differenceIn, idTaken, isSameId, judgeMissing, proofOf } from './dsr-proof.ts';
import { type GatedRequest, sendThrough } from './gated-send.ts';

export interface RowOutcome {
  state: Exclude<StoredState, 'open' | 'planned' | 'skipped'>;
  /** Why the row failed, or why its outcome is unknown. Contains no personal data. */
  error?: string;
  /** The time in the platform's response; null if the response has no time. */
  expected_completion_time?: string | null;
  received_time?: string | null;
  /** False only if a signature was checked and found invalid. */
  signed: boolean;
  signature?: SignatureFacts;
  /** The error that ended the run before the outcome of a sent row was known. */
  ended?: Error;
}

export interface BulkPorts
  extends DsrPorts, Pick<GateOptions, 'concurrency' | 'giveUpAfterMs' | 'rate' | 'random' | 'onWait'> {
  /** The inputs, opened again for sending. */
  table: RowTable;
  options: RowOptions;
  journal: DsrJournal;
  states: RowStates;
  /** Undefined if duplicates are allowed. */
  findDuplicate: FindDuplicate | undefined;
  /** Rows known to be duplicates, each with the earlier request. */
  duplicates: ReadonlyMap<number, EarlierRequest>;
  verify: VerifyMessage;
  redactor: Pick<Redactor, 'hide' | 'text'>;
  maxErrors: MaxErrors | undefined;
  onProgress(sent: { requests: number; retries: number }): void;
  onDecision(text: string): void;
}

/** What the rows of a run share. */
export interface RowRun {
  gate: Gate;
  create: Sender<CreateReply>;
  get: Sender<RequestStatusReply>;
  describe(request: DsrRequest): Promise<SubmittedNews>;
  /** Returns the number of complete rows, which shows whether other rows succeed while one keeps failing. */
  completed(): number;
  /** Aborted to abandon even in-flight requests. */
  hardSignal: AbortSignal;
}

export interface RowTask {
  request: DsrRequest;
  /** True if an earlier run may have sent the row, so the platform is read first. */
  mayExist: boolean;
  /** True if the id comes from the file, so another request may already have it. */
  givenId: boolean;
  /** Returns the ledger entry for an id from the file. */
  known(): Promise<LedgerRequest | undefined>;
  onSend(): void;
}

/** Maximum number of sends before a row is paused, and of reads to confirm it. */
const MAX_ATTEMPTS = 5;
/** Maximum number of pauses for a row that keeps failing while others succeed. A later attempt often succeeds. */
const MAX_PAUSES = 2;
const MAX_PAUSE_MS = 15_000;
const MAX_ERROR = 300;

const BODY_NAMES = dsrEndpoints.create.names?.body ?? [];

/** Statuses of a rejection that concerns a single body. Any other rejection concerns the whole run. */
const ROW_STATUSES = new Set([400, 409, 413, 422]);

type Done = Pick<RowOutcome, 'expected_completion_time' | 'received_time'> & { state: 'submitted' | 'existing' };

/**
 * Resolves once the row is complete, or still unknown while other rows succeed. If an error ends the whole run, throws
 * it if the platform cannot have accepted the row; otherwise, the outcome contains the error.
 */
export async function sendRow(task: RowTask, run: RowRun, ports: BulkPorts): Promise<RowOutcome> {
  const { known, mayExist, onSend, request } = task;
  const { completed, create, describe, gate, get, hardSignal } = run;
  const { clock, giveUpAfterMs, options, redactor, submitter, verify } = ports;
  const id = request.subject_request_id;
  const { now } = steadyClock(clock);
  /** Time since which other rows have succeeded while this one has not. */
  let begun = now();
  let isRepeat = false;
  let failures = 0;
  let pauses = 0;
  let signed = true;
  let signature: SignatureFacts | undefined;
  /** Number of responses that show that the platform works. */
  let answers = 0;
  /** True if only this row can have used the id. */
  let isFree = !task.givenId;
  /** The last response was a 201 with our id. If its signature is not valid, a GET must confirm the row. */
  let isCreated = false;
  let isConfirmed = false;
  let difference: string | undefined;
  /** True if a POST of this run may have arrived without a conclusive response. */
  let mayHaveArrived = false;
  const unknownState = () => (difference === undefined ? 'unknown' : 'differs');

  return await sendUntilKnown().catch((error: unknown) => {
    const ended = (error instanceof RunOver ? error.cause : error) as Error;
    if (!mayHaveArrived) throw ended;
    const text = `The outcome of request ${id} is unknown: the run ended before the platform confirmed it.`;
    return { state: unknownState(), error: text, signed, ended };
  });

  async function sendUntilKnown(): Promise<RowOutcome> {
    for (let wasSent = mayExist; ; wasSent = true) {
      const before = completed() + answers;
      const outcome = await confirm(wasSent);
      if (outcome.state === 'done') return { ...outcome.result, signed, ...(signature && { signature }) };
      hardSignal.throwIfAborted();
      const state = outcome.state === 'unknown' ? unknownState() : 'failed';
      const triedMs = now() - begun;
      const mayPause = failures > 0 && pauses < MAX_PAUSES && triedMs < giveUpAfterMs && gate.paused < MAX_PAUSED;
      // If no row succeeds, the platform is down, and the gate gives up after a while.
      if (state === 'unknown' && completed() + answers === before) begun = now();
      else if (state === 'unknown' && mayPause) {
        pauses++;
        await gate.pauseRow(Math.min(triedMs, MAX_PAUSE_MS), 'a row has failed repeatedly');
      } else
        return { state, error: redactor.text(outcome.error.message).replace(/\s+/g, ' ').slice(0, MAX_ERROR), signed };
    }
  }

  async function confirm(wasSent: boolean) {
    return await confirmWrite<Done, RequestStatusReply | undefined>(
      {
        subject: `request ${id}`,
        hint: '',
        maxSends: MAX_ATTEMPTS,
        ...(wasSent && { doubt: { wasSent } }),
        explained: [...ROW_STATUSES],
        send: post,
        isOurs: () => isConfirmed,
        read: async () => (difference === undefined ? await read() : undefined),
        isAbout: (found) => found === undefined || isSameId(found, id),
        judge: (found, doubt) => (difference === undefined ? judge(found, doubt) : { unknown: difference }),
      },
      { signal: hardSignal },
    );
  }

  async function post(): Promise<Done> {
    const sent = Buffer.from(stringifyJson(options.names.encode(request, BODY_NAMES)), 'utf8');
    const { body, headers, status, text } = await through({
      send: async () => {
        onSend();
        const before = mayHaveArrived;
        mayHaveArrived = true;
        const outcome = await create.send(sent, hardSignal);
        if (outcome.kind === 'lost' ? !outcome.wasSent : outcome.status >= 400 && !isServerTrouble(outcome.status))
          mayHaveArrived = before;
        return outcome;
      },
      endsRun: ({ status: rejected }) => !ROW_STATUSES.has(rejected),
    });
    const verdict = await verify(Object.entries(headers), Buffer.from(text, 'utf8'));
    const isValid = verdict?.valid !== false;
    signed &&= isValid;
    signature = verdict?.signature;
    isCreated = status === 201 && isSameId(body, id);
    if (isSameId(body, id)) difference = differenceIn(body, sent.toString('utf8'));
    if (isCreated) requireOurWorkspace(body);
    isConfirmed = isCreated && isValid && difference === undefined;
    return { state: 'submitted', ...timesOf(body) };
  }

  async function read(): Promise<RequestStatusReply | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        const { body } = await through({
          isRead: true,
          send: () => {
            onSend();
            return get.send(undefined, hardSignal, { requestId: id });
          },
          endsRun: ({ status }) => status !== 404,
        });
        requireOurWorkspace(body);
        return body;
      } catch (error) {
        if (!(error instanceof KnownError)) throw error;
        if (isNotFound(error)) return undefined;
        const isUnreadable = error.status !== undefined && error.status < 300;
        if (isUnreadable || attempt >= MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** If the credentials are for another workspace, every other row would also be sent there, so this ends the run. */
  function requireOurWorkspace(body: CreateReply | RequestStatusReply): void {
    try {
      checkWorkspace(body, submitter.workspace_id);
    } catch (error) {
      endRun(error);
    }
  }

  async function judge(found: RequestStatusReply | undefined, doubt: Doubt): Promise<Judgement<Done>> {
    if (found === undefined) {
      isFree = true;
      return judgeMissing(doubt, !task.givenId);
    }
    if (isFree || isCreated) return { done: { state: 'submitted', ...timesOf(found) } };
    const proof = proofOf(found, request, await describe(request), await known());
    if (proof === 'other') return idTaken(id, proof);
    if (proof === 'none') return { unknown: "there is no proof that the platform's request with this id is this one" };
    return { done: { state: doubt.wasSent ? 'submitted' : 'existing', ...timesOf(found) } };
  }

  /** Waits after each 429. Throws KnownError for a lost response or a rejection, and RunOver when the run ends. */
  async function through<Body>(wanted: Omit<GatedRequest<Body>, 'isRepeat' | 'failures'>) {
    for (let wasBusy = false; ; wasBusy = true) {
      const outcome = await sendThrough(gate, { ...wanted, isRepeat, failures }).catch(endRun);
      isRepeat = true;
      const isLost = outcome.kind === 'lost';
      const isRejected = outcome.kind === 'rejected';
      const isTrouble = isLost ? outcome.failure.status === undefined : isServerTrouble(outcome.status);
      if (isTrouble) failures++;
      else answers++;
      // An unreadable 2xx also shows that the platform works, so it does not count as a failure.
      if (!isTrouble && !isRejected) failures = 0;
      if (outcome.kind === 'accepted') return outcome;
      if (isRejected && outcome.status === 429) continue;
      throw isTrouble || isLost || wasBusy ? lossOf(outcome.failure) : outcome.failure;
    }
  }
}

/** Carries an error out of a single row's confirmation if the error ends the whole run. */
class RunOver extends Error {}

function endRun(cause: unknown): never {
  throw new RunOver('the run has ended', { cause });
}

function timesOf(body: CreateReply | RequestStatusReply): Pick<Done, 'expected_completion_time' | 'received_time'> {
  const { expected_completion_time: expected, received_time: received } = body;
  return { expected_completion_time: expected ?? null, received_time: typeof received === 'string' ? received : null };
}
