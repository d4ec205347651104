// The summary before a bulk run starts: the counts and the requests.
import { describe, expect, it, test } from 'vitest';
import { renderDsrBulk, renderDsrRows } from '../../../../src/lib/render/dsr-bulk.ts';
import { plainStyle } from '../../../../src/lib/render/style.ts';

test.each([
  ['1 valid row:', 1],
  ['2 rows, all valid:', 2],
])('starts with `%s`', (line, rows) => {
  const facts = {
    rows,
    kinds: new Map([['gdpr access', rows]]),
    cancellable: 0,
    skipWaiting: 0,
    done: 0,
    duplicates: new Map(),
  };
  expect(renderDsrBulk(facts, plainStyle).split('\n')[0]).toBe(line);
});

describe('the requests in a file', () => {
  const request = (type: 'access' | 'erasure', email: string, group?: string) => ({
    regulation: 'gdpr' as const,
    subject_request_id: '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11',
    subject_request_type: type,
    submitted_time: '2026-11-21T08:00:00Z',
    subject_identities: { email: { value: email, encoding: 'raw' as const } },
    ...(group !== undefined && { group_id: group }),
    api_version: '3.0',
  });
  const rows = [
    { row: 9, hasId: false, request: request('access', 'a***@***.com') },
    { row: 10, hasId: true, request: request('erasure', 'b***@***.com', 'spring') },
  ];

  it.each([60, 80, 120])('fit into %d columns', (width) => {
    const lines = renderDsrRows(rows, plainStyle, width).split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
    expect(lines[0]).toMatch(/^ {3}9 {2}gdpr access {3}email=a\*\*\*@\*\*\*\.com, submitted/);
    expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toBe(
      ' 9 gdpr access email=a***@***.com, submitted 2026-11-21T08:00:00Z 10 gdpr erasure email=b***@***.com, submitted 2026-11-21T08:00:00Z, group spring, id 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11',
    );
  });
});
