// Judges a run of any command with any fault by its output and by the requests that the platform received.
import type { ProxiedRequest } from '../helpers/fault-proxy.ts';
import type { CommandCase } from './cases.ts';
import { afterLossOf, mayRepeat } from './operations.ts';
import type { Outcome } from './world.ts';

/**
 * Counts how often the platform accepted each write that must not be repeated, ignoring ids and times that the program
 * generates.
 */
export function operations(requests: readonly ProxiedRequest[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { answered, body, method, target } of requests) {
    if (answered === undefined || answered.status < 200 || answered.status >= 300) continue;
    if (mayRepeat(method, target)) continue;
    // An exported state contains the times of its export.
    const said = target === '/_control/state' ? '' : body;
    const operation = withoutMadeUp(`${method} ${target} ${said}`);
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
  }
  return counts;
}

/** Returns the calls that a run must make and may repeat. */
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

/** Returns the writes of a run without faults. */
export function cleanOf(requests: readonly ProxiedRequest[]): Clean {
  return { operations: operations(requests), repeatable: repeatable(requests), requests: requests.length };
}

/** Exit codes that a network fault may cause: rejected, partial, unavailable, network, timeout. */
const FAULT_EXITS = [1, 3, 7, 8, 11];

export interface ErrorDocument {
  code: string;
  message: string;
  hint?: string;
  details?: Record<string, unknown>;
  request?: { method: string; path: string };
}

/** Matches claims that nothing was changed, except claims about something else or an earlier step. */
export const NOTHING_DONE =
  /no changes were made|nothing (?:else )?(?:was|has been) (?:sent|done|changed|triggered|submitted|cancelled)(?! (?:there|before it))/i;
/**
 * Matches reports about a write whose response was lost or damaged: the outcome is unknown, or the completed part is
 * listed.
 */
export const OPEN =
  /not known whether|outcome of .* is unknown|was lost|did receive|done before|already cancelled|[\d,]+ of [\d,]+ rows? (?:is|are) complete/i;

/**
 * Compares what a failed run reports with what the platform did. An unknown outcome must be reported with its request,
 * and the run must not claim that nothing was done when something was.
 */
function misjudged(error: ErrorDocument | undefined, stderr: string, requests: readonly ProxiedRequest[]): string[] {
  const problems: string[] = [];
  const harmful = requests.filter(({ method, target }) => !mayRepeat(method, target));
  if (error?.code === 'http.outcome_unknown') {
    if (!OPEN.test(error.message)) problems.push(`does not say that it is not known: ${error.message}`);
    // The request need not have arrived: a run may stop while it is in flight. A response that proves nothing leaves
    // the outcome of any write unknown, even of one that may be repeated.
    const isOne = error.request ? error.request.method !== 'GET' : /outcome of .+ is unknown/.test(error.message);
    if (!isOne) problems.push(`does not say which request: ${JSON.stringify(error)}`);
  }
  const done = harmful.filter(({ answered }) => answered !== undefined && answered.status < 300);
  if (done.length > 0 && NOTHING_DONE.test(stderr)) problems.push(`says that nothing was done: ${stderr}`);
  for (const { method, faulted, target } of done) {
    // Calls to a test platform's control address are not in the list.
    if (faulted && afterLossOf(method, target) && !OPEN.test(stderr))
      problems.push(`${method} ${target} was done, and is not spoken of: ${stderr}`);
  }
  return problems;
}

/** Identifies a write by its id, or by its body if it has no id. */
function operationOf({ body, method, target }: ProxiedRequest): string {
  const id = /"subject_request_id"\s*:\s*"([^"]+)"/.exec(body)?.[1];
  return `${method} ${target} ${id ?? body}`;
}

/** True if the platform responded to a read of the resource or of its list. */
function readsResource(operation: ProxiedRequest, { answered, method, faulted, target }: ProxiedRequest): boolean {
  if (method !== 'GET' || faulted || answered === undefined) return false;
  const id = /"subject_request_id"\s*:\s*"([^"]+)"/.exec(operation.body)?.[1];
  if (id !== undefined) return target.includes(id);
  const path = (text: string): string => (text.split('?')[0] ?? '').replace(/\/$/, '');
  const own = path(operation.target);
  const list = operation.method === 'POST' ? own : own.replace(/\/[^/]*$/, '');
  return `${path(target)}/`.startsWith(`${list}/`);
}

/** Returns the writes of kind `confirm` that were sent again without a read after the response was lost. */
function repeatedBlindly(requests: readonly ProxiedRequest[]): string[] {
  return requests.flatMap((lost, index) => {
    const { answered, method, faulted, target } = lost;
    if (!faulted || answered === undefined || afterLossOf(method, target) !== 'confirm') return [];
    const after = requests.slice(index + 1);
    const again = after.findIndex((one) => operationOf(one) === operationOf(lost));
    if (again < 0 || after.slice(0, again).some((one) => readsResource(lost, one))) return [];
    return [`sent again without a look: ${operationOf(lost)}`];
  });
}

/** Returns the violations of a run. */
export function judge(
  wanted: CommandCase,
  outcome: Outcome,
  requests: readonly ProxiedRequest[],
  clean: Clean,
): string[] {
  const problems: string[] = [];
  const add = (problem: string): unknown => problems.push(problem);
  const { code, served, stderr, stdout, hangs } = outcome;
  const expectedExits = wanted.exits ?? [0];
  if (hangs) return ['hangs'];
  if (served !== undefined) add(`failed while serving: ${served.message}`);
  if (/This is a bug|TypeError|Cannot read prop|unhandled/i.test(stderr + stdout)) add(`crashes: ${stderr}`);
  if (!expectedExits.includes(code) && !FAULT_EXITS.includes(code)) add(`exit ${code}: ${stderr}`);
  if (wanted.plain !== true && !isJson(stdout)) add(`standard output is no JSON: ${stdout.slice(0, 200)}`);

  const error = errorOf(stderr);
  // Standard output is a report, or a partial result at a timeout.
  const hasResult = (wanted.reports === true || code === 11) && stdout !== '';
  if (!expectedExits.includes(code) && !hasResult && code !== 3) {
    if (!error) add(`exit ${code} without an error document: ${stderr.slice(0, 300)}`);
    else if (!error.message || !error.hint)
      add(`no ${error.message ? 'next step' : 'cause'}: ${JSON.stringify(error)}`);
  }
  if (!expectedExits.includes(code)) problems.push(...misjudged(error, stderr, requests));
  problems.push(...repeatedBlindly(requests));
  const done = operations(requests);
  for (const [operation, count] of done) {
    if (count > (clean.operations.get(operation) ?? 0))
      add(`done ${count} times instead of ${clean.operations.get(operation) ?? 0}: ${operation}`);
  }
  if (code === 0) {
    for (const [operation, count] of clean.operations) {
      if ((done.get(operation) ?? 0) < count) add(`success is reported, but this was not done: ${operation}`);
    }
    const made = repeatable(requests);
    for (const call of clean.repeatable)
      if (!made.has(call)) add(`success is reported, but this was not sent: ${call}`);
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
