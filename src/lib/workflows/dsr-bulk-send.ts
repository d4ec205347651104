// One row of a bulk run, from its journaled id to a confirmed state; the gate says when each request may go.
import type { CreateReply, DsrRequest, RequestStatusReply } from '../contract/dsr.ts';
import type { Sender } from '../api/dsr.ts';
import { isServerTrouble } from '../contract/failures.ts';
import type { LedgerRequest, SubmittedNews } from '../domain/dsr/ledger.ts';
import type { Clock } from '../kernel/clock.ts';
import { KnownError, isNotFound } from '../kernel/errors.ts';
import type { Gate } from '../bulk/gate.ts';
import { confirmWrite, lossOf } from './confirm-write.ts';
import type { SignatureFacts } from '../domain/callbacks/verify.ts';
import type { VerifyMessage } from './dsr-ports.ts';
import { idTaken, isSameId, proofOf } from './dsr-proof.ts';
import { checkWorkspace } from './own-workspace.ts';
import { type GatedRequest, type Refused, sendThrough } from './gated-send.ts';

export interface RowOutcome {
  state: 'submitted' | 'existing' | 'failed' | 'unknown';
  /** Why it failed or is unknown, with nothing personal in it. */
  error?: string;
  /** Of the platform's response; null where it has none. */
  expected_completion_time?: string | null;
  received_time?: string | null;
  /** False only when a signature was checked and did not fit. */
  signed: boolean;
  signature?: SignatureFacts;
}

export interface RowPorts {
  gate: Gate;
  create: Sender<CreateReply>;
  get: Sender<RequestStatusReply>;
  /** The workspace of the requests. */
  workspace: string;
  /** The wire's bytes of a request. */
  encode(request: DsrRequest): Buffer;
  verify: VerifyMessage;
  /** Its ledger entry. */
  describe(request: DsrRequest): Promise<SubmittedNews>;
  /** How many rows are complete: whether others succeed while one does not. */
  completed(): number;
  clock: Clock;
  /** Aborted when what is under way is given up as well. */
  hardSignal: AbortSignal;
}

export interface RowTask {
  request: DsrRequest;
  /** An earlier run may have sent it: the platform is asked first. */
  mayExist: boolean;
  /** The id is from the file: another request may have it. */
  givenId: boolean;
  /** The ledger entry of an id from the file. */
  known(): Promise<LedgerRequest | undefined>;
  /** Called before each request of the row goes out. */
  onSend(): void;
}

/** Sends of one row, and reads that confirm it. */
const MAX_ATTEMPTS = 5;

/** Rejections of one body; any other rejection is about the whole run. */
const ROW_STATUSES = new Set([400, 409, 413, 422]);

type Done = Pick<RowOutcome, 'expected_completion_time' | 'received_time'> & { state: 'submitted' | 'existing' };

