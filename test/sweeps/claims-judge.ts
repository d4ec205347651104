// Compares what a command claims in its exit code, result, messages, rows and files with the state of the platform.
import type { ProxiedRequest } from '../helpers/fault-proxy.ts';
import { type CommandCase, hasFlag } from './cases.ts';
import { falseRows } from './claimed-rows.ts';
import { acceptedStatus, mayRepeat, wasAccepted } from './operations.ts';
import { canonical, differences, type Holdings } from './holdings.ts';
import { NOTHING_DONE, OPEN } from './judge.ts';
import { writes } from './replaced.ts';
import type { Outcome } from './world.ts';

export interface Evidence {
  wanted: CommandCase;
  outcome: Pick<Outcome, 'code' | 'stdout' | 'stderr' | 'hangs'>;
  requests: readonly ProxiedRequest[];
  /** The state before the run, after a run without faults, and after this run. */
  before: Holdings;
  clean: Holdings;
  after: Holdings;
  /** The files in the working directory, by name. */
  files: { before: ReadonlyMap<string, string>; after: ReadonlyMap<string, string> };
}

export function falseClaims(evidence: Evidence): string[] {
  const { after, before, outcome, requests, wanted } = evidence;
  const { code, stderr, hangs } = outcome;
  if (hangs) return ['hangs'];
  const changed = differences(before, after);
  const problems = [...falseRows(evidence), ...falseFiles(evidence)];
  const isAccepting = wanted.reports !== true && requests.some((one) => writes(one) && acceptedStatus(one) !== undefined);
  if (changed.length > 0 && NOTHING_DONE.test(stderr)) problems.push(`says that nothing was done: ${changed.join(', ')}`);
  const steps = stepsOf(outcome.stdout);
  if (steps) problems.push(...falseSteps(steps, evidence));
  if (code === 0) {
    problems.push(...(isAccepting ? falseAcceptance(evidence) : falseSuccess(evidence)), ...falseResult(evidence));
  } else if (code !== 3 && code !== 8 && !isReportedOpen(evidence)) {
    const silent = changed.filter((name) => steps?.get(name) !== 'done');
    if (silent.length > 0) problems.push(`exit ${code} and does not say that this may be done: ${silent.join(', ')}`);
  }
  return problems;
} // prettier-ignore

/**
 * True if the output reports an unknown outcome. A 429 also counts, even if the output does not mention the outcome.
 * For a write that may be repeated, an unavailable platform counts too. Always true for a bulk run, whose rows are
 * checked one by one.
 */
function isReportedOpen({ outcome: { code, stderr }, requests, wanted }: Evidence): boolean {
  const last = requests.findLast((one) => writes(one) && one.faulted);
  // The platform has the request, although its response cannot be trusted (exit code 1).
  if (code === 1 && stderr.includes('was submitted, but its response has no valid signature')) return true;
  if (OPEN.test(stderr) || last?.returned?.status === 429 || isBulk(wanted)) return true;
  return code === 7 && last !== undefined && mayRepeat(last.method, last.target);
}

export function isBulk(wanted: CommandCase): boolean {
  return hasFlag(wanted, '--resume') && (wanted.args.includes('--bulk') || !hasFlag(wanted, '--bulk'));
}

function falseSuccess({ after, clean }: Evidence): string[] {
  const missing = differences(clean, after);
  return missing.length === 0
    ? []
    : [`claims success, and this differs from a run without faults: ${missing.join(', ')}`];
}

function falseAcceptance({ outcome, requests, wanted }: Evidence): string[] {
  const { stderr, stdout } = outcome;
  const problems: string[] = [];
  const sent = requests.filter((one) => writes(one) && acceptedStatus(one) !== undefined);
  const bodies = new Set(sent.map(({ body, target }) => `${target} ${body}`));
  const accepted = new Set(sent.filter(wasAccepted).map(({ body, target }) => `${target} ${body}`));
  if (accepted.size < bodies.size) problems.push('claims acceptance without the documented status');
  const said = `${stdout}${stderr}`;
  if (!/accept/i.test(said) && wanted.plain !== true && wanted.command !== 'api') problems.push(`does not say accepted: ${said}`);
  if (/\b(was reset|is done|was stored|were stored|was sent|were seeded)\b/i.test(said)) problems.push(`says done: ${said}`);
  return problems;
} // prettier-ignore

/** Checks that the platform has everything that the result shows about a resource. */
function falseResult({ after, outcome: { stdout } }: Evidence): string[] {
  const problems: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const shown = value as Record<string, unknown>;
    problems.push(...falseResource(shown, after));
    Object.values(shown).forEach(visit);
  };
  for (const line of documentsOf(stdout)) visit(line);
  return problems;
}

