// The exact reading of a row: as it goes out, or each thing that is wrong with it.
import { describe, expect, it } from 'vitest';
import { createRowRules } from '../../../../../src/lib/domain/seed/row-rules.ts';
import { checkRow } from '../../../../../src/lib/domain/seed/read-row.ts';
import { readRow } from './rows.ts';

const rules = createRowRules({});
const ROW = '{"environment":"production","xpid":7,"calculated_attributes":{}}';
const issue = (message: string, path: (string | number)[] = []) => ({ issues: [{ path, message }] });

describe('the text of a row', () => {
  it('goes out in its usual spelling, its long ids exact', () => {
    const text = ' {"environment": "production", "xpid": -7201284209016359738, "calculated_attributes": {}} ';
    expect(readRow(text, rules)).toEqual({ text: text.replaceAll(' ', '') });
  });

  it('holds no field twice', () => {
    expect(readRow(ROW.replace('"xpid":7', '"xpid":7,"xpid":8'), rules)).toEqual(
      issue('a field is duplicate, or is not allowed'),
    );
  });

  it('is JSON, or it is said where it ceases to be', () => {
    const cut = readRow('{"a":x}', rules);
    expect(cut).toMatchObject({
      issues: [{ path: [], message: expect.stringMatching(/ \(character 6\)$/) as string }],
    });
  });

  it.each([
    ['holds the row', `{"rejected":"why","row":${ROW}}`],
    ['holds its text', `{"rejected":"why","text":${JSON.stringify(ROW)}}`],
    ['holds both', `{"rejected":"why","row":${ROW},"text":"x"}`],
  ])('may be a line of refused rows that %s', (_what, text) => {
    expect(readRow(text, rules)).toEqual({ text: ROW });
  });

  it.each([
    ['a text', `{"rejected":"why","text":7}`, 'unknown field `rejected`'],
    ['a row', `{"rejected":"why"}`, 'unknown field `rejected`'],
    ['the word', `{"row":${ROW}}`, 'unknown field `row`'],
  ])('is no such line without %s', (_what, text, message) => {
    const read = readRow(text, rules);
    expect('issues' in read && read.issues.map((found) => found.message)).toContain(message);
  });

  it('of a refused row may be wrong in its turn', () => {
    expect(readRow('{"rejected":"why","text":"{"}', rules)).toHaveProperty('issues');
  });

  it.each(['null', '7', '"rejected"', '[]'])('is no row where it is %s', (text) => {
    expect(readRow(text, rules)).toMatchObject({ issues: [{ path: [] }] });
  });
});

describe('a row in a deployment’s words', () => {
  const words = createRowRules({ xpid: 'pid' });

  it('is told by its own words', () => {
    const value = { environment: 'production', calculated_attributes: {} };
    expect(checkRow({ ...value, pid: 'x' }, words)).toMatchObject({ issues: [{ path: ['pid'] }] });
    expect(checkRow({ ...value, xpid: 'x' }, words)).toMatchObject({ issues: [{ path: ['xpid'] }] });
  });

  it('cannot say the same twice', () => {
    const value = { environment: 'production', pid: 1, xpid: 2, calculated_attributes: {} };
    expect(checkRow(value, words)).toEqual(issue('two fields are called xpid on the wire'));
  });
});
