// Judges a run of any command with any fault, by its output and by what the platform received.
import type { ProxiedRequest } from '../helpers/fault-proxy.ts';
import type { CommandCase } from './cases.ts';
import { afterLossOf, mayRepeat } from './operations.ts';
import type { Outcome } from './world.ts';

/** How often the platform accepted each write that must not be repeated, without ids and times that the program makes. */
export function operations(requests: readonly ProxiedRequest[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { answered, body, method, target } of requests) {
    if (answered === undefined || answered.status < 200 || answered.status >= 300) continue;
    if (mayRepeat(method, target)) continue;
    // A state holds the times at which it was exported.
    const said = target === '/_control/state' ? '' : body;
    const operation = withoutMadeUp(`${method} ${target} ${said}`);
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
  }
  return counts;
}

/** The calls that a run must make and may repeat. */
export function repeatable(requests: readonly ProxiedRequest[]): Set<string> {
  const made = requests.filter(({ answered, method, target }) => {
    const isWrite = method !== 'GET' && mayRepeat(method, target);
    return isWrite && target !== '/oauth/token' && answered !== undefined && answered.status < 300;
  });
  return new Set(made.map(({ body, method, target }) => withoutMadeUp(`${method} ${target} ${body}`)));
}

function withoutMadeUp(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replace(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g, 'TIME');
}

export interface Clean {
  operations: Map<string, number>;
  repeatable: Set<string>;
  requests: number;
}

/** The writes of a run without faults. */
export function cleanOf(requests: readonly ProxiedRequest[]): Clean {
  return { operations: operations(requests), repeatable: repeatable(requests), requests: requests.length };
}

/** Exit codes that a fault on the wire may cause: rejected, partial, unavailable, network, timeout. */
const FAULT_EXITS = [1, 3, 7, 8, 11];

export interface ErrorDocument {
  code: string;
  message: string;
  hint?: string;
  details?: Record<string, unknown>;
  request?: { method: string; path: string };
}

/** That nothing came of it; of another place, of what came before or of what is somebody else's it may be said. */
export const NOTHING_DONE =
  /no changes were made|nothing (?:else )?(?:was|has been) (?:sent|done|changed|triggered|submitted|cancelled)(?! (?:there|before it))/i;
/** What is said of a operation whose answer did not come, or came damaged and did: of several, which ones or how many are done. */
export const OPEN =
  /not known whether|outcome of .* is unknown|was lost|had arrived|(?:done|cancelled) before|\d+ of \d+ rows are complete/i;

/**
 * What a run that failed says of its operations, against what the platform did: where nobody knows, it says so and of which
 * request; and it never says that nothing was done when something was.
 */
function misjudged(error: ErrorDocument | undefined, stderr: string, requests: readonly ProxiedRequest[]): string[] {
  const problems: string[] = [];
  const harmful = requests.filter(({ method, target }) => !mayRepeat(method, target));
  if (error?.code === 'http.outcome_unknown') {
    if (!OPEN.test(error.message)) problems.push(`does not say that it is not known: ${error.message}`);
    // It need not have arrived: a run may be stopped while it is on its way. A response that proves nothing leaves the
    // outcome of any write unknown, also of one that may be repeated.
    const isOne = error.request ? error.request.method !== 'GET' : /outcome of .+ is unknown/.test(error.message);
    if (!isOne) problems.push(`does not say which request: ${JSON.stringify(error)}`);
  }
  const done = harmful.filter(({ answered }) => answered !== undefined && answered.status < 300);
  if (done.length > 0 && NOTHING_DONE.test(stderr)) problems.push(`says that nothing was done: ${stderr}`);
  for (const { method, struck, target } of done) {
    // The address by which a test's platform is controlled is none of the platform's own.
    if (struck && afterLossOf(method, target) && !OPEN.test(stderr))
      problems.push(`${method} ${target} was done, and is not spoken of: ${stderr}`);
  }
  return problems;
}

/** The key of a write: its id if it has one, or its whole body. */
function operationOf({ body, method, target }: ProxiedRequest): string {
  const id = /"subject_request_id"\s*:\s*"([^"]+)"/.exec(body)?.[1];
  return `${method} ${target} ${id ?? body}`;
}

