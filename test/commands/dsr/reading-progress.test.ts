// Checks that waiting for the ledger is reported, and that the ledger is closed when its reader stops.
import { expect, test } from 'vitest';
import { withReadingProgress } from '../../../src/commands/dsr/session.ts';

test.each([
  [
    'reports each wait and closes the ledger after the last part',
    3,
    ['begin', 1, 'end', 'begin', 2, 'end', 'begin', 'closed', 'end'],
  ],
  ['closes the ledger when the reader stops early', 1, ['begin', 1, 'end', 'closed']],
  ['closes the ledger when reading fails', 0, ['begin', 'closed', 'end', 'failed']],
])('%s', async (_how, wanted, expected) => {
  const events: unknown[] = [];
  async function* parts(): AsyncGenerator<number, void> {
    try {
      for (const part of [1, 2]) {
        await Promise.resolve();
        if (wanted === 0) throw new Error('failed');
        events.push(part);
        yield part;
      }
    } finally {
      events.push('closed');
    }
  }
  const waits = () => {
    events.push('begin');
    return () => void events.push('end');
  };
  try {
    for await (const part of withReadingProgress({ out: { waits } }, parts())) if (part === wanted) break;
  } catch (error) {
    events.push((error as Error).message);
  }
  expect(events).toEqual(expected);
});
