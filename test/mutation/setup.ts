// Loaded before each test file that runs against mutants.
import fc from 'fast-check';
import { afterEach, beforeEach, inject } from 'vitest';
import './every-module.ts';
import { SEED } from '../helpers/seed.ts';

// Uses the same values each time and skips shrinking.
fc.configureGlobal({ seed: SEED, endOnFailure: true, numRuns: 50 });

const given = inject as (key: string) => unknown;
/** The mutant of this run, or undefined. */
const mutant = given('activeMutant');
const kept = globalThis as { noticed?: unknown };

// Deactivates the previous mutant while this run collects its tests; Stryker then activates the current one.
const switches = (globalThis as Record<string, unknown>)[String(given('globalNamespace'))];
if (given('mutantActivation') !== 'static') Object.assign(switches ?? {}, { activeMutant: undefined });

// One failed test is enough to detect a mutant. Vitest's own `bail` would terminate the worker.
beforeEach(({ skip }) => {
  if (mutant !== undefined && kept.noticed === mutant) skip();
});
afterEach(({ task }) => {
  if (task.result?.state === 'fail') kept.noticed = mutant;
});
