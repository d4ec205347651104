// Advice on a definition, and the description of the range that is read again after a reset.
import { expect, it } from 'vitest';
import { adviseOn, describeReread } from '../../../../../src/lib/domain/warehouse/definition.ts';
import type { Definition } from '../../../../../src/lib/domain/warehouse/definition.ts';

const definition = (mode: string, schedule: string): Definition => ({
  id: 'p',
  sync_mode: { type: mode },
  schedule: { type: schedule },
});

it('advises only against a full sync on a repeating schedule', () => {
  expect(adviseOn('pipeline', definition('full', 'interval'))).toEqual([
    { path: ['sync_mode', 'type'], message: expect.stringMatching(/^a full sync on a repeating schedule/) as string },
  ]);
  expect(adviseOn('pipeline', definition('incremental', 'interval'))).toEqual([]);
  expect(adviseOn('pipeline', definition('full', 'once'))).toEqual([]);
  expect(adviseOn('data_model', definition('full', 'interval'))).toEqual([]);
  expect(adviseOn('pipeline', { id: 'p' })).toEqual([]);
});

it.each<[Record<string, unknown>, string]>([
  [{}, 'again from its first row.'],
  [{ from: '2026-01-01' }, 'again from 2026-01-01 on.'],
  [{ until: '2026-02-01' }, 'again from its first row, up to 2026-02-01.'],
  [{ from: '2026-01-01', until: '2026-02-01' }, 'again from 2026-01-01 on, up to 2026-02-01.'],
])('describes the range that is read again with the sync mode %j', (sync_mode, range) => {
  expect(describeReread({ id: 'p', data_model_id: 'm', sync_mode })).toBe(
    `This resets the sync position: the next run reads data model m ${range}`,
  );
});
