// Reading the ledger is told while it is waited for, and is closed when nobody wants more.
import { expect, test } from 'vitest';
import { toldReading } from '../../../../src/commands/dsr/session.ts';

test.each([
  ['to its end', 3, ['begin', 1, 'end', 'begin', 2, 'end', 'begin', 'closed', 'end']],
  ['as far as it is wanted', 1, ['begin', 1, 'end', 'closed']],
  ['until it fails', 0, ['begin', 'closed', 'end', 'failed']],
])('%s', async (_how, wanted, expected) => {
  const told: unknown[] = [];
  async function* parts(): AsyncGenerator<number, void> {
    try {
      for (const part of [1, 2]) {
        await Promise.resolve();
        if (wanted === 0) throw new Error('failed');
        told.push(part);
        yield part;
      }
    } finally {
      told.push('closed');
    }
  }
  const waits = () => {
    told.push('begin');
    return () => void told.push('end');
  };
  try {
    for await (const part of toldReading({ out: { waits } }, parts())) if (part === wanted) break;
  } catch (error) {
    told.push((error as Error).message);
  }
  expect(told).toEqual(expected);
});
