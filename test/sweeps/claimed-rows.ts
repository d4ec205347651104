// Checks a bulk run's results file, rejects and counts against the platform, row by row.
import type { ProxiedRequest } from '../helpers/fault-proxy.ts';
import type { Evidence } from './claims-judge.ts';
import { wasAccepted } from './operations.ts';
import type { Holdings } from './holdings.ts';

/** Returns the false claims about rows; empty for other commands. */
export function falseRows(evidence: Evidence): string[] {
  const { wanted } = evidence;
  if (wanted.command === 'seed bulk') return falseSeeds(evidence);
  return wanted.command === 'dsr submit' && wanted.args.includes('--bulk') ? falseRequests(evidence) : [];
}

type Row = Record<string, string>;

/** Splits simple CSV. Only the error cell, which is last, may contain a delimiter or a quote; it is then incomplete. */
function rowsOf(text: string): Row[] {
  const [head = '', ...lines] = text.trimEnd().split(/\r?\n/);
  const names = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, index) => [names[index] ?? 'more', cell])));
}

interface Counts {
  rows?: number;
  submitted?: number;
  existing?: number;
  failed?: number;
  skipped?: number;
  unknown?: number;
  results?: string;
  accepted?: number;
  rejected?: number;
}

function countsOf(stdout: string): Counts | undefined {
  try {
    return JSON.parse(stdout) as Counts;
  } catch {
    return undefined;
  }
}

/** True if the platform has a request with this id about this person. */
function isHeld(after: Holdings, { email, subject_request_id: id }: Row): boolean {
  return after.get(`request ${id ?? ''}`)?.includes(JSON.stringify(email ?? '')) === true;
}

function falseRequests({ after, before, files, outcome }: Evidence): string[] {
  const problems: string[] = [];
  const counts = countsOf(outcome.stdout);
  const named = [...files.after].filter(([name]) => /\.results(-\d+)?\.csv$/.test(name));
  const results = (named.find(([name]) => counts?.results?.endsWith(`/${name}`) === true) ?? named.at(-1))?.[1];
  const count = { submitted: 0, existing: 0, failed: 0, skipped: 0, unknown: 0 };
  for (const row of results === undefined ? [] : rowsOf(results)) {
    const { email = '', error = '', status = '', subject_request_id: id = '' } = row;
    if (status in count) count[status as keyof typeof count]++;
    const isDone = status === 'submitted' || status === 'existing';
    if (isDone && !isHeld(after, row)) problems.push(`row ${email} is ${status}, and the platform does not have it`);
    if (status === 'failed' && isHeld(after, row) && !isHeld(before, row))
      problems.push(`row ${email} failed (${error}), and the platform has ${id}`);
  }
  if (results === undefined && counts !== undefined) problems.push('counts rows without a results file');
  if (results !== undefined && counts !== undefined) {
    // A resumed run counts earlier runs' rows as skipped.
    const doneBefore = counts.skipped ?? 0;
    if (doneBefore > 0) {
      count.submitted = counts.submitted ?? 0;
      count.existing = counts.existing ?? 0;
      count.skipped = doneBefore;
    }
    for (const [status, rows] of Object.entries(count)) {
      const claimed = counts[status as keyof typeof count] ?? 0;
      if (claimed !== rows) problems.push(`counts ${claimed} ${status}, and its file has ${rows}`);
    }
  }
  const done = (counts?.submitted ?? 0) + (counts?.existing ?? 0) + (counts?.skipped ?? 0);
  if (outcome.code === 0 && counts !== undefined && done !== counts.rows)
    problems.push(`exit 0, and not every row is done: ${outcome.stdout}`);
  return [...problems, ...duplicateRequests(before, after)];
}

/** Returns new requests about a person who has another new request: both would be carried out. */
function duplicateRequests(before: Holdings, after: Holdings): string[] {
  const fresh = [...after].filter(([name]) => name.startsWith('request ') && !before.has(name)).map(([, value]) => value);
  return fresh.filter((value, index) => fresh.indexOf(value) < index).map((value) => `submitted twice: ${value}`);
} // prettier-ignore

const ID = /"xpid":\s*(\d+)/g;
const idsOf = (text: string): string[] => [...text.matchAll(ID)].map(([, id]) => String(id));

function falseSeeds({ after, before, files, outcome, requests }: Evidence): string[] {
  const problems: string[] = [];
  const counts = countsOf(outcome.stdout);
  const isBulk = ({ target }: ProxiedRequest): boolean => target.startsWith('/v2/bulkcalculatedattributes');
  const accepted = new Set(requests.filter((one) => isBulk(one) && wasAccepted(one)).flatMap(({ body }) => idsOf(body)));
  const { accepted: claimed = 0, rejected = 0, rows = 0, unknown = 0 } = counts ?? {};
  if (claimed > accepted.size) problems.push(`counts ${claimed} accepted, and the platform accepted ${accepted.size}`);
  const listed = [...files.after].find(([name]) => name.endsWith('.rejects.ndjson'))?.[1] ?? '';
  const lines = listed.split('\n').filter((line) => line !== '');
  if (counts !== undefined && lines.length !== rejected + unknown) problems.push(`counts ${rejected} rejected and ${unknown} unknown, and lists ${lines.length}`);
  for (const line of lines.filter((text) => !/unknown/i.test(text))) {
    for (const id of idsOf(line)) {
      const cell = `profile xpid=${id}`;
      if (after.get(cell) !== before.get(cell)) problems.push(`row ${id} is rejected, and the platform has it`);
    }
  }
  if (outcome.code === 0 && claimed !== rows) problems.push(`exit 0, and not every row is accepted: ${outcome.stdout}`);
  return problems;
} // prettier-ignore
