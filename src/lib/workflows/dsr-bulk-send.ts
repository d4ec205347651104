// Sends one row of a bulk run, from its journaled id to a confirmed state. The gate decides when each request may go.
import type { CreateReply, DsrRequest, RequestStatusReply } from '../contract/dsr.ts';
import type { Sender } from '../api/dsr.ts';
import { isServerTrouble } from '../contract/failures.ts';
import type { LedgerRequest, SubmittedNews } from '../domain/dsr/ledger.ts';
import type { Clock } from '../kernel/clock.ts';
import { KnownError, isNotFound } from '../kernel/errors.ts';
import type { Gate } from '../bulk/gate.ts';
import { confirmWrite, type Judgement, lossOf } from './confirm-write.ts';
import type { SignatureFacts } from '../domain/callbacks/verify.ts';
import type { VerifyMessage } from './dsr-ports.ts';
import { checkWorkspace, idTaken, isSameId, proofOf } from './dsr-proof.ts';
import { type GatedRequest, sendThrough } from './gated-send.ts';

export interface RowOutcome {
  state: 'submitted' | 'existing' | 'failed' | 'unknown';
  /** The reason why the row failed or is unknown, without personal data. */
  error?: string;
  /** The time in the platform's response; null if the response has none. */
  expected_completion_time?: string | null;
  received_time?: string | null;
  /** False only if a signature was checked and is invalid. */
  signed: boolean;
  signature?: SignatureFacts;
}

export interface RowPorts {
  gate: Gate;
  create: Sender<CreateReply>;
  get: Sender<RequestStatusReply>;
  /** The workspace of the requests. */
  workspace: string;
  /** The bytes of a request in its wire format. */
  encode(request: DsrRequest): Buffer;
  verify: VerifyMessage;
  /** The ledger entry of a request. */
  describe(request: DsrRequest): Promise<SubmittedNews>;
  /** The number of complete rows. The number shows if others succeed while one does not. */
  completed(): number;
  clock: Clock;
  /** Aborted when even requests in progress are abandoned. */
  hardSignal: AbortSignal;
}

export interface RowTask {
  request: DsrRequest;
  /** True if an earlier run may have sent the row, so that the platform is read first. */
  mayExist: boolean;
  /** True if the id is from the file, so that another request may already have it. */
  givenId: boolean;
  /** The ledger entry for an id from the file. */
  known(): Promise<LedgerRequest | undefined>;
  /** Called before each request of the row is sent. */
  onSend(): void;
}

/** The maximum number of times that one row is sent, and of reads that confirm it. */
const MAX_ATTEMPTS = 5;

/** The statuses of a rejection that concerns one body. Any other rejection concerns the whole run. */
const ROW_STATUSES = new Set([400, 409, 413, 422]);

type Done = Pick<RowOutcome, 'expected_completion_time' | 'received_time'> & { state: 'submitted' | 'existing' };

/** Resolves once the row is complete, or unknown while others succeed. Throws the error that ends the whole run. */
export async function sendRow(task: RowTask, ports: RowPorts): Promise<RowOutcome> {
  try {
    return await new RowSend(task, ports).run();
  } catch (error) {
    throw error instanceof RunOver ? error.reason : error;
  }
}

class RowSend {
  readonly #task: RowTask;
  readonly #ports: RowPorts;
  readonly #id: string;
  #isRepeat = false;
  #failures = 0;
  #signed = true;
  #signature: SignatureFacts | undefined;
  /** The number of responses that show that the platform works. */
  #answers = 0;
  /** True if only this row can have used the id. */
  #isFree: boolean;
  /** True if a 201 contains our id. If the signature is invalid, a read decides, and the warning counts the row. */
  #isCreated = false;

  constructor(task: RowTask, ports: RowPorts) {
    this.#task = task;
    this.#ports = ports;
    this.#id = task.request.subject_request_id;
    this.#isFree = !task.givenId;
  }

