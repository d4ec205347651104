// Checks what a killed run leaves behind, and the combined writes of that run and the next.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { host } from '../../src/lib/kernel/host.ts';
import type { ProxiedRequest } from '../helpers/fault-proxy.ts';
import { isStrayed } from '../helpers/stray-file.ts';
import { type CommandCase, hasFlag } from './cases.ts';
import { type Clean, operations, repeatable } from './judge.ts';
import { filesOf, nameOf } from './program.ts';
import type { World } from './world.ts';

/**
 * Commands that repeat their write when they run again, as the user expects. A connection's secret cannot be compared
 * with the platform's, so the same values are set again.
 */
const REPEATS_WRITE =
  /^(pipelines (trigger|reset)|connections update|intake event|api|emulator .*|dsr submit --regulation.*)$/;

export const againFlags = (wanted: CommandCase): string[] => (hasFlag(wanted, '--resume') ? ['--resume'] : []);

/**
 * True if the run was rejected because an earlier run applied part of its saved plan. If so, saves a plan for the
 * rest, as the hint suggests.
 */
export async function savedAgain(world: World, { before = [] }: CommandCase, stderr: string): Promise<boolean> {
  if (!stderr.includes('"plans.changed"')) return false;
  await world.begin();
  for (const step of before) await (typeof step === 'string' ? world.runOk(step) : step(world));
  return true;
}

/**
 * Returns the flags for the next run if this run was rejected because an earlier run recorded the same request
 * without an outcome. The hint suggests sending that request again under its id.
 */
export function sameRequestFlags(stderr: string): string[] {
  const id = /"code":"dsr\.duplicate".* pass --request-id ([0-9a-f-]{36})/.exec(stderr)?.[1];
  return id === undefined ? [] : ['--request-id', id];
}

/**
 * Returns locks that would block other processes, and temporary files that no cleanup would delete. The next write takes
 * over or deletes a dead process's files.
 */
export const locks = (world: World): string[] =>
  filesOf(world)
    // Temporary files may remain in the code cache, which limits its total number of files.
    .filter((path) => !path.startsWith(join(world.home.folder, 'cache', 'code')))
    .filter((path) => path.endsWith('.dead') || (path.endsWith('.lock') && isHeld(path)) || isStrayed(path))
    .map((path) => `${relative(world.home.folder, path)} was left behind`);

function isHeld(path: string): boolean {
  try {
    return host.isAlive((JSON.parse(readFileSync(path, 'utf8')) as { pid: number }).pid);
  } catch {
    // An unreadable lock also blocks other processes.
    return true;
  }
}

/** Compares the writes of all runs with those of a single run: none is repeated and none is missing. */
export function compare(
  wanted: CommandCase,
  runs: number,
  requests: readonly ProxiedRequest[],
  clean: Clean,
): string[] {
  const done = operations(requests);
  const made = repeatable(requests);
  const most = REPEATS_WRITE.test(nameOf(wanted)) || REPEATS_WRITE.test(wanted.command) ? runs : 1;
  return [
    ...[...done]
      .filter(([operation, count]) => count > most * (clean.operations.get(operation) ?? 0))
      .map(
        ([operation, count]) => `done ${count} times instead of ${clean.operations.get(operation) ?? 0}: ${operation}`,
      ),
    ...[...clean.operations]
      .filter(([operation, count]) => (done.get(operation) ?? 0) < count)
      .map(([operation]) => `not done: ${operation}`),
    ...[...clean.repeatable].filter((call) => !made.has(call)).map((call) => `not sent: ${call}`),
  ];
}
