// The statuses that might be temporary and that leave the outcome of a request unknown.
import { expect, test } from 'vitest';
import { isServerTrouble } from '../../../../src/lib/contract/failures.ts';

test.each([[500], [502], [503], [504], [506], [599]])('treats status %d as a server problem', (status) => {
  expect(isServerTrouble(status)).toBe(true);
});

test.each([[200], [429], [499], [501], [505]])('does not treat status %d as a server problem', (status) => {
  expect(isServerTrouble(status)).toBe(false);
});
