// Which of our modules lie together in one chunk. Each file costs a start as much as 20 kB of code, and what is not loaded
// costs nothing. So there are few: `kernel`, what nearly every command needs to run (`run`), the flags and functions of a
// group (`commands-roles`), and what only that group needs to run (`work-roles`), which its help never loads.

import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Where a run begins; all that these import, and the help does not, is needed by nearly every command that calls. */
const RUN_ENTRIES = [
  'src/lib/runtime/begin.ts',
  'src/lib/runtime/connect.ts',
  'src/lib/runtime/output/result-text.ts',
  'src/lib/http/engines/node-engine.ts',
];

/** Completion answers each touch of the Tab key: what it shares with a run lies apart from all else that a run needs. */
const TAB_ENTRIES = [
  'src/lib/runtime/completion/answer.ts',
  'src/lib/runtime/completion/sources.ts',
  'src/lib/config/known-ids.ts',
  'src/lib/config/quick-settings.ts',
];

/** Of the contract, what is not one area's own: an area's schemas are built when it is called. */
const SHARED_CONTRACT = /^src\/lib\/contract\/(?:endpoint|explain|failures|limits|names|oauth|shared)\.ts$/;

/** How an error ends the process: so little that a file of its own would cost more. */
const ENDINGS = /^src\/lib\/(?:errors\/exit|runtime\/exit-codes)\.ts$/;

/** What a call that is over within a second has no use for. */
const PROGRESS = 'src/lib/runtime/output/progress.ts';

const RUNTIME = '\0rolldown/runtime.js';

/** What the records of several groups share: their flags and results, and what reads them. */
const SHARED_FLAGS =
  /^src\/(?:commands\/(?:[\w-]*flags?|flag-values|results|resource-commands|page-source)|lib\/contract\/choices|lib\/domain\/(?:warehouse\/definition|csv\/dialect)|lib\/runtime\/command-line\/secret-flags)\.ts$/;

/** The names of the chunks that are made here. */
export const NAMED_CHUNK = /^(?:kernel|quick|run|flags|(?:commands|work)-[\w-]+)$/;

/**
 * @param {string} root the project's folder
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
    // Of which `kernel` takes the version.
    if (path === 'package.json') return 'kernel';
    if (start.has(path)) return library.has(path) || ENDINGS.test(path) ? 'kernel' : null;
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
    // Our modules only define things when they are loaded, so that it does not matter which chunk comes first.
    includeDependenciesRecursively: false,
    groups: [{ name: nameOf, debugName: 'ours' }],
  };
}
