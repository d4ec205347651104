// Table rows: the field that each column maps to, the values in a row, and the column of an issue.
import { describe, expect, it } from 'vitest';
import { createWireNames } from '../../../../../src/lib/contract/names.ts';
import {
  cellsOfObject,
  columnOfIssue,
  fieldOfIssue,
  IDENTITY_COLUMNS,
  isBody,
  missingColumns,
  partsOfRow,
  planColumns,
  RESULT_COLUMNS,
  ROW_FIELDS,
} from '../../../../../src/lib/domain/dsr/rows.ts';

const NAMES = createWireNames({});
const plan = (columns: string[], mapping: Record<string, string> = {}, names = NAMES) =>
  planColumns(columns, new Map(Object.entries(mapping)), names);

describe("a table's columns", () => {
  it('are mapped to the fields with the same names', () => {
    const columns = [...ROW_FIELDS, ...RESULT_COLUMNS, ...IDENTITY_COLUMNS];
    expect(plan(columns)).toEqual({ targets: columns, issues: [] });
  });

  it('are trimmed, then mapped, ignored or translated from deployment-specific names', () => {
    const names = createWireNames({ xpid: 'pid' });
    expect(plan(['Mail', 'junk', 'pid', ' regulation '], { Mail: ' email ', junk: '-' }, names)).toEqual({
      targets: ['email', '-', 'xpid', 'regulation'],
      issues: [],
    });
  });

  it("match the specification's names first, even if a deployment uses such a name for another field", () => {
    const names = createWireNames({ xpid: 'email', other: 'regulation' });
    expect(plan(['email', 'regulation'], {}, names).targets).toEqual(['email', 'regulation']);
  });

  it('are reported if they are unknown, with the nearest name and the flag that ignores them', () => {
    expect(plan(['emial', 'qqqqqqqqqq']).issues).toEqual([
      { column: 0, message: 'unknown column `emial`; did you mean `email`?; to ignore it, pass --map "emial=-"' },
      { column: 1, message: 'unknown column `qqqqqqqqqq`; to ignore it, pass --map "qqqqqqqqqq=-"' },
    ]);
    expect(plan(['email', '']).issues).toEqual([
      { column: 1, message: 'unknown column without a name; name it in the header' },
    ]);
    expect(plan(['Mail'], { Mail: 'emial' })).toEqual({
      targets: ['-'],
      issues: [
        {
          column: 0,
          message:
            'column `Mail` is mapped to `emial`, which is not a field; did you mean `email`?; to ignore it, pass --map "Mail=-"',
        },
      ],
    });
  });

  it('are reported if they map to the same field as an earlier column, unless they are ignored', () => {
    expect(plan(['a', 'email', 'b', 'Mail'], { a: '-', b: '-', Mail: 'email' }).issues).toEqual([
      { column: 3, message: 'column `Mail` maps to the same field as column 2' },
    ]);
  });
});

describe('a required value', () => {
  const paths = (...of: Parameters<typeof missingColumns>): string[] => missingColumns(...of).map(({ path }) => path);

  it('is reported as missing, once for the file, if no column or flag provides it', () => {
    expect(missingColumns(['regulation', 'email'], {})).toEqual([
      {
        path: 'subject_request_type',
        message: 'is missing: there is no column `subject_request_type`, and --type does not set it for all rows',
      },
    ]);
    expect(missingColumns(['regulation', 'subject_request_type', 'group_id'], {})).toEqual([
      { path: '', message: expect.stringMatching(/^no column is an identity type, such as `email`/) as string },
    ]);
    expect(paths([], {})).toEqual(['regulation', 'subject_request_type', '']);
  });

  it('is not reported if a column or a flag provides it', () => {
    expect(paths(['regulation', 'subject_request_type', 'xpid'], {})).toEqual([]);
    expect(paths(['email'], { regulation: 'gdpr', subject_request_type: 'access' })).toEqual([]);
  });
});

