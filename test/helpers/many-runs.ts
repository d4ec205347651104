// `vitest --mode whole`: property tests that say no number of runs take fifty times as many; loaded by vitest.config.ts.
import fc from 'fast-check';

fc.configureGlobal({ numRuns: 5000 });
