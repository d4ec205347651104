// Imports the built program as a module, for scripts that read its help and reference.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';

/**
 * @param {string} dist
 * @returns {typeof import('../src/main.ts')}
 */
export function builtProgram(dist) {
  /** @type {typeof import('../src/main.ts')} */
  const main = createRequire(import.meta.url)(join(dist, 'main.js'));
  return main;
}

/**
 * Returns an `Io` for rendering help screens. The screens depend only on its width.
 * @param {number} columns
 * @returns {Parameters<typeof import('../src/main.ts').helpScreens>[0]}
 */
export function quietIo(columns) {
  const cwd = import.meta.dirname;
  const nowhere = new PassThrough();
  return {
    env: { HOME: cwd },
    cwd,
    stdin: nowhere,
    stdout: nowhere,
    stderr: nowhere,
    tty: { stdin: false, stdout: false, stderr: false },
    columns: () => columns,
    rows: () => 24,
    clock: { now: Date.now, sleep: () => Promise.resolve() },
    random: Math.random,
  };
}
