// Work for many items at once: the order of the results, the limit, and the first failure.
import { expect, it } from 'vitest';
import { mapConcurrently } from '../../../../src/lib/kernel/concurrent.ts';

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
};

it('keeps the order of the items, and never works on more than the limit', async () => {
  let [open, most] = [0, 0];
  const results = await mapConcurrently([5, 1, 4, 0, 3, 2], 3, async (count) => {
    most = Math.max(most, ++open);
    await turns(count * 10);
    open--;
    return count * 2;
  });
  expect([results, most]).toEqual([[10, 2, 8, 0, 6, 4], 3]);
});

it('starts no other item after the first failure', async () => {
  const started: number[] = [];
  const work = async (item: number): Promise<void> => {
    started.push(item);
    await turns(item === 1 ? 1 : 10);
    if (item === 1) throw new Error('failed');
  };
  await expect(mapConcurrently([0, 1, 2, 3, 4, 5, 6], 2, work)).rejects.toThrow('failed');
  await turns(100);
  expect(started).toEqual([0, 1]);
});
