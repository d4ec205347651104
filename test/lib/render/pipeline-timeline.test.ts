// The page of a pipeline's runs: everything on it, nothing from elsewhere, nothing that runs.
import { expect, test } from 'vitest';
import type { RunReply } from '../../../src/lib/contract/pipeline-runs.ts';
import { runTimelinePage } from '../../../src/lib/render/pipeline-timeline.ts';

function run(id: number, fields: Partial<RunReply> = {}): RunReply {
  const day = String((id % 28) + 1).padStart(2, '0');
  return {
    id,
    pipeline_id: 'customers',
    type: 'interval',
    status: 'success',
    errors: [],
    logical_date: `2026-01-${day}T00:00:00Z`,
    started_on: `2026-01-${day}T00:00:00Z`,
    ended_on: `2026-01-${day}T00:01:30Z`,
    successful_records: 1234,
    failed_records: 0,
    ...fields,
  } as RunReply;
}

test('runs, rows and failures, in words too', () => {
  const page = runTimelinePage([
    run(3, { status: 'failed', successful_records: 0, errors: [{ message: 'no such table' }] as never }),
    run(2, { failed_records: 17 }),
    run(1),
  ]);
  expect(page).toContain('3 runs (2 success, 1 failed); 2,468 rows went in, 17 failed.');
  // The oldest column first, the newest row of the table first.
  expect(page.indexOf('Run 1:')).toBeLessThan(page.indexOf('Run 3:'));
  expect(page.indexOf('<td>3</td>')).toBeLessThan(page.indexOf('<td>1</td>'));
  expect(page).toContain('✗ failed');
  expect(page).toContain('no such table');
  expect(page).toContain('<td>1m 30s</td>');
  expect(page.match(/class="refused"/g)).toHaveLength(1);
});

test('one file that loads and runs nothing, whatever the platform says', () => {
  const evil = '"><script>alert(1)</script><img src=x onerror=y>';
  const page = runTimelinePage([run(1, { pipeline_id: evil, status: evil, errors: [{ message: evil }] as never })]);
  expect(page).not.toMatch(/<script|<img|https?:|url\((?!#)|@import/);
  expect(page).toContain('prefers-color-scheme: dark');
  expect(page).toContain('@media print');
});

test('no runs, many runs, unknown counts', () => {
  expect(runTimelinePage([])).toContain('There are no such runs.');
  const many = runTimelinePage(Array.from({ length: 500 }, (_, index) => run(index + 1)));
  expect(many.match(/class="rows"/g)).toHaveLength(500);
  expect(many).not.toContain('NaN');
  expect(runTimelinePage([run(1, { successful_records: null, failed_records: undefined } as never)])).not.toContain(
    'NaN',
  );
});