function documentsOf(stdout: string): unknown[] {
  const parse = (text: string): unknown[] => {
    try {
      return [JSON.parse(text) as unknown];
    } catch {
      return [];
    }
  };
  const whole = parse(stdout);
  return whole.length > 0 ? whole : stdout.split('\n').flatMap(parse);
}

const KINDS: readonly (readonly [kind: string, mark: string])[] = [
  ['group', 'source_user_attribute'],
  ['connection', 'service_provider'],
  ['pipeline', 'pipeline_type'],
];

function falseResource(shown: Record<string, unknown>, after: Holdings): string[] {
  const text = (key: string): string => (typeof shown[key] === 'string' || typeof shown[key] === 'number' ? String(shown[key]) : '');
  const request = text('subject_request_id');
  if (request !== '' && !after.has(`request ${request}`)) return [`shows request ${request}, which the platform does not have`];
  const run = text('pipeline_run_id');
  if (run !== '' && !after.has(`run ${text('pipeline_id')}/${run}`)) return [`shows run ${run} of ${text('pipeline_id')}, which the platform does not have`];
  const kind = KINDS.find(([, mark]) => text(mark) !== '' && text('id') !== '')?.[0];
  if (kind === undefined) return [];
  const held = [...after].filter(([name]) => name.startsWith(`${kind} `) && name.endsWith(`/${text('id')}`));
  const isHeld = held.some(([, cell]) => Object.entries(JSON.parse(cell) as object).every(
    ([key, value]) => !(key in shown) || key === 'secrets' || canonical(shown[key]) === canonical(value)));
  return isHeld ? [] : [`shows a ${kind} that the platform does not have: ${JSON.stringify(shown)}`];
} // prettier-ignore

type Listed = Record<'type' | 'id' | 'outcome', string>;

/** Returns the outcome of each step that a `warehouse apply` result lists, by the resource that the step changes. */
function stepsOf(stdout: string): Map<string, string> | undefined {
  const [shown] = documentsOf(stdout) as ({ steps?: Listed[]; target?: { workspace_id: string } } | null)[];
  if (!Array.isArray(shown?.steps) || !shown.target) return undefined;
  const { steps, target } = shown;
  return new Map(steps.map(({ id, outcome, type }) => [`${type} ${target.workspace_id}/${id}`, outcome]));
}

/** Returns the steps that claim something false. An unknown outcome, which a 429 implies, claims nothing. */
function falseSteps(steps: ReadonlyMap<string, string>, { after, before, clean, requests }: Evidence): string[] {
  const limited = requests.filter((one) => writes(one) && one.returned?.status === 429);
  const isLimited = (id: string): boolean =>
    limited.some(({ body, target }) => target.endsWith(`/${id}`) || body.includes(`"id":"${id}"`));
  return [...steps].flatMap(([name, outcome]) => {
    // A value that is the same before and after a step proves nothing.
    if (outcome === 'unknown' || before.get(name) === clean.get(name)) return [];
    const isDone = after.get(name) === clean.get(name);
    if (outcome === 'done') return isDone ? [] : [`claims that it is done: ${name}`];
    const isOpen = outcome === 'failed' && isLimited(name.slice(name.indexOf('/') + 1));
    return isDone && !isOpen ? [`claims that it is not done: ${name}`] : [];
  });
}

/** Checks the user's files that the run changed: their roles must match the platform's, and comments must remain. */
function falseFiles({ after, files }: Evidence): string[] {
  const problems: string[] = [];
  for (const [name, old] of files.before) {
    const now = files.after.get(name);
    if (now === old) continue;
    if (now === undefined) {
      problems.push(`${name} is gone`);
      continue;
    }
    const lost = (old.match(/#.*$/gm) ?? []).filter((comment) => !now.includes(comment));
    if (lost.length > 0) problems.push(`${name} lost the comments ${lost.join(' ')}`);
    const ids = [...now.matchAll(/role_id['"]?:\s*['"]?([\w-]+)/g)].map(([, id]) => `role ${String(id)}`);
    const held = [...after.keys()].filter((cell) => cell.startsWith('role '));
    if (canonical(ids.sort()) !== canonical(held.sort())) problems.push(`${name} has roles that the platform does not have`);
    for (const text of textsOf(now)) {
      if (![...after.values()].some((cell) => cell.includes(JSON.stringify(text)))) problems.push(`${name} says ${text}, which is not on the platform`);
    }
  }
  return problems;
} // prettier-ignore

/** Returns the names, descriptions and task ids in a roles file. */
function textsOf(file: string): string[] {
  return [...file.matchAll(/(?:\bname|description|task_id):\s*"?([^"\n]+?)"?$/gm)].map(([, text]) => String(text));
}
