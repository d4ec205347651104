// What must hold of any run of any command, whatever befell it: judged from its output and from what the platform received.
import type { ProxiedRequest } from '../helpers/fault-proxy.ts';
import type { CommandCase } from './cases.ts';
import { mayRepeat } from './deeds.ts';
import type { Outcome } from './world.ts';

/** Deeds that the platform accepted and that must not be done twice: how often each, ids and times that the program makes left out. */
export function deeds(requests: readonly ProxiedRequest[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { answered, body, method, target } of requests) {
    if (answered === undefined || answered.status < 200 || answered.status >= 300) continue;
    if (mayRepeat(method, target)) continue;
    const deed = withoutMadeUp(`${method} ${target} ${body}`);
    counts.set(deed, (counts.get(deed) ?? 0) + 1);
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
  deeds: Map<string, number>;
  repeatable: Set<string>;
  requests: number;
}

/** What a run without faults did. */
export function cleanOf(requests: readonly ProxiedRequest[]): Clean {
  return { deeds: deeds(requests), repeatable: repeatable(requests), requests: requests.length };
}

/** Exits that a fault on the wire may end in: refused, partial, unavailable, network, a wait that was too long. */
const FAULT_EXITS = [1, 3, 7, 8, 11];

interface ErrorDocument {
  code: string;
  message: string;
  hint?: string;
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
  const { code, served, stderr, stdout, took } = outcome;
  const fine = wanted.exits ?? [0];
  if (took === Infinity) return ['hangs'];
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
  const done = deeds(requests);
  for (const [deed, count] of done) {
    if (count > (clean.deeds.get(deed) ?? 0))
      say(`done ${count} times instead of ${clean.deeds.get(deed) ?? 0}: ${deed}`);
  }
  if (code === 0) {
    for (const [deed, count] of clean.deeds) {
      if ((done.get(deed) ?? 0) < count) say(`success is told, and this was not done: ${deed}`);
    }
    const made = repeatable(requests);
    for (const call of clean.repeatable) if (!made.has(call)) say(`success is told, and this was not sent: ${call}`);
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

function errorOf(stderr: string): ErrorDocument | undefined {
  const line = stderr
    .trimEnd()
    .split('\n')
    .findLast((text) => text.startsWith('{"error"'));
  return line === undefined ? undefined : (JSON.parse(line) as { error: ErrorDocument }).error;
}
