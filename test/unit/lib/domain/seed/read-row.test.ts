// Exact parsing of a row returns the text to send, or all issues.
import { describe, expect, it } from 'vitest';
import { checkRow, createRowRules } from '../../../../../src/lib/domain/seed/read-row.ts';
import { RowShapes } from '../../../../../src/lib/domain/seed/row-shapes.ts';
import { readRow } from './rows.ts';

const rules = createRowRules({});
const ROW = '{"environment":"production","xpid":7,"calculated_attributes":{}}';
const issue = (message: string, path: (string | number)[] = []) => ({ issues: [{ path, message }] });

describe("a row's text", () => {
  it('is normalized without changing long ids', () => {
    const text = ' {"environment": "production", "xpid": -7201284209016359738, "calculated_attributes": {}} ';
    expect(readRow(text, rules)).toEqual({ text: text.replaceAll(' ', '') });
  });

  it('is rejected if it has a duplicate key', () => {
    expect(readRow(ROW.replace('"xpid":7', '"xpid":7,"xpid":8'), rules)).toEqual(
      issue('a field is duplicated or not allowed'),
    );
  });

  it('is rejected if a number would be rounded, in every spelling', () => {
    for (const spelling of ['"seed":{"value":12345678901234567.25}', '"seed":{"value":1234567890123456725e-2}']) {
      const attribute = `"attribute_name":"a","calculation_type":"sum","cutoff_date":"2026-01-31",${spelling}`;
      const row = ROW.replace(':{}', `:{"1":[{${attribute}}]}`);
      expect(new RowShapes(rules).learn(Buffer.from(`${row}\n`), 0, row.length), row).toBe(false);
      expect(readRow(row, rules)).toMatchObject({
        issues: [
          { message: expect.stringMatching(/too many digits to be sent exactly; write it in quotes \(char/) as string },
        ],
      });
    }
  });

  it('is rejected with the position of a JSON error', () => {
    const cut = readRow('{"a":x}', rules);
    expect(cut).toMatchObject({
      issues: [{ path: [], message: expect.stringMatching(/ \(character 6\)$/) as string }],
    });
  });

  it.each([
    ['has the row', `{"rejected":"why","row":${ROW}}`],
    ['has its text', `{"rejected":"why","text":${JSON.stringify(ROW)}}`],
    ['has both', `{"rejected":"why","row":${ROW},"text":"x"}`],
  ])('is accepted as a line of the rejects file if it %s', (_what, text) => {
    expect(readRow(text, rules)).toEqual({ text: ROW });
  });

  it.each([
    ['its text as a string', `{"rejected":"why","text":7}`, 'unknown field `rejected`'],
    ['a row', `{"rejected":"why"}`, 'unknown field `rejected`'],
    ['the field `rejected`', `{"row":${ROW}}`, 'unknown field `row`'],
  ])('is rejected as a line of the rejects file if it does not contain %s', (_what, text, message) => {
    const read = readRow(text, rules);
    expect('issues' in read && read.issues.map((found) => found.message)).toContain(message);
  });

  it('is rejected if it contains a rejected row that is still invalid', () => {
    expect(readRow('{"rejected":"why","text":"{"}', rules)).toHaveProperty('issues');
  });

  it.each(['null', '7', '"rejected"', '[]'])('is rejected if it is %s', (text) => {
    expect(readRow(text, rules)).toMatchObject({ issues: [{ path: [] }] });
  });
});

describe('an identity', () => {
  it.each([
    ['a control character', 'ada@example.com\r', 'contains a control character'],
    ['a space at the start', ' ada@example.com', expect.stringContaining('starts or ends with a space')],
    ['a byte order mark', '\ufeffada@example.com', expect.stringContaining('or a byte order mark; remove it')],
    ['a rounded number', '1.2345678901234568e+18', expect.stringContaining('is a rounded number')],
    ['a rounded number from Excel', '1,23E+17', expect.stringContaining('is a rounded number')],
  ])('is rejected if it contains %s, because no later request would find the profile', (_what, value, message) => {
    const row = { environment: 'production', identities: { customer_id: value }, calculated_attributes: {} };
    expect(readRow(JSON.stringify(row), rules)).toEqual({ issues: [{ path: ['identities', 'customer_id'], message }] });
  });
});

describe('a row with deployment-specific names', () => {
  const words = createRowRules({ xpid: 'pid' });

  it('is rejected with the field names used in the row', () => {
    const value = { environment: 'production', calculated_attributes: {} };
    expect(checkRow({ ...value, pid: 'x' }, words)).toMatchObject({ issues: [{ path: ['pid'] }] });
    expect(checkRow({ ...value, xpid: 'x' }, words)).toMatchObject({ issues: [{ path: ['xpid'] }] });
  });

  it('is rejected if it contains both names of the same field', () => {
    const value = { environment: 'production', pid: 1, xpid: 2, calculated_attributes: {} };
    expect(checkRow(value, words)).toEqual(
      issue("appears twice: under the neutral name and under the deployment's name", ['xpid']),
    );
  });
});
