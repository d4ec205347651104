// Null words (words for a missing value): some make a cell empty, and none is accepted as an identity.
import { describe, expect, it } from 'vitest';
import { createWireNames } from '../../../../src/lib/contract/names.ts';
import { partsOfRow } from '../../../../src/lib/domain/dsr/rows.ts';
import { normalizeRequest } from '../../../../src/lib/domain/dsr/normalize.ts';
import { createNullWords } from '../../../../src/lib/domain/null-words.ts';

const WORDS = ['NULL', 'null', 'NaN', 'nan', 'None'];
const ISSUE = 'is the null word';

describe('reading rows of data subject requests', () => {
  it('treats \\N and the --null words as empty cells', () => {
    const row = (nulls?: Parameters<typeof partsOfRow>[3]) =>
      partsOfRow(['\\N', '-', 'a@b.c'], ['group_id', 'email', 'other'], { group_id: 'all' }, nulls).parts;
    expect(row()).toMatchObject({ group_id: 'all', identities: [['email', '-'], ['other', 'a@b.c']] }); // prettier-ignore
    expect(row(createNullWords(['-'])).identities).toEqual([['other', 'a@b.c']]);
  });

  it.each(WORDS)('rejects %s as a group id, unless --null makes the cell empty', (word) => {
    const { issues } = partsOfRow([word], ['group_id'], {});
    expect(issues).toEqual([{ path: ['group_id'], message: expect.stringContaining(ISSUE) as string }]);
    expect(partsOfRow([word], ['group_id'], {}, createNullWords([word])).issues).toEqual([]);
  });
});

describe('a data subject request', () => {
  const body = (own: object, extended?: object) => ({
    regulation: 'gdpr',
    subject_request_id: '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11',
    subject_request_type: 'erasure',
    submitted_time: '2026-01-01T00:00:00Z',
    subject_identities: own,
    ...(extended && { extensions: { 'opendsr.platform.example': { subject_identities: extended } } }),
  });
  const options = { vendorDomain: 'platform.example', names: createWireNames({}) };
  const raw = (value: string) => ({ value, encoding: 'raw' });
  const paths = (value: unknown): unknown[] =>
    normalizeRequest(value, options, Date.parse('2026-02-01T00:00:00Z')).issues.map(({ path, message }) => [
      path.at(-2),
      message.includes(ISSUE),
    ]);

  it.each(['\\N', ...WORDS])('is rejected if %s is an identity, even in the vendor extension', (word) => {
    expect(paths(body({ email: raw(word) }))).toEqual([['email', true]]);
    expect(paths(body({ email: raw('a@b.c') }, { other: raw(word) }))).toEqual([['other', true]]);
    expect(paths(body({ email: raw(`${word}@b.c`) }))).toEqual([]);
  });
});
