// Loaded into the program before its own modules (`--import`). Counts the program's writes under one folder and kills
// it with SIGKILL before, halfway through or after one of them. `KILL_FOLDER`: the folder; `KILL_LOG`: a log with one
// line for each operation, written before it runs; `KILL_AT`: the zero-based index of the operation, or absent for
// none; `KILL_HOW`: `before`, `half` or `after`.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';
import { isMainThread } from 'node:worker_threads';

type Call = (...args: unknown[]) => unknown;
type Calls = Record<string, Call>;

/** Returns the path that a call changes; undefined if the call changes nothing under the folder. */
type PathOf = (args: readonly unknown[]) => string | undefined;

const { KILL_AT, KILL_FOLDER: folder, KILL_HOW: how, KILL_LOG: log } = process.env;
// The program must not print these variables or pass them to its children.
for (const name of Object.keys(process.env)) if (/^(KILL_.*|NODE_OPTIONS)$/.test(name)) delete process.env[name];

if (isMainThread && folder !== undefined && log !== undefined) {
  arm(folder, log, KILL_AT === undefined ? Infinity : Number(KILL_AT));
}

function arm(below: string, logFile: string, at: number): void {
  const { appendFileSync, lstatSync } = fs;
  const sync = fs as unknown as Calls;
  const promises = fs.promises as unknown as Calls;
  const openFiles = new Map<number, string>();
  let count = 0;
  // Ignore the calls that a `node:fs` function makes to other functions in the module.
  let isInside = false;

  const here: PathOf = ([path]) => {
    if (typeof path === 'number') return openFiles.get(path);
    const full = resolve(String(path));
    return full.startsWith(`${below}/`) ? full : undefined;
  };
  const second: PathOf = ([, path]) => here([path]);
  const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const new_: PathOf = (args) => {
    const path = here(args);
    return path === undefined || exists(path) ? undefined : path;
  };
  const old: PathOf = (args) => {
    const path = here(args);
    return path !== undefined && exists(path) ? path : undefined;
  };
  const opened: PathOf = (args) => {
    const path = here(args);
    const flags = args[1] ?? 'r';
    if (path === undefined || flags === 'r' || flags === fs.constants.O_RDONLY) return undefined;
    return path;
  };

  const die = (): void => void process.kill(process.pid, 'SIGKILL');

  function wrap(calls: Calls, name: string, pathOf: PathOf, half?: (args: readonly unknown[]) => unknown[]): void {
    const original = calls[name];
    if (!original) throw new Error(`node:fs has no ${name}`);
    calls[name] = (...args) => {
      const path = isInside ? undefined : pathOf(args);
      if (path === undefined) return original(...args);
      const isTarget = count++ === at;
      appendFileSync(logFile, `${name} ${path.slice(below.length + 1)}\n`);
      if (isTarget && how === 'before') die();
      isInside = true;
      try {
        if (isTarget && how === 'half' && half) original(...half(args));
        if (isTarget && how === 'half') die();
        const result = original(...args);
        if (name === 'openSync') openFiles.set(result as number, path);
        if (!(result instanceof Promise)) {
          if (isTarget) die();
          return result;
        }
        return result.finally(() => {
          if (isTarget) die();
        });
      } finally {
        isInside = false;
      }
    };
  }

  const halfOf = (data: unknown): Buffer => {
    const bytes = Buffer.from(data as string);
    return bytes.subarray(0, Math.floor(bytes.length / 2));
  };
  const halfData = ([file, data, ...rest]: readonly unknown[]): unknown[] => [file, halfOf(data), ...rest];
  wrap(sync, 'openSync', opened);
  wrap(sync, 'writeSync', here, ([file, data, offset, length, position]) =>
    typeof data === 'string'
      ? [file, halfOf(data)]
      : [file, data, offset, Math.floor(Number(length ?? (data as Buffer).length) / 2), position],
  );
  for (const name of ['writeFileSync', 'appendFileSync']) wrap(sync, name, here, halfData);
  wrap(sync, 'writevSync', here, ([file, parts]) => [file, [halfOf(Buffer.concat(parts as Buffer[]))]]);
  for (const name of ['renameSync', 'linkSync', 'symlinkSync', 'copyFileSync']) wrap(sync, name, second);
  for (const name of ['rmSync', 'unlinkSync', 'rmdirSync']) wrap(sync, name, old);
  for (const name of ['truncateSync', 'ftruncateSync', 'chmodSync', 'fchmodSync', 'mkdtempSync'])
    wrap(sync, name, here);
  wrap(sync, 'mkdirSync', new_);
  for (const name of ['writeFile', 'appendFile']) wrap(promises, name, here);
  for (const name of ['rename', 'link', 'symlink', 'copyFile']) wrap(promises, name, second);
  for (const name of ['rm', 'unlink', 'rmdir']) wrap(promises, name, old);
  for (const name of ['truncate', 'chmod', 'mkdtemp']) wrap(promises, name, here);
  wrap(promises, 'mkdir', new_);
  const { closeSync } = fs;
  fs.closeSync = (file) => {
    openFiles.delete(file);
    closeSync(file);
  };
  syncBuiltinESMExports();
}
