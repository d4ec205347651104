// Before each test file that runs against mutants.
import fc from 'fast-check';
import './every-module.ts';

// The same values each time, and no search for a smaller counterexample.
fc.configureGlobal({ seed: 20_261_122, endOnFailure: true, numRuns: 50 });
