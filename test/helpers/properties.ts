// Configures property tests with the run's seed; loaded before each test file.
import fc from 'fast-check';
import { SEED } from './seed.ts';
import { isWhole } from './size.ts';

// With `vitest --mode whole`, a property test without its own number of runs has fifty times as many runs.
fc.configureGlobal({ seed: SEED, ...(isWhole && { numRuns: 5000 }) });