describe('a row', () => {
  it('contains the trimmed values of its cells', () => {
    const targets = [
      'regulation',
      'subject_request_type',
      'email',
      'submitted_time',
      'group_id',
      'subject_request_id',
      'xpid',
      'error',
    ];
    const cells = ['GDPR', ' Access ', ' a@b.example ', '2026-11-21', 'g', 'id', '7', 'why'];
    expect(partsOfRow(cells, targets, { regulation: 'ccpa', group_id: 'other' })).toEqual({
      parts: {
        regulation: 'GDPR',
        subject_request_type: 'Access',
        submitted_time: '2026-11-21',
        group_id: 'g',
        subject_request_id: 'id',
        status_callback_urls: undefined,
        skip_waiting_period: undefined,
        identities: [
          ['email', 'a@b.example'],
          ['xpid', '7'],
        ],
      },
      isTrimmed: true,
      done: false,
      issues: [],
    });
  });

  it('uses the flag values for empty and missing cells', () => {
    const defaults = {
      regulation: 'gdpr',
      subject_request_type: 'erasure',
      submitted_time: 't',
      group_id: 'g',
      status_callback_urls: ['https://a.example'],
      skip_waiting_period: true,
    };
    const targets = [...ROW_FIELDS, 'email', '-'];
    for (const cells of [[], targets.map(() => '  ')]) {
      expect(partsOfRow(cells, targets, defaults)).toEqual({
        parts: { ...defaults, subject_request_id: undefined, identities: [] },
        isTrimmed: false,
        done: false,
        issues: [],
      });
    }
  });

  it('does not contain the value of an ignored column', () => {
    expect(partsOfRow(['x'], ['-'], {}).parts.identities).toEqual([]);
  });

  it('contains the callback addresses from a cell, split at vertical bars', () => {
    const urls = (cell: string) => partsOfRow([cell], ['status_callback_urls'], {}).parts.status_callback_urls;
    expect(urls('https://a.example | https://b.example||')).toEqual(['https://a.example', 'https://b.example']);
    expect(urls('https://a.example')).toEqual(['https://a.example']);
  });

  it.each<[string, boolean | undefined, string[]]>([
    ['skips the waiting period', true, ['true', 'YES', 'y', '1']],
    ['does not skip the waiting period', false, ['false', 'No', 'n', '0']],
    ['does not choose whether to skip the waiting period', undefined, ['']],
  ])('%s if the cell is one of $2', (_what, skip, cells) => {
    for (const cell of cells) {
      const { issues, parts } = partsOfRow([cell], ['skip_waiting_period'], {});
      expect([cell, parts.skip_waiting_period, issues]).toEqual([cell, skip, []]);
    }
  });

  it.each(['maybe', 'truely', 'not no', '10', '01'])('is rejected if a boolean cell contains %j', (cell) => {
    expect(partsOfRow([cell], ['skip_waiting_period'], {}).issues).toEqual([
      { path: ['skip_waiting_period'], message: `must be true or false, not \`${cell}\`` },
    ]);
  });

  it.each<[string, string]>([
    ['submitted', 'id'],
    ['existing', 'id'],
  ])('is done if it comes from a results file with the status %j and the id %j', (status, id) => {
    expect(partsOfRow([status, id, ''], ['status', 'subject_request_id', 'error'], {}).done).toBe(true);
  });

  it.each<[string, string]>([
    ['failed', 'id'],
    ['', 'id'],
    // Without an id, a submitted row does not count as done.
    ['submitted', ''],
  ])('is not done if it comes from a results file with the status %j and the id %j', (status, id) => {
    expect(partsOfRow([status, id, ''], ['status', 'subject_request_id', 'error'], {}).done).toBe(false);
  });

  it('is not done if the table is not a results file: `submitted` may be the status in another program', () => {
    expect(partsOfRow(['submitted', 'id'], ['status', 'subject_request_id'], {}).done).toBe(false);
  });
});

describe('a flat JSON object', () => {
  it('is converted to columns and cells that keep every digit', () => {
    expect(
      cellsOfObject({ a: 'x', b: null, c: 9_223_372_036_854_775_807n, d: true, e: ['x', 'y'], f: 0, g: [] }),
    ).toEqual({
      columns: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
      cells: ['x', '', '9223372036854775807', 'true', 'x|y', '0', ''],
      lists: [4],
    });
  });

  it.each<[unknown]>([[{ x: 1 }], [[1]], [['x', null]], [undefined]])('is rejected if a value is %j', (value) => {
    expect(cellsOfObject({ a: 'x', b: value })).toBeUndefined();
  });
});

it('distinguishes a request body from a flat row', () => {
  expect(
    [{ subject_identities: {} }, { extensions: {} }, { email: 'a' }, null, 'subject_identities'].map(isBody),
  ).toEqual([true, true, false, false, false]);
});

describe('an issue in the composed body', () => {
  const issue = (...path: (string | number)[]) => ({ path, message: 'x' });

  it('is reported at the innermost column on its path', () => {
    const targets = ['status_callback_urls', 'regulation', 'email'];
    expect(columnOfIssue(issue('subject_identities', 'email', 'value'), targets)).toBe(2);
    expect(columnOfIssue(issue('status_callback_urls', 0), targets)).toBe(0);
    expect(columnOfIssue(issue('subject_request_id'), targets)).toBeUndefined();
    expect(columnOfIssue(issue(), targets)).toBeUndefined();
  });

  it('is reported at the field if the row has no column for it', () => {
    expect(fieldOfIssue(issue('extensions', 'opendsr.x', 'subject_identities', 'xpid', 'value'))).toBe('xpid');
    expect(fieldOfIssue(issue('subject_identities'))).toBe('');
    expect(fieldOfIssue(issue('submitted_time'))).toBe('submitted_time');
  });
});
