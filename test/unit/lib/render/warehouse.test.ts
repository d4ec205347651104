// The text for one connection, data model or pipeline has the same format as in lists, without empty fields.
import { expect, test } from 'vitest';
import { plainStyle } from '../../../../src/lib/render/style.ts';
import { drawRecord, drawTable, filledColumns } from '../../../../src/lib/render/table.ts';
import { resourceListView, type ShownResource, resourceView } from '../../../../src/lib/render/warehouse.ts';
import type { ResourceType } from '../../../../src/lib/domain/warehouse/definition.ts';

function recordText(type: ResourceType, resource: ShownResource): string {
  return drawRecord(resource, filledColumns(resource, resourceView(type).columns), plainStyle, 100);
}

const pipeline = {
  id: 'people',
  name: 'People',
  state: 'active',
  status: 'idle',
  errors: [],
  partner_feed_id: null,
  data_plan_id: '',
  sync_mode: { type: 'full' },
  schedule: { type: 'on_demand' },
};

test('formats a pipeline as in lists, without empty fields', async () => {
  expect(recordText('pipeline', pipeline)).toBe(
    [
      'ID         people',
      'NAME       People',
      'STATE      active',
      'STATUS     idle',
      'SYNC MODE  full',
      'SCHEDULE   on_demand',
    ].join('\n'),
  );
  const columns = resourceListView('pipeline').columns;
  const list = await drawTable([pipeline], columns, { width: 100, style: plainStyle, header: false });
  expect(list).toContain('full  on_demand');
});

test('shows additional fields in a schedule, a sync mode or a configuration', () => {
  const more = {
    ...pipeline,
    sync_mode: { type: 'incremental', iterator_field: 'updated_at', iterator_data_type: 'timestamp', until: null },
    schedule: { type: 'interval', frequency: 'hourly', delay: '5m' },
  };
  const lines = recordText('pipeline', more).split('\n');
  expect(lines).toContain('SYNC MODE  incremental, iterator_field: updated_at, iterator_data_type: timestamp');
  expect(lines).toContain('SCHEDULE   interval, frequency: hourly, delay: 5m');
  const connection = { id: 'crm', config: { host: 'db.example', port: 5439, tags: ['a'], password: '********' } };
  expect(recordText('connection', connection)).toBe(
    'ID      crm\nCONFIG  host: db.example, port: 5439, tags: ["a"], password: ********',
  );
});

test('writes nested records as JSON in machine-readable output', () => {
  const valueOf = (key: string) => resourceView('pipeline').columns.find((column) => column.key === key);
  expect(valueOf('schedule')?.value({ ...pipeline })).toBe('{"type":"on_demand"}');
});
