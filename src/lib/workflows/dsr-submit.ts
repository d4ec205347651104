// One request from its checked body to what the platform says of it: written down first, sent once, settled by reading.
import { isDeepStrictEqual } from 'node:util';
import type { DsrRequest } from '../contract/dsr.ts';
import type { Verdict } from '../domain/callbacks/verify.ts';
import { identitiesOf, skipsWaiting } from '../domain/dsr/settle.ts';
import { isOpen } from '../domain/dsr/statuses.ts';
import { CliError, EXIT } from '../kernel/errors.ts';
import { isoMillis } from '../kernel/timestamps.ts';
import type { DsrPorts, LedgerEntry, LedgerNews, Sender, VerifyMessage } from './dsr-ports.ts';
import { isLoss, type Look, lookAfter, settle } from './lost-answer.ts';

export interface Submitted {
  id: string;
  status: string;
  expected_completion_time: string | null;
  received_time: string | null;
  controller_id: string | null;
  /** Of the 201; undefined when there was none to check, or when it could not be checked. */
  verdict: Verdict | undefined;
}

/** An answer that is lost time and again is not waited for for ever. */
const MOST_SENDS = 3;

type SubmitPorts = DsrPorts & { verify: VerifyMessage; isNewId?: boolean };

/**
 * Sends one request whose id stands in the ledger before anything is sent. A lost answer is settled by GET; "already
 * exists" is success for a request that went out from here with the same content. `isNewId`: nobody else can have made
 * a request of this id. Throws CliError; network (8) when nobody can tell what became of it.
 */
export async function submitRequest(request: DsrRequest, ports: SubmitPorts): Promise<Submitted> {
  const { clock, ledger, signal, tell } = ports;
  const id = request.subject_request_id;
  const news = await submittedEvent(request, ports.sender, ledger, clock.now());
  // An id that was made a moment ago can be in no ledger, which may be long.
  const before = ports.isNewId === true ? undefined : (await ledger.find([id])).get(id);
  const isOurs = before !== undefined && isSameRequest(before, news);
  await ledger.record([news]);
  const look: Look<Submitted | undefined> = {
    read: () => read(id, ports),
    unknown: (reason) => ({
      message: `It is not known whether the platform has request ${id}: the answer was lost, and ${reason}.`,
      hint: `\`cdpadm dsr status ${id}\` tells. The same command with --request-id ${id} cannot make a second request.`,
    }),
  };
  const submitted = await settle<Submitted, Submitted | undefined>(
    {
      ...look,
      mostSends: MOST_SENDS,
      send: async (count) => {
        try {
          return await create(request, ports);
        } catch (error) {
          if (isLoss(error) || !(error instanceof CliError)) throw error;
          const mayExist = error.status === 400 && (isOurs || count > 1);
          const found = mayExist ? await lookAfter(error, look, signal) : undefined;
          if (found) {
            tell.note('The platform has this request already.');
            return found;
          }
          if (mayExist) throw error;
          if (error.status !== undefined && error.exit !== EXIT.auth && !isOurs) await refused(id, ports);
          throw error.status === 409 ? await sameIsOpen(error, news, ports) : error;
        }
      },
      judge: (found) => (found ? { done: found } : 'not done'),
      told: {
        lost: 'The answer was lost; asking the platform whether it has the request.',
        arrived: () => 'The request had arrived.',
      },
    },
    ports,
  );
  await record(submitted, ports);
  return submitted;
}

async function create(request: DsrRequest, { api, signal, verify }: SubmitPorts): Promise<Submitted> {
  const reply = await api.create(request, signal);
  const verdict = await verify(Object.entries(reply.headers), Buffer.from(reply.text, 'utf8'));
  const { controller_id: controller, expected_completion_time, received_time } = reply.body;
  return {
    id: request.subject_request_id,
    status: 'pending',
    expected_completion_time: expected_completion_time ?? null,
    received_time: received_time ?? null,
    controller_id: controller === null || controller === undefined ? null : String(controller),
    verdict,
  };
}

/** The line that the ledger has of a request before it is sent. */
export async function submittedEvent(
  request: DsrRequest,
  sender: Sender,
  ledger: Pick<DsrPorts['ledger'], 'hash'>,
  now: number,
): Promise<Extract<LedgerNews, { event: 'submitted' }>> {
  const hashes = await Promise.all(
    identitiesOf(request).map(async ([type, value]) => [type, await ledger.hash(type, value)] as const),
  );
  return {
    event: 'submitted',
    id: request.subject_request_id,
    at: isoMillis(now),
    ...sender,
    regulation: request.regulation,
    subject_request_type: request.subject_request_type,
    submitted_time: request.submitted_time,
    skip_waiting_period: skipsWaiting(request),
    group_id: request.group_id ?? null,
    identities: Object.fromEntries(hashes),
  };
}

function isSameRequest(before: LedgerEntry, news: Extract<LedgerNews, { event: 'submitted' }>): boolean {
  return before.regulation === news.regulation && isSameSubject(before, news);
}

/** What the platform compares, too, before it answers 409. */
function isSameSubject(
  before: Omit<LedgerEntry, 'states'>,
  news: Extract<LedgerNews, { event: 'submitted' }>,
): boolean {
  return (
    before.address === news.address &&
    before.workspace_id === news.workspace_id &&
    before.subject_request_type === news.subject_request_type &&
    isDeepStrictEqual(before.identities, news.identities)
  );
}

/** The refusal (409) with what to do: the open request is named where it went out from here. */
async function sameIsOpen(
  error: CliError,
  news: Extract<LedgerNews, { event: 'submitted' }>,
  { ledger }: DsrPorts,
): Promise<CliError> {
  const { requests } = await ledger.newest({
    limit: 1,
    belongs: (event) => event.id !== news.id && isSameSubject(event, news),
    isOpen,
  });
  const [open] = requests;
  const where =
    open === undefined
      ? 'The ledger of this machine has none such: ask whoever submits requests besides; `cdpadm dsr list --group-id ID` lists those of a group.'
      : `It went out from here on ${open.at ?? 'an earlier day'}: see \`cdpadm dsr status ${open.id}\`.`;
  return error.with({
    hint: `A request about the same identities is open and answers this one too; submit again once it is at its end. ${where}`,
  });
}

async function record(result: Submitted, { clock, ledger }: DsrPorts): Promise<void> {
  const { id, status, expected_completion_time, received_time } = result;
  const at = isoMillis(clock.now());
  await ledger.record([{ event: 'state', id, at, status, source: 'submit', expected_completion_time, received_time }]);
}

async function refused(id: string, { clock, ledger }: DsrPorts): Promise<void> {
  await ledger.record([{ event: 'state', id, at: isoMillis(clock.now()), status: 'refused', source: 'submit' }]);
}

async function read(id: string, { api, signal }: DsrPorts): Promise<Submitted | undefined> {
  try {
    const found = await api.get(id, signal);
    const { controller_id: controller, expected_completion_time: expected, request_status: status } = found;
    return {
      id,
      status,
      expected_completion_time: expected ?? null,
      received_time: null,
      controller_id: controller === null || controller === undefined ? null : String(controller),
      verdict: undefined,
    };
  } catch (error) {
    if (error instanceof CliError && error.status === 404) return undefined;
    throw error;
  }
}
