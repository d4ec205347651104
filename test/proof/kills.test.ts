// The built program killed with -9 at each request of every command that writes, and run again: nothing is done twice,
// nothing is left undone, no file is torn, no lock stands. It takes hours, and is run on demand: `npm run test:kills`.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { host } from '../../src/lib/kernel/host.ts';
import { isStrayed } from '../helpers/stray-file.ts';
import type { FaultPlan, ProxiedRequest, ProxyFault } from '../helpers/fault-proxy.ts';
import type { CommandCase } from './cases.ts';
import { type Clean, cleanOf, deeds, repeatable } from './judge.ts';
import { type Ended, filesOf, nameOf, runProgram, torn, WRITING, writes } from './program.ts';
import { randomFrom } from '../helpers/random.ts';
import { isWhole } from '../helpers/size.ts';
import { inTurn, SEED, tell } from './sweep.ts';
import { createWorld, type World } from './world.ts';

const WORLDS = 2;
const HOUR = 3_600_000;
/** Of the whole, so much is taken. */
const SHARE = Number(process.env.SHARE ?? 1);
/**
 * Asked for once more, these are done once more: that is what whoever types them again wants. A connection's secret
 * cannot be compared with what the platform holds, so the same values are set again.
 */
const ASKED_ANEW =
  /^(pipelines (trigger|reset)|connections update|intake event|api|emulator .*|dsr submit --regulation.*)$/;
/** Whose second run is told that it goes on. */
const RESUMED = /^(dsr submit --bulk|seed bulk)/;

const MOMENTS = ['before delivery', 'delivered, unanswered', 'answered'] as const;
type Moment = (typeof MOMENTS)[number];

interface Kill {
  /** The number of the request, from 0. */
  at: number;
  moment: Moment;
}

/** Runs the built program, and kills it when the plan's request comes. */
const start = (world: World, wanted: CommandCase, kill?: Kill, flags: readonly string[] = []): Promise<Ended> =>
  runProgram(world, wanted, { flags, ...(kill && { plan: (end) => planOf(kill, end) }) });

/** Killed when an answer has come: at the next request, which then does not go through. */
function planOf({ at, moment }: Kill, end: () => void): FaultPlan {
  const fault: ProxyFault = { name: 'kill', delivered: moment === 'delivered, unanswered', act: end };
  return { fault, at: moment === 'answered' ? at + 1 : at, mode: 'once' };
}

const cleanRuns = new Map<CommandCase, Clean>();

/** What a run without a kill does. */
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

/** What hinders: the locks and temporary files of a process that is no more are taken over, or swept, by the next write there. */
const locks = (world: World): string[] =>
  filesOf(world)
    .filter((path) => path.endsWith('.dead') || (path.endsWith('.lock') && isHeld(path)) || isStrayed(path))
    .map((path) => `${relative(world.home.folder, path)} stands`);

function isHeld(path: string): boolean {
  try {
    return host.isAlive((JSON.parse(readFileSync(path, 'utf8')) as { pid: number }).pid);
  } catch {
    // What cannot be read hinders, too.
    return true;
  }
}

/** What all runs together did, against what one does: nothing twice, nothing not at all. */
function compare(wanted: CommandCase, runs: number, requests: readonly ProxiedRequest[], clean: Clean): string[] {
  const done = deeds(requests);
  const made = repeatable(requests);
  const most = ASKED_ANEW.test(nameOf(wanted)) || ASKED_ANEW.test(wanted.command) ? runs : 1;
  return [
    ...[...done]
      .filter(([deed, count]) => count > most * (clean.deeds.get(deed) ?? 0))
      .map(([deed, count]) => `done ${count} times instead of ${clean.deeds.get(deed) ?? 0}: ${deed}`),
    ...[...clean.deeds].filter(([deed, count]) => (done.get(deed) ?? 0) < count).map(([deed]) => `not done: ${deed}`),
    ...[...clean.repeatable].filter((call) => !made.has(call)).map((call) => `not sent: ${call}`),
  ];
}

async function problemsOf(world: World, wanted: CommandCase, kills: readonly Kill[], clean: Clean): Promise<string[]> {
  await world.prepare(wanted);
  const problems: string[] = [];
  const requests: ProxiedRequest[] = [];
  const again = (run: number): string[] => (run > 0 && RESUMED.test(nameOf(wanted)) ? ['--resume'] : []);
  let ended: Ended = { code: null, stdout: '', stderr: '', hangs: false };
  for (const [run, kill] of [...kills, undefined].entries()) {
    ended = await start(world, wanted, kill, again(run));
    requests.push(...world.proxy.requests);
    // It was killed before there was anything to go on with.
    if (run > 0 && again(run).length > 0 && ended.code === 2) {
      ended = await start(world, wanted, kill);
      requests.push(...world.proxy.requests);
    }
    problems.push(...torn(world));
    if (ended.hangs) problems.push('hangs');
    if (/This is a bug|TypeError|Cannot read prop|unhandled/i.test(ended.stderr)) problems.push(ended.stderr);
  }
  problems.push(...locks(world), ...compare(wanted, kills.length + 1, requests, clean));
  // What the killed run did already may be refused: by a guard of ours, which says what to do, or by the platform, whose
  // words say what is there. It counts as done above.
  if (ended.code !== 0 && !/"hint"|"status":4(00|09)/.test(ended.stderr))
    problems.push(`exit ${ended.code}: ${ended.stderr}`);
  const place = `${nameOf(wanted)} | killed ${kills.map(({ at, moment }) => `at request ${at} (${moment})`).join(', then ')}`;
  return problems.map((problem) => `${place}: ${problem} [exit ${ended.code} ${ended.stderr.slice(0, 300)}]`);
}

/** Each boundary of the run; its first resume is killed too, at another one. */
function killsOf({ requests }: Clean): Kill[][] {
  return Array.from({ length: requests }, (_, at) => at).flatMap((at) =>
    MOMENTS.map((moment, index) => [
      { at, moment },
      { at: (at * 5 + index) % requests, moment: pickOther(moment) },
    ]),
  );
}

const pickOther = (moment: Moment): Moment => MOMENTS[(MOMENTS.indexOf(moment) + 1) % MOMENTS.length] ?? moment;

// With SHARE=0.05 it is a sample.
test.runIf(isWhole)(
  'killed at a request and run again, everything is done once and every file is whole',
  async () => {
    const problems: string[] = [];
    const random = randomFrom(SEED);
    const worlds = await Promise.all(Array.from({ length: WORLDS }, () => createWorld()));
    let count = 0;
    try {
      count = await inTurn(worlds, WRITING, async (world, wanted) => {
        const clean = await cleanRun(world, wanted);
        if (!writes(clean)) return 0;
        const all = killsOf(clean);
        const chosen = all.filter(() => random() < SHARE);
        for (const kills of chosen) {
          const found = await problemsOf(world, wanted, kills, clean);
          for (const problem of found) tell(problem);
          problems.push(...found);
        }
        tell(`${nameOf(wanted)}: ${chosen.length} times killed`);
        return chosen.length;
      });
    } finally {
      await Promise.all(worlds.map((world) => world.close()));
    }
    tell(`${count} times killed and run again, ${problems.length} problems; seed ${SEED}`);
    expect(problems).toEqual([]);
  },
  6 * HOUR,
);
