// Starts a server of the benchmarks as a child process, and returns once it has printed its ready line.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../bin/cdpadm.js', import.meta.url));

/** @typedef {import('../src/lib/emulator/base/embedding.ts').EmulatorReady} Ready */

/** @param {string[]} args @param {Record<string, string>} env */
export async function serve(args, env = {}) {
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const ready = /** @type {Ready} */ (JSON.parse(String(line)));
  const stop = async () => {
    const ended = once(child, 'close');
    child.kill();
    await ended;
  };
  return { ready, stop };
}

/** @param {string} folder */
export function startPlatform(folder) {
  return serve([program, 'emulator', 'start', '--memory', '--port', '0', '-o', 'json'], {
    CDPADM_CONFIG_DIR: folder,
    CDPADM_STATE_DIR: folder,
    CDPADM_CACHE_DIR: folder,
    CDPADM_DATA_DIR: folder,
  });
}
