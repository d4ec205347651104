// The statuses that may be temporary and leave the outcome of a request unknown.
import { expect, test } from 'vitest';
import { isServerTrouble } from '../../../../src/lib/contract/failures.ts';

test.each([
  [200, false],
  [429, false],
  [499, false],
  [500, true],
  [501, false],
  [502, true],
  [503, true],
  [504, true],
  [505, false],
  [506, true],
  [599, true],
])('reports status %d as a server problem: %s', (status, trouble) => {
  expect(isServerTrouble(status)).toBe(trouble);
});
