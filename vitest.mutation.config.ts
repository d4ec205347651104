// How tests run against mutants (`npm run test:mutation`): those of the mutated floors alone, with small budgets and in
// one worker, so that a mutant costs milliseconds; the same values each time, so that a verdict can be repeated.
import { defineConfig, mergeConfig } from 'vitest/config';
import { createKeptWorker, endKeptWorker, KEPT } from './test/mutation/kept-worker.ts';
import { SmallFirst } from './test/mutation/small-first.ts';
import usual, { shared } from './vitest.config.ts';

/** `TESTS=contract/*` takes a part of them. */
const tests = process.env['TESTS'] ?? '{domain,contract,http,files}/**/*';

const { projects: _tiers, ...others } = usual.test ?? {};

export default mergeConfig(
  defineConfig({ test: { ...shared, ...others } }),
  defineConfig({
    test: {
      include: [`test/unit/lib/${tests}.test.ts`],
      env: { MODE: 'mutation', SEED: '20261122' },
      setupFiles: ['test/mutation/setup.ts'],
      isolate: false,
      sequence: { sequencer: SmallFirst },
      maxWorkers: 1,
    },
    plugins: [
      {
        name: 'kept-worker',
        // Stryker asks for its own pool by the way that nothing else overrides.
        configureVitest({ project, vitest }) {
          Object.assign(project.config, { pool: KEPT, poolRunner: { name: KEPT, createPoolWorker: createKeptWorker } });
          vitest.onClose(endKeptWorker);
        },
      },
    ],
  }),
);
