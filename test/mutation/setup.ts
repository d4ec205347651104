// Before each test file that runs against mutants.
import fc from 'fast-check';
import { afterEach, beforeEach, inject } from 'vitest';
import './every-module.ts';
import { SEED } from '../helpers/seed.ts';

// The same values each time, and no search for a smaller counterexample.
fc.configureGlobal({ seed: SEED, endOnFailure: true, numRuns: 50 });

const given = inject as (key: string) => unknown;
/** Which mutant this run is about; undefined where it is about none. */
const mutant = given('activeMutant');
const kept = globalThis as { noticed?: unknown };

// The one of the run before must not be awake while the tests of this one are collected; Stryker wakes its own after.
const switches = (globalThis as Record<string, unknown>)[String(given('globalNamespace'))];
if (given('mutantActivation') !== 'static') Object.assign(switches ?? {}, { activeMutant: undefined });

// One test that fails is enough. Vitest's own way of stopping then (`bail`) ends the worker.
beforeEach(({ skip }) => {
  if (mutant !== undefined && kept.noticed === mutant) skip();
});
afterEach(({ task }) => {
  if (task.result?.state === 'fail') kept.noticed = mutant;
});
