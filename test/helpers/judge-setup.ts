// Loaded before each test file. Fails the file if an exchange violates the OpenAPI document.
import { afterAll } from 'vitest';
import { remainingViolations, requireConformance } from './wire-judge.ts';

afterAll(async () => {
  requireConformance(await remainingViolations());
});
