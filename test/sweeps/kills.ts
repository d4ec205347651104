// Checks what a killed run leaves, and what it and its next run do together.
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
 * Asked for once more, these are done once more: that is what whoever types them again wants. A connection's secret
 * cannot be compared with what the platform holds, so the same values are set again.
 */
const ASKED_ANEW =
  /^(pipelines (trigger|reset)|connections update|intake event|api|emulator .*|dsr submit --regulation.*)$/;

/** The flags of the next run. */
export const againFlags = (wanted: CommandCase): string[] => (hasFlag(wanted, '--resume') ? ['--resume'] : []);

/** Locks and temporary files that block others: the next write takes over or deletes those of a dead process. */
export const locks = (world: World): string[] =>
  filesOf(world)
    // Of the compiled code so many files are kept, whatever their names.
    .filter((path) => !path.startsWith(join(world.home.folder, 'cache', 'code')))
    .filter((path) => path.endsWith('.dead') || (path.endsWith('.lock') && isHeld(path)) || isStrayed(path))
    .map((path) => `${relative(world.home.folder, path)} stands`);

function isHeld(path: string): boolean {
  try {
    return host.isAlive((JSON.parse(readFileSync(path, 'utf8')) as { pid: number }).pid);
  } catch {
    // An unreadable lock blocks others, too.
    return true;
  }
}

/** Compares what all runs did with what one run does: nothing is done twice and nothing is missing. */
export function compare(
  wanted: CommandCase,
  runs: number,
  requests: readonly ProxiedRequest[],
  clean: Clean,
): string[] {
  const done = operations(requests);
  const made = repeatable(requests);
  const most = ASKED_ANEW.test(nameOf(wanted)) || ASKED_ANEW.test(wanted.command) ? runs : 1;
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
