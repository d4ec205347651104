// The HTML page of a pipeline's runs is complete, self-contained and free of scripts.
import { describe, expect, it, test } from 'vitest';
import type { RunReply } from '../../../../src/lib/contract/pipeline-runs.ts';
import { runTimelinePage } from '../../../../src/lib/render/pipeline-timeline.ts';

const SOURCE = { pipeline: 'customers' };

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

test('shows runs, rows and failures both as marks and as text', () => {
  const page = runTimelinePage(
    [
      run(3, { status: 'failed', successful_records: 0, errors: [{ message: 'no such table' }] as never }),
      run(2, { failed_records: 17 }),
      run(1),
    ],
    SOURCE,
  );
  expect(page).toContain('2 success, 1 failed');
  expect(page).toContain('2,468 rows accepted, 17 failed');
  expect(page).toContain('last success 2026-01-03 00:01 UTC');
  // The columns are oldest first, but the table rows are newest first.
  expect(page.indexOf('Run 1:')).toBeLessThan(page.indexOf('Run 3:'));
  expect(page.indexOf('id="run-3"')).toBeLessThan(page.indexOf('id="run-1"'));
  expect(page).toContain('✗ failed');
  expect(page).toContain('no such table');
  expect(page).toContain('>1m 30s</td>');
  expect(page.match(/<i class="refused"/g)).toHaveLength(1);
});

test('shows the platform, the organization, the workspace and the time when the page was created', () => {
  const made_on = Date.parse('2026-11-22T06:05:00Z');
  const page = runTimelinePage([run(1)], {
    pipeline: 'customers',
    organization: '1001',
    workspace: '42',
    platform: 'https://platform.example.com',
    made_on,
  });
  const line = /<header>.*<\/header>/s.exec(page)?.[0].replace(/<[^>]*>/g, '');
  expect(line).toContain('Organization 1001 · workspace 42 · https://platform.example.com · 1 run: 1 success ·');
  expect(line).toContain('· made 2026-11-22 06:05 UTC');
});

test('labels each run with its time', () => {
  const dates = runTimelinePage([run(2), run(1)], SOURCE).match(/<div class="date">.*?<\/div>/g);
  expect(dates).toEqual([2, 3].map((day) => `<div class="date">2026-01-0${day}<br>00:00</div>`));
});

test('draws a scale up to the largest run, also if there are no rows', () => {
  const scale = (rows: number) =>
    /<div class="scale".*?<\/div>/.exec(runTimelinePage([run(1, { successful_records: rows })], SOURCE))?.[0];
  expect(scale(2_500_000)).toContain('<span>2.5M rows</span><span>0</span>');
  expect(scale(1)).toContain('<span>1 row</span><span>0</span>');
  expect(scale(0)).toContain('<span>0 rows</span><span>0</span>');
});

test('lists each cause once, with links to its runs', () => {
  const errors = [{ message: 'no such table' }] as never;
  const many = Array.from({ length: 9 }, (_, index) => run(index + 1, { status: 'failed', errors }));
  const page = runTimelinePage([...many, run(10, { status: 'stopped' })], SOURCE);
  const section = /<section class="unwell".*?<\/section>/s.exec(page)?.[0] ?? '';
  expect(section.match(/no such table/g)).toHaveLength(1);
  expect(section).toContain('href="#run-9"');
  expect(section).toContain('and 4 more');
  expect(section).toContain('■ stopped');
  expect(page).toContain('id="run-9"');
});

test('converts times from another zone to UTC', () => {
  const page = runTimelinePage([run(1, { started_on: '2026-01-02T01:00:00+02:00' })], SOURCE);
  expect(page).toContain('2026-01-01<br>23:00');
  expect(page).toContain('>2026-01-01 23:00</td>');
});

test('never loads or executes anything that the platform returns', () => {
  const evil = '"><script>alert(1)</script><img src=x onerror=y>';
  const hostile = run(1, { pipeline_id: evil, id: evil, status: evil, errors: [{ message: evil }] as never } as never);
  const page = runTimelinePage([hostile, run(2, { status: 'failed', errors: [{ message: evil }] as never })], {
    pipeline: evil,
    organization: evil,
    workspace: evil,
    platform: evil,
  });
  expect(page).not.toMatch(/<script|<img|https?:|url\((?!#)|@import/);
  expect(page).toContain('prefers-color-scheme: dark');
  expect(page).toContain('@media print');
});

test('renders a page without runs, with many runs, or with unknown counts', () => {
  expect(runTimelinePage([], SOURCE)).toContain('There are no matching runs.');
  const many = runTimelinePage(
    Array.from({ length: 500 }, (_, index) => run(index + 1)),
    SOURCE,
  );
  expect(many.match(/<i class="rows"/g)).toHaveLength(500);
  expect(many).not.toContain('NaN');
  const unknown = run(1, { successful_records: null, failed_records: undefined, started_on: 'soon' } as never);
  expect(runTimelinePage([unknown], SOURCE)).not.toMatch(/NaN|undefined|Invalid/);
});

describe('more than 2,000 runs', () => {
  const start = Date.parse('2026-01-01T00:00:00Z');
  const many = Array.from({ length: 50_000 }, (_, index) =>
    run(index, {
      started_on: new Date(start + index * 5 * 60_000).toISOString(),
      // There are 288 runs per day, and all runs of the second day fail.
      ...((index % 1000 === 999 || (index >= 288 && index < 576)) && {
        status: 'failed',
        errors: [{ message: 'no table' }],
      }),
      successful_records: index >= 288 && index < 576 ? 0 : 10,
      failed_records: 0,
    }),
  );
  const rowOf = (day: string) => new RegExp(`<tr id="run-${day}".*`).exec(page)?.[0] ?? '';
  const page = runTimelinePage(many, SOURCE);

  it('are drawn per day, on a page smaller than 500 kB', () => {
    expect(page.length).toBeLessThan(500_000);
    expect(page.match(/<tr id="run-/g)).toHaveLength(174);
    expect(page).toContain('All days, newest first');
    expect(page).toContain('title="2026-01-01: 2,880 rows, 0 failed; runs: 288 success"');
    expect(page).toContain('One column per day');
  });

  it('are listed by cause, with links to their days', () => {
    const section = /<section class="unwell".*?<\/section>/s.exec(page)?.[0] ?? '';
    expect(section).toContain('338 runs on <a href="#run-2026-06-23">2026-06-23</a>,');
    expect(section).toContain('and 46 more · last 2026-06-23 14:35 UTC');
    expect(page).toContain('49,662 success, 338 failed');
  });

  it('are drawn as failed on a day without a success, and as a warning on other days with failed runs', () => {
    expect(rowOf('2026-01-02')).toMatch(/class="bad".*✗ failed.*>288 failed</);
    expect(rowOf('2026-01-04')).toMatch(/class="warn".*✗ 1 of 288 failed.*>287 success, 1 failed</);
    expect(rowOf('2026-01-01')).toMatch(/class="good".*✓ success.*>288 success</);
    expect(page.match(/<tr id="[^"]*" class="bad"/g)).toHaveLength(1);
    expect(page.match(/<div class="run warn"/g)).toHaveLength(50);
    // Columns have no text, because it would cover them.
    expect(page).not.toMatch(/<div class="plot">[^/]*<b>/);
  });
});
