// How the tests run: from the sources, with an environment that is the same on every machine.
import { defineConfig } from 'vitest/config';

// The program reads these, and so do the processes that tests start. A test that wants one passes it.
const FOREIGN = /^(CDPADM_.*|(https?|no|all)_proxy|NO_COLOR|FORCE_COLOR|CI|VISUAL|EDITOR|NODE_EXTRA_CA_CERTS)$/i;
for (const name of Object.keys(process.env)) {
  if (FOREIGN.test(name)) delete process.env[name];
}

/** `--mode whole`. */
const isWhole = process.argv.join(' ').includes('--mode whole');

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // A clock that goes by the machine's zone hides mistakes of the zone.
    env: { TZ: 'America/St_Johns' },
    // Tests wait for sockets and processes as much as they compute: every core has a worker.
    maxWorkers: '100%',
    globalSetup: ['test/helpers/shared-authority.ts'],
    // `--mode whole` gives property tests a larger budget, and the time that it takes.
    setupFiles: ['test/helpers/wire-judge.ts', ...(isWhole ? ['test/helpers/many-runs.ts'] : [])],
    // Against tests that hang, and no measure of speed: a machine that is busy takes many times as long as one at rest.
    testTimeout: isWhole ? 1_800_000 : 120_000,
    hookTimeout: 120_000,
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
});