/** True if the platform answered a read of the resource, or of the list that has it. */
function looksAt(operation: ProxiedRequest, { answered, method, struck, target }: ProxiedRequest): boolean {
  if (method !== 'GET' || struck || answered === undefined) return false;
  const id = /"subject_request_id"\s*:\s*"([^"]+)"/.exec(operation.body)?.[1];
  if (id !== undefined) return target.includes(id);
  const path = (text: string): string => (text.split('?')[0] ?? '').replace(/\/$/, '');
  const own = path(operation.target);
  const list = operation.method === 'POST' ? own : own.replace(/\/[^/]*$/, '');
  return `${path(target)}/`.startsWith(`${list}/`);
}

/** Writes of kind `confirm` that were sent again without a read after the response was lost. */
function repeatedBlindly(requests: readonly ProxiedRequest[]): string[] {
  return requests.flatMap((lost, index) => {
    const { answered, method, struck, target } = lost;
    if (!struck || answered === undefined || afterLossOf(method, target) !== 'confirm') return [];
    const after = requests.slice(index + 1);
    const again = after.findIndex((one) => operationOf(one) === operationOf(lost));
    if (again < 0 || after.slice(0, again).some((one) => looksAt(lost, one))) return [];
    return [`sent again without a look: ${operationOf(lost)}`];
  });
}

/** The sentences that say what should not be; none for a run that is as promised. */
export function judge(
  wanted: CommandCase,
  outcome: Outcome,
  requests: readonly ProxiedRequest[],
  clean: Clean,
): string[] {
  const problems: string[] = [];
  const say = (problem: string): unknown => problems.push(problem);
  const { code, served, stderr, stdout, hangs } = outcome;
  const fine = wanted.exits ?? [0];
  if (hangs) return ['hangs'];
  if (served !== undefined) say(`served ill: ${served.message}`);
  if (/This is a bug|TypeError|Cannot read prop|unhandled/i.test(stderr + stdout)) say(`crashes: ${stderr}`);
  if (!fine.includes(code) && !FAULT_EXITS.includes(code)) say(`exit ${code}: ${stderr}`);
  if (wanted.plain !== true && !isJson(stdout)) say(`standard output is no JSON: ${stdout.slice(0, 200)}`);

  const error = errorOf(stderr);
  // A report, or a result that was there when the time was over.
  const tells = (wanted.reports === true || code === 11) && stdout !== '';
  if (!fine.includes(code) && !tells && code !== 3) {
    if (!error) say(`exit ${code} without an error document: ${stderr.slice(0, 300)}`);
    else if (!error.message || !error.hint)
      say(`no ${error.message ? 'next step' : 'cause'}: ${JSON.stringify(error)}`);
  }
  if (!fine.includes(code)) problems.push(...misjudged(error, stderr, requests));
  problems.push(...repeatedBlindly(requests));
  const done = operations(requests);
  for (const [operation, count] of done) {
    if (count > (clean.operations.get(operation) ?? 0))
      say(`done ${count} times instead of ${clean.operations.get(operation) ?? 0}: ${operation}`);
  }
  if (code === 0) {
    for (const [operation, count] of clean.operations) {
      if ((done.get(operation) ?? 0) < count) say(`success is reported, but this was not done: ${operation}`);
    }
    const made = repeatable(requests);
    for (const call of clean.repeatable)
      if (!made.has(call)) say(`success is reported, but this was not sent: ${call}`);
  }
  return problems;
}

function isJson(text: string): boolean {
  const parses = (part: string): boolean => {
    try {
      JSON.parse(part);
      return true;
    } catch {
      return false;
    }
  };
  return text === '' || parses(text) || text.trimEnd().split('\n').every(parses);
}

export function errorOf(stderr: string): ErrorDocument | undefined {
  const line = stderr
    .trimEnd()
    .split('\n')
    .findLast((text) => text.startsWith('{"error"'));
  return line === undefined ? undefined : (JSON.parse(line) as { error: ErrorDocument }).error;
}
