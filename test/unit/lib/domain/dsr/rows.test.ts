// Rows of a table: what a column is for, what a row says, and which column an issue is about.
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

describe('the columns of a table', () => {
  it('stand for themselves, whatever they are', () => {
    const columns = [...ROW_FIELDS, ...RESULT_COLUMNS, ...IDENTITY_COLUMNS];
    expect(plan(columns)).toEqual({ targets: columns, issues: [] });
  });

  it('may be mapped, left out, or in a deployment’s words; spaces around them do not matter', () => {
    const names = createWireNames({ xpid: 'pid' });
    expect(plan(['Mail', 'junk', 'pid', ' regulation '], { Mail: ' email ', junk: '-' }, names)).toEqual({
      targets: ['email', '-', 'xpid', 'regulation'],
      issues: [],
    });
  });

  it('are what they are in the specification’s words, also where a deployment uses one of these for another', () => {
    const names = createWireNames({ xpid: 'email', other: 'regulation' });
    expect(plan(['email', 'regulation'], {}, names).targets).toEqual(['email', 'regulation']);
  });

  it('that nobody knows are told with the nearest one and the way to leave them out', () => {
    expect(plan(['emial', 'qqqqqqqqqq']).issues).toEqual([
      { column: 0, message: 'unknown column `emial`; did you mean `email`?; --map "emial=-" leaves it out' },
      { column: 1, message: 'unknown column `qqqqqqqqqq`; --map "qqqqqqqqqq=-" leaves it out' },
    ]);
    expect(plan(['Mail'], { Mail: 'emial' })).toEqual({
      targets: ['-'],
      issues: [
        {
          column: 0,
          message:
            'column `Mail` is mapped to `emial`, which is no field; did you mean `email`?; --map "Mail=-" leaves it out',
        },
      ],
    });
  });

  it('that mean the same are told, by the first of them; those that are left out may be many', () => {
    expect(plan(['a', 'email', 'b', 'Mail'], { a: '-', b: '-', Mail: 'email' }).issues).toEqual([
      { column: 3, message: 'column `Mail` means the same as column 2' },
    ]);
  });
});

describe('what neither a column nor a flag says', () => {
  const paths = (...of: Parameters<typeof missingColumns>): string[] => missingColumns(...of).map(({ path }) => path);

  it('is told once for the file', () => {
    expect(missingColumns(['regulation', 'email'], {})).toEqual([
      {
        path: 'subject_request_type',
        message: 'is missing: no column is called `subject_request_type`, and --type does not say it for all rows',
      },
    ]);
    expect(missingColumns(['regulation', 'subject_request_type', 'group_id'], {})).toEqual([
      { path: '', message: expect.stringMatching(/^no column is an identity type, such as `email`/) as string },
    ]);
    expect(paths([], {})).toEqual(['regulation', 'subject_request_type', '']);
  });

  it('is nothing where a column or a flag says it', () => {
    expect(paths(['regulation', 'subject_request_type', 'xpid'], {})).toEqual([]);
    expect(paths(['email'], { regulation: 'gdpr', subject_request_type: 'access' })).toEqual([]);
  });
});

describe('a row', () => {
  it('gives what its cells say, without the spaces around it', () => {
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
      done: false,
      issues: [],
    });
  });

  it('takes from the flags what it does not say: an empty cell says nothing, nor does one that is not there', () => {
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
        done: false,
        issues: [],
      });
    }
  });

  it('does not say what stands in a column that is left out', () => {
    expect(partsOfRow(['x'], ['-'], {}).parts.identities).toEqual([]);
  });

  it('lists callback addresses between bars', () => {
    const urls = (cell: string) => partsOfRow([cell], ['status_callback_urls'], {}).parts.status_callback_urls;
    expect(urls('https://a.example | https://b.example||')).toEqual(['https://a.example', 'https://b.example']);
    expect(urls('https://a.example')).toEqual(['https://a.example']);
  });

  it.each<[string, boolean | undefined]>([
    ['true', true],
    ['YES', true],
    ['y', true],
    ['1', true],
    ['false', false],
    ['No', false],
    ['n', false],
    ['0', false],
    ['', undefined],
  ])('may skip the waiting period: %j is %s', (cell, skip) => {
    const { issues, parts } = partsOfRow([cell], ['skip_waiting_period'], {});
    expect([parts.skip_waiting_period, issues]).toEqual([skip, []]);
  });

  it.each(['maybe', 'truely', 'not no', '10', '01'])('is told that %j is neither true nor false', (cell) => {
    expect(partsOfRow([cell], ['skip_waiting_period'], {}).issues).toEqual([
      { path: ['skip_waiting_period'], message: `must be true or false, not \`${cell}\`` },
    ]);
  });

  it.each<[string, string, boolean]>([
    ['submitted', 'id', true],
    ['existing', 'id', true],
    ['failed', 'id', false],
    ['', 'id', false],
    // Without an id nobody can know that it was done.
    ['submitted', '', false],
  ])('of a result file, %j with id %j, is done: %s', (status, id, done) => {
    expect(partsOfRow([status, id], ['status', 'subject_request_id'], {}).done).toBe(done);
  });
});

describe('a flat JSON object', () => {
  it('is cells under its keys, and keeps every digit', () => {
    expect(
      cellsOfObject({ a: 'x', b: null, c: 9_223_372_036_854_775_807n, d: true, e: ['x', 'y'], f: 0, g: [] }),
    ).toEqual({
      columns: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
      cells: ['x', '', '9223372036854775807', 'true', 'x|y', '0', ''],
    });
  });

  it.each<unknown>([{ x: 1 }, [1], ['x', null], undefined])('is none with %j in it', (value) => {
    expect(cellsOfObject({ a: 'x', b: value })).toBeUndefined();
  });
});

it('a body is told from a flat row', () => {
  expect(
    [{ subject_identities: {} }, { extensions: {} }, { email: 'a' }, null, 'subject_identities'].map(isBody),
  ).toEqual([true, true, false, false, false]);
});

describe('an issue of the composed body', () => {
  const issue = (...path: (string | number)[]) => ({ path, message: 'x' });

  it('is about the innermost column on the way to it', () => {
    const targets = ['status_callback_urls', 'regulation', 'email'];
    expect(columnOfIssue(issue('subject_identities', 'email', 'value'), targets)).toBe(2);
    expect(columnOfIssue(issue('status_callback_urls', 0), targets)).toBe(0);
    expect(columnOfIssue(issue('subject_request_id'), targets)).toBeUndefined();
    expect(columnOfIssue(issue(), targets)).toBeUndefined();
  });

  it('names the field that would have said it, where the row has no such column', () => {
    expect(fieldOfIssue(issue('extensions', 'opendsr.x', 'subject_identities', 'xpid', 'value'))).toBe('xpid');
    expect(fieldOfIssue(issue('subject_identities'))).toBe('');
    expect(fieldOfIssue(issue('submitted_time'))).toBe('submitted_time');
  });
});