/** Resolves when the row is complete, or unknown while others succeed. Throws what ends the whole run. */
export async function sendRow(task: RowTask, ports: RowPorts): Promise<RowOutcome> {
  const { givenId, mayExist, onSend, request } = task;
  const { clock, create, gate, get, hardSignal } = ports;
  const id = request.subject_request_id;
  let isRepeat = false;
  let failures = 0;
  let signed = true;
  let signature: SignatureFacts | undefined;
  let isWhole = false;
  /** Answers of this row that were no trouble of the platform. */
  let answers = 0;
  // Once the id is known to be free, only this row can have taken it.
  let isFree = !givenId;
  // A 201 about our id whose signature does not fit: a read decides, and the warning counts it.
  let isCreated = false;

  /** Waits out each 429. Throws a loss or a rejection as KnownError, and RunOver when the run ends. */
  async function through<Body>(wanted: Omit<GatedRequest<Body>, 'isRepeat' | 'failures'>) {
    for (let wasBusy = false; ; wasBusy = true) {
      const outcome = await sendThrough(gate, clock, { ...wanted, isRepeat, failures }).catch((error: unknown) => {
        throw new RunOver(error);
      });
      isRepeat = true;
      if (outcome.kind === 'accepted') {
        answers++;
        failures = 0;
        return outcome;
      }
      const { failure } = outcome;
      // A 2xx that proves nothing is an answer, too: the same request would meet with the same.
      if (failure.status !== undefined && !isServerTrouble(failure.status)) answers++;
      if (outcome.kind === 'lost' || isServerTrouble(outcome.status)) {
        failures++;
        throw lossOf(failure);
      }
      if (outcome.status === 429) continue;
      throw wasBusy ? lossOf(failure) : failure;
    }
  }

  async function read(): Promise<RequestStatusReply | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        const outcome = await through({
          isRead: true,
          send: () => {
            onSend();
            return get.send(undefined, hardSignal, { requestId: id });
          },
          endsRun: ({ status }: Refused) => status !== 404,
        });
        return outcome.body;
      } catch (error) {
        if (!(error instanceof KnownError)) throw error;
        if (isNotFound(error)) return undefined;
        const isUnreadable = error.status !== undefined && error.status < 300;
        if (isUnreadable || attempt >= MAX_ATTEMPTS) throw error;
      }
    }
  }

  const confirm = (wasSent: boolean) =>
    confirmWrite<Done, RequestStatusReply | undefined>(
      {
        subject: `request ${id}`,
        hint: '',
        maxSends: MAX_ATTEMPTS,
        ...(wasSent && { doubt: { wasSent } }),
        explained: [...ROW_STATUSES],
        send: async () => {
          const { body, headers, status, text } = await through({
            send: () => {
              onSend();
              return create.send(ports.encode(request), hardSignal);
            },
            endsRun: ({ status }: Refused) => !ROW_STATUSES.has(status),
          });
          const verdict = await ports.verify(Object.entries(headers), Buffer.from(text, 'utf8'));
          if (verdict?.valid === false) signed = false;
          signature = verdict?.signature;
          isCreated = status === 201 && isSameId(body, id);
          if (isCreated) endRunUnless(() => checkWorkspace(body, ports.workspace));
          isWhole = isCreated && verdict?.valid !== false;
          return { state: 'submitted', ...timesOf(body) };
        },
        isOurs: () => isWhole,
        read,
        isAbout: (found) => found === undefined || isSameId(found, id),
        judge: async (found, doubt) => {
          if (found === undefined) {
            isFree = true;
            return 'not-done';
          }
          if (isFree || isCreated) return { done: { state: 'submitted', ...timesOf(found) } };
          switch (proofOf(found, request, await ports.describe(request), await task.known())) {
            case 'same':
              return { done: { state: doubt.wasSent ? 'submitted' : 'existing', ...timesOf(found) } };
            case 'other':
              return idTaken(id, 'other');
            case 'none':
              return { unknown: 'nothing proves that the request with this id on the platform is this one' };
          }
        },
      },
      { signal: hardSignal },
    );

  try {
    for (let wasSent = mayExist; ; wasSent = true) {
      const before = ports.completed() + answers;
      const outcome = await confirm(wasSent);
      if (hardSignal.aborted) throw new RunOver(hardSignal.reason);
      if (outcome.state === 'done') return { ...outcome.result, signed, ...(signature && { signature }) };
      // While nothing succeeds the platform is down: the gate decides when to give up.
      if (outcome.state === 'unknown' && ports.completed() + answers === before) continue;
      const state = outcome.state === 'unknown' ? 'unknown' : 'failed';
      return { state, error: scrubbed(outcome.error.message, request), signed };
    }
  } catch (error) {
    throw error instanceof RunOver ? error.reason : error;
  }
}

/** The credentials of the run are wrong as a whole: no further row may go out. */
function endRunUnless(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new RunOver(error);
  }
}

/** Carries what ends the whole run past the confirmation of one row. */
class RunOver extends Error {
  readonly reason: unknown;
  constructor(reason: unknown) {
    super('the run is over');
    this.reason = reason;
  }
}

function timesOf(body: CreateReply | RequestStatusReply): Pick<Done, 'expected_completion_time' | 'received_time'> {
  const { expected_completion_time: expected, received_time: received } = body;
  return { expected_completion_time: expected ?? null, received_time: typeof received === 'string' ? received : null };
}

const MAX_ERROR = 300;

/** A rejection may quote what it rejects. */
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
