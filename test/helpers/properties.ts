// Configures property tests with the run's seed; loaded before each test file.
import fc from 'fast-check';
import { SEED } from './seed.ts';
import { isWhole } from './size.ts';

// With `vitest --mode whole`, a property test without its own number of runs makes fifty times as many runs as usual.
fc.configureGlobal({ seed: SEED, ...(isWhole && { numRuns: 5000 }) });
