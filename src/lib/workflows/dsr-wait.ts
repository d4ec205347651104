// Waits for requests to reach a status. The pauses grow, because most requests take days.
import { hasReached } from '../domain/dsr/statuses.ts';
import type { RequestOverview } from '../domain/dsr/overview.ts';
import { isNotFound, KnownError } from '../kernel/errors.ts';
import type { DsrPorts } from './dsr-ports.ts';
import { readRequests } from './dsr-read.ts';
import { retryWhileNotFound } from './retry-while-not-found.ts';
import { fail } from '../errors/fail.ts';

export interface WaitOptions {
  until: string;
  /** True for a request that was just submitted. The platform may not show it yet. */
  isNew?: boolean;
  onState(requests: readonly RequestOverview[]): Promise<void>;
}

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 5 * 60_000;
const GROWTH = 1.5;

/**
 * Returns once every request has reached or passed the status. Throws conflict (6) if a request can no longer reach
 * that status. Other errors, and the reason of an aborted signal (130, or 11 for `--timeout`), include the command to
 * continue. With `isNew`, every error states that the request was submitted.
 */
export async function waitForRequests(
  ids: readonly string[],
  { isNew = false, onState, until }: WaitOptions,
  ports: DsrPorts,
) {
  const { api, signal } = ports;
  const get: typeof api.get = (id) => retryWhileNotFound(() => api.get(id, signal), FIRST_PAUSE_MS, ports);
  try {
    return await watch(ids, isNew ? { ...ports, api: { ...api, get } } : ports, onState, (requests) => {
      const lost = requests.find(({ request_status: status }) => hasReached(status, until) === 'impossible');
      if (lost)
        throw fail('dsr.unreachable_status', {
          message: `Request ${lost.subject_request_id} is ${lost.request_status}; it cannot become ${until}.`,
        });
      return requests.every(({ request_status: status }) => hasReached(status, until) === 'reached');
    });
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    const isOver = error.code === 'dsr.unreachable_status' || (isNotFound(error) && !isNew);
    const command = `cdpadm dsr wait ${ids.join(' ')}${until === 'completed' ? '' : ` --until ${until}`}`;
    // Hints such as "Run the command again" would submit a new request twice.
    const hints = signal.aborted || isNew ? [] : error.hints;
    throw error.with({
      hint: isOver ? error.hints : [...hints, { text: 'To continue waiting:', command }],
      ...(isNew && {
        message: `Request ${ids.join(', ')} was submitted. ${error.message}`,
        details: { ...error.details, subject_request_id: ids[0] },
      }),
    });
  }
}

export async function watch(
  ids: readonly string[],
  ports: DsrPorts,
  onState: WaitOptions['onState'],
  isOver: (requests: readonly RequestOverview[]) => boolean,
): Promise<RequestOverview[]> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * GROWTH)) {
    const requests = await readRequests(ids, ports);
    await onState(requests);
    if (isOver(requests)) return requests;
    await ports.clock.sleep(pause, ports.signal);
  }
}
