// Ten processes that share one request budget.
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { contend } from '../helpers/contend.ts';

const MINUTE = 60_000;
let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

function busiest(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.max(...sorted.map((from) => sorted.filter((time) => time >= from && time < from + MINUTE).length));
}

describe('a request budget', () => {
  test('is shared by ten processes', async () => {
    const outputs = await contend(10, 'budget', folder, '12');
    const sent = outputs.flatMap((output) => JSON.parse(output) as number[]);
    expect(sent).toHaveLength(120);
    expect(busiest(sent)).toBe(90);
  });
});
