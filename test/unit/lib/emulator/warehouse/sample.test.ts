// The sample warehouse: identical on every machine, and the default source.
import { readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeSampleWarehouse } from '../../../../../src/lib/emulator/warehouse/sample.ts';
import { opened } from '../../../../helpers/opened.ts';
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts';
import { startSync } from '../../../../helpers/warehouse.ts';

test('is reproducible and private, and never replaces a file', async () => {
  const folder = temporaryFolder();
  const [one, two] = [join(folder, 'one.db'), join(folder, 'two.db')];
  await makeSampleWarehouse(one, 50);
  await makeSampleWarehouse(two, 50);
  expect(readFileSync(one).equals(readFileSync(two))).toBe(true);
  if (process.platform !== 'win32') expect(statSync(one).mode & 0o777).toBe(0o600);
  await expect(makeSampleWarehouse(one, 50)).rejects.toThrow('EEXIST');
  const link = join(folder, 'link.db');
  symlinkSync(join(folder, 'nowhere'), link);
  await expect(makeSampleWarehouse(link, 50)).rejects.toThrow('EEXIST');
  expect(readdirSync(folder).toSorted()).toEqual(['link.db', 'one.db', 'two.db']);
});

test('has new rows for later incremental runs', async () => {
  const sync_mode = { type: 'incremental', iterator_field: 'updated_at', iterator_data_type: 'timestamp' };
  const emulator = await opened(startSync({}, { sync_mode }, 'SELECT * FROM any.shop.customers'));
  await emulator.trigger();
  await emulator.api.advance('30d');
  await emulator.trigger();
  await emulator.api.advance('1s');
  const [second, first] = await emulator.runs();
  expect(first).toMatchObject({ status: 'success', failed_records: 0 });
  expect(first?.successful_records).toBeGreaterThan(500);
  expect(second?.successful_records).toBeGreaterThan(10);
  expect(second?.successful_records).toBeLessThan(100);
  expect(await emulator.profile('email=customer7@shop.example')).toMatchObject({
    user_attributes: { city: 'Accra' },
  });
});

test('contains purchases that become events', async () => {
  const sql = 'SELECT * FROM purchases';
  const events = { pipeline_type: 'events', field_transformation_id: 'map' };
  const emulator = await opened(startSync({}, events, sql));
  await emulator.trigger();
  await emulator.api.advance('1s');
  expect((await emulator.runs())[0]).toMatchObject({
    status: 'success',
    successful_records: 2000,
    failed_records: 0,
  });
});
