// A first line that contains data is recognized, so that no message shows personal data as column names.
import { describe, expect, it } from 'vitest';
import { NOT_A_HEADER } from '../../../../../src/lib/domain/csv/dialect.ts';
import { planColumns } from '../../../../../src/lib/domain/dsr/rows.ts';
import { readHeader } from '../../../../../src/lib/domain/seed/columns.ts';
import { createWireNames } from '../../../../../src/lib/contract/names.ts';

const names = createWireNames({});
const rules = { names, identityTypes: { words: new Set<string>(), issue: () => undefined }, ignoresUnnamed: false };

const messagesOf = (columns: readonly string[]): string[][] =>
  [planColumns(columns, new Map(), names), readHeader(columns, undefined, rules)].map(({ issues }) =>
    issues.map((issue) => ('path' in issue ? issue.path : '') + issue.message),
  );

describe('a first line', () => {
  it.each([
    ['an email address', 'access,jane@x.example,gdpr'],
    ['a UUID', 'Jane,3F2504E0-4F89-41D3-9A0C-0305E82C3301'],
    ['a digest', `x,${'0a'.repeat(32)}`],
    ['a number and no known column', 'Jane Roe,4471'],
  ])('is reported without its values if it contains %s', (_name, line) => {
    for (const messages of messagesOf(line.split(','))) expect(messages).toEqual([NOT_A_HEADER]);
  });

  it('is treated as a header if it contains a number and a known column', () => {
    expect(messagesOf(['email', 'identity:email', '2024']).flat().join()).toContain('2024');
  });
});
