// How property tests draw values: by the seed of the run; loaded before each test file.
import fc from 'fast-check';
import { SEED } from './seed.ts';
import { isWhole } from './size.ts';

// A property test that sets no number of runs tries fifty times as many in `vitest --mode whole`.
fc.configureGlobal({ seed: SEED, ...(isWhole && { numRuns: 5000 }) });
