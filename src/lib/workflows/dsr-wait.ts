// Waits for requests to reach a status. The pauses grow, because most requests take days.
import { hasReached } from '../domain/dsr/statuses.ts';
import type { RequestOverview } from '../domain/dsr/overview.ts';
import { KnownError } from '../kernel/errors.ts';
import type { DsrPorts } from './dsr-ports.ts';
import { readRequests } from './dsr-read.ts';
import { fail } from '../errors/fail.ts';

export interface WaitOptions {
  until: string;
  /** Called after every read. */
  onState(requests: readonly RequestOverview[]): Promise<void>;
}

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 5 * 60_000;
const GROWTH = 1.5;

/**
 * Returns once every request has reached or passed the status. Throws conflict (6) if a request can no longer reach
 * that status. If the signal is aborted, throws its reason (130, or 11 for `--timeout`) with the command to continue.
 */
export async function waitForRequests(ids: readonly string[], { until, onState }: WaitOptions, ports: DsrPorts) {
  try {
    return await watch(ids, ports, onState, (requests) => {
      const lost = requests.find(({ request_status: status }) => hasReached(status, until) === 'impossible');
      if (lost)
        throw fail('dsr.unreachable_status', {
          message: `Request ${lost.subject_request_id} is ${lost.request_status}; it cannot become ${until}.`,
        });
      return requests.every(({ request_status: status }) => hasReached(status, until) === 'reached');
    });
  } catch (error) {
    if (!ports.signal.aborted || !(error instanceof KnownError)) throw error;
    throw error.with({
      hint: {
        text: 'To continue waiting:',
        command: `cdpadm dsr wait ${ids.join(' ')}${until === 'completed' ? '' : ` --until ${until}`}`,
      },
    });
  }
}

/** Reads the requests repeatedly until `isOver` returns true. */
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
