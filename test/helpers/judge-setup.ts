// Fails a test file by exchanges that were not as the OpenAPI document says; loaded before each test file.
import { afterAll } from 'vitest';
import { remainingViolations, requireConformance } from './wire-judge.ts';

afterAll(async () => {
  requireConformance(await remainingViolations());
});
