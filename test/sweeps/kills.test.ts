// Kills the built program with SIGKILL at each request of every command that writes and at random moments, runs it
// again, and kills that run too. Every write is done exactly once, no file is torn, and no lock is left.
// Runs a sample by default; the complete run takes hours: `npm run test:kills`.
import { expect, test } from 'vitest';
import { answerBytes, type FaultPlan, type ProxiedRequest, type ProxyFault } from '../helpers/fault-proxy.ts';
import { pick } from '../helpers/random.ts';
import { isWhole } from '../helpers/size.ts';
import type { CommandCase } from './cases.ts';
import { type Clean, cleanOf } from './judge.ts';
import { againFlags, compare, locks, sameRequestFlags, savedAgain } from './kills.ts';
import { type Ended, nameOf, runProgram, torn, WRITING, writes } from './program.ts';
import { inSample, inTurn, randomOf, SEED, printLine } from './sweep.ts';
import { createWorld, type World } from './world.ts';

const WORLDS = 2;
const HOUR = 3_600_000;
/** The fraction of the kills to run. */
const SHARE = Number(process.env.SHARE ?? 1);
/** In a sample: the number of commands, each killed twice, and the minimum number of kills that take effect. */
const DRAWN = 6;
const LEAST = 8;
/** Random moments for each command of a complete run, in milliseconds from the start. */
const RANDOM_MOMENTS = 3;
const RANDOM_WITHIN_MS = 600;

const MOMENTS = ['before delivery', 'delivered, unanswered', 'answered'] as const;

/** When to kill: at a request, by its zero-based index, or after a number of milliseconds. */
type Kill = { at: number; moment: (typeof MOMENTS)[number] } | { ms: number };

/** Runs the built program and kills it at the given moment. */
const start = (world: World, wanted: CommandCase, kill?: Kill, flags: readonly string[] = []): Promise<Ended> =>
  runProgram(world, wanted, { flags, ...(kill && { plan: (end) => planOf(kill, end) }) });

function planOf(kill: Kill, end: () => void): FaultPlan {
  if ('ms' in kill) {
    setTimeout(end, kill.ms).unref();
    return { fault: { name: 'none', delivered: true }, at: Infinity, mode: 'once' };
  }
  const fault: ProxyFault = {
    name: 'kill',
    delivered: kill.moment !== 'before delivery',
    act: (socket, answer) => {
      // The program has received the response and may have started its next step.
      if (kill.moment === 'answered') socket.write(answerBytes(answer), end);
      else end();
    },
  };
  return { fault, at: kill.at, mode: 'once' };
}

const cleanRuns = new Map<CommandCase, Clean>();

async function cleanRun(world: World, wanted: CommandCase): Promise<Clean> {
  const known = cleanRuns.get(wanted);
  if (known) return known;
  await world.prepare(wanted);
  const { code, stderr } = await world.run(wanted, ['-o', 'json']);
  expect((wanted.exits ?? [0]).includes(code), `${nameOf(wanted)}: ${stderr}`).toBe(true);
  const clean = cleanOf(world.proxy.requests);
  cleanRuns.set(wanted, clean);
  return clean;
}

interface Found {
  /** Number of kills that took effect before the program finished. */
  tookEffect: number;
  /** Number of requests in the last run. */
  requests: number;
  problems: string[];
}

