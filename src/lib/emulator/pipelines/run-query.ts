// The query of a list of runs: which page, how large, which logical dates (decision: D63).
import { WAREHOUSE_FAILURES } from '../../contract/failures.ts';
import { isCalendarDate } from '../../contract/shared.ts';
import { parseIso } from '../../kernel/timestamps.ts';
import { refuse } from '../wire/accept-body.ts';

export interface RunQuery {
  /** From 1 on. */
  page: number;
  size: number;
  /** Epoch milliseconds, both included. */
  from: number;
  to: number;
}

const DEFAULT_SIZE = 25;
const LARGEST_SIZE = 100;
const DAY_MS = 86_400_000;

/** Reads it; throws 400. A day without a time is the whole day, in UTC. */
export function readRunQuery(query: URLSearchParams): RunQuery {
  return {
    page: whole(query, 'currentPage', 1, Number.MAX_SAFE_INTEGER),
    size: whole(query, 'pageSize', DEFAULT_SIZE, LARGEST_SIZE),
    from: time(query, 'startDate', 0) ?? Number.MIN_SAFE_INTEGER,
    to: time(query, 'endDate', DAY_MS - 1) ?? Number.MAX_SAFE_INTEGER,
  };
}

function whole(query: URLSearchParams, name: string, absent: number, most: number): number {
  const text = query.get(name);
  if (text === null) return absent;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  const bound = most === Number.MAX_SAFE_INTEGER ? 'from 1 on' : `from 1 to ${most}`;
  throw refuse(WAREHOUSE_FAILURES.invalidRequest, `${name} must be a whole number ${bound}`);
}

/** `intoDay` is where in a day without a time the bound lies. */
function time(query: URLSearchParams, name: string, intoDay: number): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const at = isCalendarDate(text) ? (parseIso(`${text}T00:00:00Z`) ?? 0) + intoDay : parseIso(text);
  if (at !== undefined) return at;
  throw refuse(WAREHOUSE_FAILURES.invalidRequest, `${name} must be a day, or a time such as 2026-01-31T08:00:00Z`);
}