  async run(): Promise<RowOutcome> {
    const { completed, hardSignal } = this.#ports;
    for (let wasSent = this.#task.mayExist; ; wasSent = true) {
      const before = completed() + this.#answers;
      const outcome = await this.#confirm(wasSent);
      if (hardSignal.aborted) throw new RunOver(hardSignal.reason);
      const signed = this.#signed;
      if (outcome.state === 'done')
        return { ...outcome.result, signed, ...(this.#signature && { signature: this.#signature }) };
      // While no row succeeds, the platform is down, and the gate decides when to give up.
      if (outcome.state === 'unknown' && completed() + this.#answers === before) continue;
      const state = outcome.state === 'unknown' ? 'unknown' : 'failed';
      return { state, error: scrubbed(outcome.error.message, this.#task.request), signed };
    }
  }

  async #confirm(wasSent: boolean) {
    let isWhole = false;
    return await confirmWrite<Done, RequestStatusReply | undefined>(
      {
        subject: `request ${this.#id}`,
        hint: '',
        maxSends: MAX_ATTEMPTS,
        ...(wasSent && { doubt: { wasSent } }),
        explained: [...ROW_STATUSES],
        send: async () => {
          const { body, isValid } = await this.#create();
          isWhole = this.#isCreated && isValid;
          return { state: 'submitted', ...timesOf(body) };
        },
        isOurs: () => isWhole,
        read: () => this.#read(),
        isAbout: (found) => found === undefined || isSameId(found, this.#id),
        judge: (found, doubt) => this.#judge(found, doubt.wasSent),
      },
      { signal: this.#ports.hardSignal },
    );
  }

  async #create(): Promise<{ body: CreateReply; isValid: boolean }> {
    const { create, encode, hardSignal, verify, workspace } = this.#ports;
    const { onSend, request } = this.#task;
    const { body, headers, status, text } = await this.#through({
      send: () => {
        onSend();
        return create.send(encode(request), hardSignal);
      },
      endsRun: ({ status: refused }) => !ROW_STATUSES.has(refused),
    });
    const verdict = await verify(Object.entries(headers), Buffer.from(text, 'utf8'));
    const isValid = verdict?.valid !== false;
    if (!isValid) this.#signed = false;
    this.#signature = verdict?.signature;
    this.#isCreated = status === 201 && isSameId(body, this.#id);
    if (this.#isCreated) endRunUnless(() => checkWorkspace(body, workspace));
    return { body, isValid };
  }

  async #read(): Promise<RequestStatusReply | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        const { body } = await this.#through({
          isRead: true,
          send: () => {
            this.#task.onSend();
            return this.#ports.get.send(undefined, this.#ports.hardSignal, { requestId: this.#id });
          },
          endsRun: ({ status }) => status !== 404,
        });
        return body;
      } catch (error) {
        if (!(error instanceof KnownError)) throw error;
        if (isNotFound(error)) return undefined;
        const isUnreadable = error.status !== undefined && error.status < 300;
        if (isUnreadable || attempt >= MAX_ATTEMPTS) throw error;
      }
    }
  }

  async #judge(found: RequestStatusReply | undefined, wasSent: boolean): Promise<Judgement<Done>> {
    const { known, request } = this.#task;
    if (found === undefined) {
      this.#isFree = true;
      return 'not-done';
    }
    if (this.#isFree || this.#isCreated) return { done: { state: 'submitted', ...timesOf(found) } };
    switch (proofOf(found, request, await this.#ports.describe(request), await known())) {
      case 'same':
        return { done: { state: wasSent ? 'submitted' : 'existing', ...timesOf(found) } };
      case 'other':
        return idTaken(this.#id, 'other');
      case 'none':
        return { unknown: "there is no proof that the platform's request with this id is this one" };
    }
  }

  /** Waits after each 429. Throws a loss or a rejection as KnownError, and RunOver when the run ends. */
  async #through<Body>(wanted: Omit<GatedRequest<Body>, 'isRepeat' | 'failures'>) {
    const { clock, gate } = this.#ports;
    for (let wasBusy = false; ; wasBusy = true) {
      const request = { ...wanted, isRepeat: this.#isRepeat, failures: this.#failures };
      const outcome = await sendThrough(gate, clock, request).catch((error: unknown) => {
        throw new RunOver(error);
      });
      this.#isRepeat = true;
      if (outcome.kind === 'accepted') {
        this.#answers++;
        this.#failures = 0;
        return outcome;
      }
      const { failure } = outcome;
      // An unreadable 2xx also shows that the platform works, because a retry would get the same response.
      if (failure.status !== undefined && !isServerTrouble(failure.status)) this.#answers++;
      if (outcome.kind === 'lost' || isServerTrouble(outcome.status)) {
        this.#failures++;
        throw lossOf(failure);
      }
      if (outcome.status === 429) continue;
      throw wasBusy ? lossOf(failure) : failure;
    }
  }
}

/** If the check fails, the credentials of the run are wrong, so no more rows may be sent. */
function endRunUnless(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new RunOver(error);
  }
}

/** Carries an error that ends the whole run out of the confirmation of a single row. */
class RunOver extends Error {
  readonly reason: unknown;
  constructor(reason: unknown) {
    super('the run has ended');
    this.reason = reason;
  }
}

function timesOf(body: CreateReply | RequestStatusReply): Pick<Done, 'expected_completion_time' | 'received_time'> {
  const { expected_completion_time: expected, received_time: received } = body;
  return { expected_completion_time: expected ?? null, received_time: typeof received === 'string' ? received : null };
}

const MAX_ERROR = 300;

/** Removes values of the request from a message, because a rejection may quote what it rejects. */
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
