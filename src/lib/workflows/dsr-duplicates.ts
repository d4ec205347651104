// Recent requests of the ledger of the same type about the same person.
import { isSamePerson, type LedgerRequest, statusAfter, type SubmittedNews } from '../domain/dsr/ledger.ts';
import type { DsrPorts } from './dsr-ports.ts';
import { readIfThere } from './dsr-submit.ts';

/** The newest request of the same type about the same person. */
export type FindDuplicate = (news: SubmittedNews) => Promise<LedgerRequest | undefined>;

/** The requests of the ledger that are read at once. */
const PART = 2000;

/**
 * Reads the requests that were submitted from `from` to `to` (milliseconds), except cancelled and rejected ones. A request
 * of unknown outcome counts if the platform has it. With `only`, the ledger is searched for the duplicates of this request.
 */
export async function readRecent(
  ports: DsrPorts,
  { from, to }: { from: number; to: number },
  only?: SubmittedNews,
): Promise<FindDuplicate> {
  const index = new Map<string, LedgerRequest[]>();
  const recent = ports.ledger.byUrgency(
    {
      belongs: (event) =>
        event.event === 'submitted' &&
        Date.parse(event.at) >= from &&
        Date.parse(event.at) < to &&
        (only === undefined || isSamePerson(event, only)),
      rank: ({ at, event }) => (event === 'submitted' ? -Date.parse(at) : undefined),
      phase: statusAfter,
      isOpen: (status) => status !== 'cancelled' && status !== 'refused',
    },
    () => PART,
  );
  for await (const { requests } of recent) {
    for (const request of requests) {
      for (const key of keysOf(request)) {
        const known = index.get(key);
        if (known) known.push(request);
        else index.set(key, [request]);
      }
    }
  }
  return async (news) => {
    for (const known of keysOf(news).flatMap((key) => index.get(key) ?? [])) {
      if (known.id === news.id) continue;
      if (known.status !== undefined || (await readIfThere(known.id, ports))) return known;
    }
    return undefined;
  };
}

function keysOf({ compared, identities, subject_request_type: type }: Partial<SubmittedNews>): string[] {
  return Object.entries({ ...identities, ...compared }).map(([name, hash]) => `${type} ${name} ${hash}`);
}
