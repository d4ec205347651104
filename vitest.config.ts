// How the tests run: from the sources, with an environment that is the same on every machine.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { defineConfig, type TestUserConfig } from 'vitest/config';
import packageJson from './package.json' with { type: 'json' };
import { memoryFolder } from './test/helpers/memory-folder.ts';

// The program reads these, and so do the processes that tests start. A test that wants one passes it.
const FOREIGN = /^(CDPADM_.*|(https?|no|all)_proxy|NO_COLOR|FORCE_COLOR|CI|VISUAL|EDITOR|NODE_EXTRA_CA_CERTS)$/i;
for (const name of Object.keys(process.env)) {
  if (FOREIGN.test(name)) delete process.env[name];
}

/** `--mode whole`: every sweep goes through everything, and property tests have a larger budget. */
const isWhole = process.argv.join(' ').includes('--mode whole');

/** What tests draw at random follows from the commit, or from the version where there is no repository. */
function seedOfCommit(): number {
  const { stdout } = spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' });
  if (/^[0-9a-f]{8}\s*$/.test(stdout)) return Number.parseInt(stdout, 16);
  return createHash('sha256').update(packageJson.version).digest().readUInt32BE();
}
process.env['SEED'] ??= String(seedOfCommit());
const temporary = process.env['TMPDIR'] ?? memoryFolder();
if (temporary !== undefined) process.env['TMPDIR'] = temporary;

/** What every tier has in common. */
export const shared: TestUserConfig = {
  // A clock that follows the machine's zone hides mistakes in time zones.
  env: { TZ: 'America/St_Johns', SEED: process.env['SEED'], ...(isWhole && { MODE: 'whole' }) },
  setupFiles: ['test/helpers/judge-setup.ts', 'test/helpers/properties.ts'],
  // Against tests that hang, and no measure of speed: a machine that is busy takes many times as long as one at rest.
  testTimeout: isWhole ? 1_800_000 : 600_000,
  hookTimeout: 600_000,
  // Loading the modules again for each file would take longer than many of the tests.
  isolate: false,
};

export default defineConfig({
  test: {
    // Tests wait for sockets and processes as much as they compute: every core has a worker.
    maxWorkers: '100%',
    globalSetup: ['test/helpers/whole-run.ts'],
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
    projects: [
      { test: { ...shared, name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      { test: { ...shared, name: 'program', include: ['test/**/*.test.ts'], exclude: ['test/unit/**'] } },
    ],
  },
});
