// Replaces every response to the commands that write: each command must claim only what the platform has. Runs a sample
// by default; `npm run test:claims` runs everything.
import { expect, test } from 'vitest';
import type { FaultPlan } from '../helpers/fault-proxy.ts';
import { pick } from '../helpers/random.ts';
import { isWhole } from '../helpers/size.ts';
import type { CommandCase } from './cases.ts';
import { claimsOf, type CleanClaims, cleanClaims, plansFor, SENDING, strangersOf } from './claims.ts';
import { nameOf } from './program.ts';
import { writes } from './replaced.ts';
import { inTurn, randomOf, SEED, printLine } from './sweep.ts';
import { createWorld, type World } from './world.ts';

const WORLDS = isWhole ? 4 : 2;
/** Variables that select a part of the sweep: `SHARE=0.1`, `ONLY=regex` for commands, `FAULT=text` for responses. */
const SHARE = Number(process.env.SHARE ?? 1);
const only = new RegExp(process.env.ONLY ?? '');
const wantedFault = process.env.FAULT ?? '';
/** Number of runs in each world. */
const SAMPLE_RUNS = 15;
const HOUR = 3_600_000;

const describePlan = ({ at, fault, mode, reads }: FaultPlan): string =>
  `${fault.name}, request ${at}, ${mode}${reads ? `; then reads: ${reads.name}` : ''}`;

/** Fault-free runs, by command; undefined for a command that does not write. */
const known = new Map<CommandCase, CleanClaims | undefined>();

async function cleanOf(world: World, wanted: CommandCase, problems: string[]): Promise<CleanClaims | undefined> {
  if (!known.has(wanted)) {
    const clean = await cleanClaims(world, wanted);
    problems.push(...clean.problems.map((problem) => `${nameOf(wanted)} without a fault: ${problem}`));
    // A rejected probe, such as the one in `auth test`, is not a write.
    known.set(
      wanted,
      clean.requests.some((one) => writes(one) && (one.answered?.status ?? 999) < 300) ? clean : undefined,
    );
  }
  return known.get(wanted);
}

test(
  'claims only what is on the platform when a response is replaced',
  async () => {
    printLine(`seed ${SEED}`);
    const problems: string[] = [];
    const worlds: World[] = [];
    for (let count = 0; count < WORLDS; count++) worlds.push(await createWorld());
    const [first] = worlds;
    if (!first) throw new Error('there is no world');
    const strangers = await strangersOf(first);
    const judge = async (world: World, wanted: CommandCase, clean: CleanClaims, plan: FaultPlan): Promise<number> => {
      const found = await claimsOf(world, wanted, clean, plan);
      const place = `${nameOf(wanted)} | ${describePlan(plan)}`;
      for (const problem of found) {
        problems.push(`${place}: ${problem}`);
        if (isWhole) printLine(`${place}: ${problem}`);
      }
      return found.length;
    };
    const plans = (clean: CleanClaims): FaultPlan[] =>
      plansFor(clean, strangers).filter((plan) => describePlan(plan).includes(wantedFault));
    let runs = 0;
    try {
      const cases = SENDING.filter((one) => only.test(nameOf(one)));
      if (isWhole) {
        runs = await inTurn(worlds, cases, async (world, wanted) => {
          const clean = await cleanOf(world, wanted, problems);
          if (!clean) return 0;
          const random = randomOf(SENDING.indexOf(wanted));
          const chosen = plans(clean).filter(() => random() < SHARE);
          let found = 0;
          for (const plan of chosen) found += await judge(world, wanted, clean, plan);
          printLine(`${nameOf(wanted)}: ${chosen.length} runs, ${found} false claims`);
          return chosen.length;
        });
      } else {
        const sampled = worlds.map(async (world, part) => {
          const random = randomOf(part);
          for (let count = 0; count < SAMPLE_RUNS;) {
            const wanted = pick(cases, random);
            const clean = await cleanOf(world, wanted, problems);
            if (!clean) continue;
            await judge(world, wanted, clean, pick(plans(clean), random));
            count++;
            runs++;
          }
        });
        await Promise.all(sampled);
      }
    } finally {
      await Promise.all(worlds.map((world) => world.close()));
    }
    printLine(`${runs} runs with a replaced response, ${problems.length} false claims; seed ${SEED}`);
    expect(problems).toEqual([]);
  },
  isWhole ? 6 * HOUR : 600_000,
);
