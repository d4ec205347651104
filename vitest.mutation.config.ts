// Runs tests against mutants (`npm run test:mutation`): only those of the mutated folders, with few runs and in one
// worker, so that a mutant takes milliseconds. The values are fixed, so that results are reproducible.
import { defineConfig, mergeConfig } from 'vitest/config';
import { createKeptWorker, endKeptWorker, KEPT } from './test/mutation/kept-worker.ts';
import { SmallFirst } from './test/mutation/small-first.ts';
import usual from './vitest.config.ts';

/** `TESTS=contract/*` runs some of them. */
const tests = process.env['TESTS'] ?? '{domain,contract,http,files}/**/*';

const { include: _all, ...others } = usual.test ?? {};

export default mergeConfig(
  defineConfig({ test: others }),
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
        // Stryker sets its own pool, and only this hook can override it.
        configureVitest({ project, vitest }) {
          Object.assign(project.config, { pool: KEPT, poolRunner: { name: KEPT, createPoolWorker: createKeptWorker } });
          vitest.onClose(endKeptWorker);
        },
      },
    ],
  }),
);