async function problemsOf(world: World, wanted: CommandCase, kills: readonly Kill[], clean: Clean): Promise<Found> {
  await world.prepare(wanted);
  const problems: string[] = [];
  const requests: ProxiedRequest[] = [];
  let tookEffect = 0;
  let ended: Ended = { code: null, stdout: '', stderr: '', hangs: false };
  for (const [run, kill] of [...kills, undefined].entries()) {
    const flags = run > 0 ? againFlags(wanted) : [];
    ended = await start(world, wanted, kill, flags);
    requests.push(...world.proxy.requests);
    // The first run was killed before there was anything to resume, or in the middle of a saved plan.
    if ((flags.length > 0 && ended.code === 2) || (await savedAgain(world, wanted, ended.stderr))) {
      ended = await start(world, wanted, kill);
      requests.push(...world.proxy.requests);
    }
    // An earlier run was killed after it recorded the request and may have sent it.
    const sameRequest = sameRequestFlags(ended.stderr);
    if (sameRequest.length > 0) {
      ended = await start(world, wanted, kill, sameRequest);
      requests.push(...world.proxy.requests);
    }
    problems.push(...torn(world));
    if (ended.hangs) problems.push('hangs');
    else if (ended.code === null) tookEffect++;
    if (/This is a bug|TypeError|Cannot read prop|unhandled/i.test(ended.stderr)) problems.push(ended.stderr);
  }
  problems.push(...locks(world), ...compare(wanted, kills.length + 1, requests, clean));
  // The rest of the killed run's work may be rejected: by our own guard, with a hint, or by the platform, because the
  // resource exists. `compare` checks that the work is done.
  if (!(wanted.exits ?? [0]).includes(ended.code ?? -1) && !/"hint"|"status":4(00|09)/.test(ended.stderr))
    problems.push(`exit ${ended.code}: ${ended.stderr}`);
  const place = `${nameOf(wanted)} | killed ${kills.map(placeOf).join(', then ')}`;
  return {
    tookEffect,
    requests: world.proxy.requests.length,
    problems: problems.map((problem) => `${place}: ${problem} [exit ${ended.code} ${ended.stderr.slice(0, 300)}]`),
  };
}

const placeOf = (kill: Kill): string =>
  'ms' in kill ? `after ${Math.round(kill.ms)} ms` : `at request ${kill.at} (${kill.moment})`;

/** Returns one kill for each moment of each request, plus some at random moments. */
function killsOf({ requests }: Clean, random: () => number): Kill[] {
  const boundaries = Array.from({ length: requests }, (_, at) => MOMENTS.map((moment) => ({ at, moment })));
  const moments = Array.from({ length: RANDOM_MOMENTS }, () => ({ ms: random() * RANDOM_WITHIN_MS }));
  return [...boundaries.flat(), ...moments];
}

test(
  'writes everything exactly once and does not leave a partial file if a command is killed at a request and run again',
  async () => {
    printLine(`seed ${SEED}`);
    const problems: string[] = [];
    const worlds = await Promise.all(Array.from({ length: isWhole ? WORLDS : 1 }, () => createWorld()));
    let count = 0;
    let runs = 0;

    async function kill(world: World, wanted: CommandCase, kills: readonly Kill[], clean: Clean): Promise<number> {
      const found = await problemsOf(world, wanted, kills, clean);
      for (const problem of found.problems) printLine(problem);
      problems.push(...found.problems);
      count += found.tookEffect;
      runs++;
      return found.requests;
    }

    async function killEach(world: World, wanted: CommandCase): Promise<number> {
      const clean = await cleanRun(world, wanted);
      if (!writes(clean)) return 0;
      const random = randomOf(WRITING.indexOf(wanted));
      const all = killsOf(clean, random);
      const chosen = isWhole ? all.filter(() => random() < SHARE) : [pick(all, random)];
      for (const first of chosen) {
        // The number of requests in the next run depends on the kill, so it is known only after that run.
        const requests = await kill(world, wanted, [first], clean);
        if (requests === 0) continue;
        const second = { at: Math.floor(random() * requests), moment: pick(MOMENTS, random) };
        await kill(world, wanted, [first, second], clean);
      }
      printLine(`${nameOf(wanted)}: ${chosen.length} moments`);
      return chosen.length;
    }

    try {
      const [world] = worlds;
      if (isWhole) await inTurn(worlds, WRITING, killEach);
      else if (world) await inSample(WRITING, DRAWN, randomOf(-1), (wanted) => killEach(world, wanted));
    } finally {
      await Promise.all(worlds.map((world) => world.close()));
    }
    printLine(`${runs} runs, ${count} times killed and run again, ${problems.length} problems; seed ${SEED}`);
    expect(problems).toEqual([]);
    if (SHARE === 1 && process.env.ONLY === undefined) expect(count).toBeGreaterThanOrEqual(LEAST);
  },
  isWhole ? 6 * HOUR : 600_000,
);
