// Injects every network fault into every request of every command. Runs a sample by default; `npm run test:faults` runs
// everything.
import { expect, test } from 'vitest';
import { type FaultPlan, PROXY_FAULTS, type ProxyFault } from '../helpers/fault-proxy.ts';
import { CASES, type CommandCase } from './cases.ts';
import { type Clean, cleanOf, judge } from './judge.ts';
import { pick } from '../helpers/random.ts';
import { isWhole } from '../helpers/size.ts';
import { inTurn, randomOf, SEED, printLine } from './sweep.ts';
import { createWorld, type World } from './world.ts';

const WORLDS = isWhole ? 6 : 3;
/** The fraction of the complete run to execute: `SHARE=0.1` is a quick pass over everything. */
const SHARE = Number(process.env.SHARE ?? 1);
/**
 * Number of runs in each world. The sample size is a count, not a time limit, so that a seed draws the same runs on
 * every machine.
 */
const SAMPLE_RUNS = 30;
/** Minimum number of commands in a complete sweep. */
const WHOLE_RUNS = SHARE < 1 || process.env.ONLY || process.env.FAULT ? 1 : 20_000;
const HOUR = 3_600_000;

const FLAGS = ['-o', 'json', '--request-timeout', '700ms', '--retries', '1'];
/** Allows enough time for the long pauses that the platform requests. */
const LIMIT = ['--timeout', '8m'];

const SWEPT = CASES.filter(({ elsewhere, local }) => elsewhere === undefined && local !== true);

interface Run {
  wanted: CommandCase;
  plan: FaultPlan;
}

/** Fault-free runs, by command line. */
const cleanRuns = new Map<CommandCase, Clean>();

async function cleanRun(world: World, wanted: CommandCase): Promise<Clean> {
  const known = cleanRuns.get(wanted);
  if (known) return known;
  await world.prepare(wanted);
  const outcome = await world.run(wanted, ['-o', 'json']);
  const { requests } = world.proxy;
  const clean = cleanOf(requests);
  const problems = judge(wanted, outcome, requests, clean);
  expect({ problems, code: (wanted.exits ?? [0]).includes(outcome.code) }, nameOf(wanted)).toEqual({
    problems: [],
    code: true,
  });
  cleanRuns.set(wanted, clean);
  return clean;
}

const nameOf = ({ args, command }: CommandCase): string =>
  `${command} ${typeof args === 'string' ? args : args.join(' ')}`;

/** Describes the problems in one run with everything needed to reproduce it. */
async function problemsOf(world: World, { plan, wanted }: Run, clean: Clean): Promise<string[]> {
  await world.prepare(wanted);
  const flags = plan.fault.slow === true ? [...FLAGS, ...LIMIT] : FLAGS;
  const outcome = await world.run(wanted, flags, plan);
  const problems = judge(wanted, outcome, world.proxy.requests, clean);
  if (world.proxy.strayed > 0) problems.push('something went where a redirect pointed to');
  const logged = (await world.platform.api.requests()).filter(({ path }) => !path.startsWith('/_control')).length;
  const forwarded = world.proxy.requests.filter(
    ({ answered, target }) => answered !== undefined && !target.startsWith('/_control'),
  ).length;
  if (logged < forwarded) problems.push(`the platform knows of ${logged} requests, the proxy of ${forwarded}`);
  const place = `${nameOf(wanted)} | ${plan.fault.name}, request ${plan.at}, ${plan.mode}`;
  return problems.map((problem) => `${place}: ${problem}`);
}

const isWanted = ({ name }: ProxyFault): boolean => name.includes(process.env.FAULT ?? '');

/** Returns a run for each fault, request and mode. */
function runsOf(wanted: CommandCase, { requests }: Clean): Run[] {
  return PROXY_FAULTS.filter(isWanted).flatMap((fault) =>
    Array.from({ length: requests }, (_, at) => at).flatMap((at) =>
      (['once', 'ever'] as const)
        .filter((mode) => mode === 'ever' || fault.refuses !== true)
        .map((mode) => ({ wanted, plan: { fault, at, mode } })),
    ),
  );
}

/** Executes random runs and returns how many there were. */
async function sample(world: World, random: () => number, problems: string[]): Promise<number> {
  let count = 0;
  while (count < SAMPLE_RUNS) {
    const wanted = pick(SWEPT, random);
    const clean = await cleanRun(world, wanted);
    // A command that sends nothing has no request to inject a fault into.
    const runs = runsOf(wanted, clean);
    if (runs.length === 0) continue;
    problems.push(...(await problemsOf(world, pick(runs, random), clean)));
    count++;
  }
  return count;
}

test(
  'succeeds after a fault, or reports what happened, what is known and what to do',
  async () => {
    const problems: string[] = [];
    const worlds = await Promise.all(Array.from({ length: WORLDS }, createWorld));
    let count = 0;
    try {
      if (isWhole) {
        const only = new RegExp(process.env.ONLY ?? '');
        const cases = SWEPT.filter((wanted) => only.test(nameOf(wanted)));
        count = await inTurn(worlds, cases, async (world, wanted) => {
          const clean = await cleanRun(world, wanted);
          const random = randomOf(SWEPT.indexOf(wanted));
          const runs = runsOf(wanted, clean).filter(() => random() < SHARE);
          let found = 0;
          for (const run of runs) {
            const violations = await problemsOf(world, run, clean);
            for (const problem of violations) printLine(problem);
            problems.push(...violations);
            found += violations.length;
          }
          printLine(`${nameOf(wanted)}: ${runs.length} runs, ${found} problems`);
          return runs.length;
        });
      } else {
        const counts = await Promise.all(worlds.map((world, part) => sample(world, randomOf(part), problems)));
        count = counts.reduce((sum, runs) => sum + runs, 0);
      }
    } finally {
      await Promise.all(worlds.map((world) => world.close()));
    }
    printLine(`${count} runs with a fault, ${problems.length} problems; seed ${SEED}`);
    expect(problems).toEqual([]);
    expect(count).toBeGreaterThanOrEqual(isWhole ? WHOLE_RUNS : WORLDS * SAMPLE_RUNS);
  },
  isWhole ? 6 * HOUR : 600_000,
);
