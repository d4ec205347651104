// Defines which modules share a chunk. Code that is not loaded costs nothing, but opening a file costs as much as
// loading 20 kB of code, so there are only a few chunks. `kernel` is loaded at every start, and nearly every command
// needs `run`. `commands-roles` contains the commands of one group. `work-roles` contains the code that only this group
// needs to run; the group's help never loads it.

import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Entry modules of `run`. Nearly every command that calls the platform needs them and their imports; help does not. */
const RUN_ENTRIES = [
  'src/lib/runtime/begin.ts',
  'src/lib/runtime/connect.ts',
  'src/lib/runtime/output/output.ts',
  'src/lib/runtime/output/result-text.ts',
  'src/lib/http/engines/node-engine.ts',
];

/** Each press of Tab starts the program, so the code that completion shares with `run` has its own chunk, `quick`. */
const TAB_ENTRIES = [
  'src/lib/runtime/completion/answer.ts',
  'src/lib/runtime/completion/sources.ts',
  'src/lib/config/known-ids.ts',
  'src/lib/config/quick-settings.ts',
];

/** The part of the contract that all areas share. An area's schemas are loaded when a command calls that area. */
const SHARED_CONTRACT = /^src\/lib\/contract\/(?:endpoint|explain|failures|limits|names|oauth|shared)\.ts$/;

/** The module that contains the exit codes, which is too small for a chunk of its own. */
const EXIT_CODES = 'src/lib/errors/entry.ts';

/** Progress output, which a command that takes less than a second does not need. */
const PROGRESS = 'src/lib/runtime/output/progress.ts';

const RUNTIME = '\0rolldown/runtime.js';

/** Modules that the command records of several groups share, such as flags, flag values and results. */
const SHARED_FLAGS =
  /^src\/(?:commands\/(?:[\w-]*flags?|flag-values|(?:bulk-)?results|chain-report|resource-commands|page-source)|lib\/contract\/choices|lib\/render\/view|lib\/domain\/(?:warehouse\/definition|csv\/dialect)|lib\/runtime\/command-line\/secret-flags)\.ts$/;

/** Matches the names of the chunks that this module defines. */
export const NAMED_CHUNK = /^(?:kernel|quick|run|flags|(?:commands|work)-[\w-]+)$/;

/**
 * @param {string} root the project folder
 * @returns {import('rolldown').OutputOptions['codeSplitting']}
 */
export function chunkGroups(root) {
  /** @type {ReturnType<typeof findClosures> | undefined} */
  let closures;

  /** @param {string} id */
  const pathOf = (id) => relative(root, id).replaceAll('\\', '/');

  /** @type {import('rolldown').CodeSplittingGroup['name']} */
  const nameOf = (id, context) => {
    if (id === RUNTIME) return 'kernel';
    closures ??= findClosures((module) => context.getModuleInfo(module));
    const { start, library, run, tab, work } = closures;
    const path = pathOf(id);
    // `kernel` reads the version from this file.
    if (path === 'package.json') return 'kernel';
    if (start.has(path)) return library.has(path) || path === EXIT_CODES ? 'kernel' : null;
    if (path === PROGRESS) return 'work-progress';
    if (SHARED_FLAGS.test(path)) return 'flags';
    const [, group] = /^src\/commands\/([\w-]+)\/[\w-]+\.ts$/.exec(path) ?? [];
    if (group !== undefined) return `commands-${group}`;
    if (path.startsWith('src/lib/contract/') && !SHARED_CONTRACT.test(path)) return null;
    if (run.has(path)) return tab.has(path) ? 'quick' : 'run';
    const [only, other] = work.filter(({ reached }) => reached.has(path));
    return only && !other ? `work-${only.name}` : null;
  };

  /** @param {(id: string) => import('rolldown').ModuleInfo | null} getModuleInfo */
  function findClosures(getModuleInfo) {
    /** @param {string[]} entries */
    const closure = (...entries) => {
      /** @type {Set<string>} */
      const found = new Set(entries);
      for (const path of found) {
        const imported = getModuleInfo(join(root, path))?.importedIds ?? [];
        for (const one of imported.map(pathOf)) if (one.startsWith('src/')) found.add(one);
      }
      return found;
    };
    const groups = readdirSync(join(root, 'src', 'commands'), { withFileTypes: true }).filter((one) =>
      one.isDirectory(),
    );
    return {
      start: closure('src/main.ts'),
      library: closure('src/library.ts'),
      run: closure(...RUN_ENTRIES),
      tab: closure(...TAB_ENTRIES),
      work: groups.map(({ name }) => ({ name, reached: closure(`src/commands/${name}/index.ts`) })),
    };
  }

  return {
    // Loading one of our modules has no side effects, so the order of the chunks does not matter.
    includeDependenciesRecursively: false,
    groups: [{ name: nameOf, debugName: 'ours' }],
  };
}
