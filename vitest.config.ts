// Runs the tests from the sources, with the same environment on every machine.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import packageJson from './package.json' with { type: 'json' };
import { memoryFolder } from './test/helpers/memory-folder.ts';
import { UnitTestsLast } from './test/helpers/unit-tests-last.ts';

// The program and the processes of tests read these variables. A test that needs one passes it.
const FOREIGN = /^(CDPADM_.*|(https?|no|all)_proxy|NO_COLOR|FORCE_COLOR|CI|VISUAL|EDITOR|NODE_EXTRA_CA_CERTS)$/i;
for (const name of Object.keys(process.env)) {
  if (FOREIGN.test(name)) delete process.env[name];
}

/** With `--mode whole`, sweeps are complete and property tests run more often. */
const isWhole = process.argv.join(' ').includes('--mode whole');

/** The seed of random test data: the commit, or the version without a repository. */
function seedOfCommit(): number {
  const { stdout } = spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' });
  if (/^[0-9a-f]{8}\s*$/.test(stdout)) return Number.parseInt(stdout, 16);
  return createHash('sha256').update(packageJson.version).digest().readUInt32BE();
}
process.env['SEED'] ??= String(seedOfCommit());
const temporary = process.env['TMPDIR'] ?? memoryFolder();
if (temporary !== undefined) process.env['TMPDIR'] = temporary;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // An unusual time zone reveals time zone bugs.
    env: { TZ: 'America/St_Johns', SEED: process.env['SEED'], ...(isWhole && { MODE: 'whole' }) },
    setupFiles: ['test/helpers/judge-setup.ts', 'test/helpers/properties.ts'],
    globalSetup: ['test/helpers/whole-run.ts'],
    // Stops hanging tests; it does not measure speed, because a busy machine is many times slower.
    testTimeout: isWhole ? 1_800_000 : 600_000,
    hookTimeout: 600_000,
    // Reloading the modules for each file would take longer than many tests.
    isolate: false,
    // Its parser imports JSON in a way that only bundlers accept.
    server: { deps: { inline: [/@actions\//] } },
    // Keeps compiled modules between runs, by their content.
    experimental: { fsModuleCache: true },
    // Tests wait for sockets and processes as much as they compute, so there are more workers than cores.
    maxWorkers: availableParallelism() * 2,
    // With more space for young objects, garbage collection takes less time.
    execArgv: ['--max-semi-space-size=32'],
    sequence: { sequencer: UnitTestsLast },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
});
