// Reads records from CSV bytes: positions, rejected records, and unusable headers.
import { describe, expect, it } from 'vitest';
import { createRowRules } from '../../../../../src/lib/domain/seed/read-row.ts';
import { reasonOf } from '../../../../../src/lib/domain/seed/batch.ts';
import { RowPacker } from '../../../../../src/lib/domain/seed/packer.ts';
import { createCsvReader, type CsvOptions } from '../../../../../src/lib/domain/seed/csv-rows.ts';
import { KnownError } from '../../../../../src/lib/kernel/errors.ts';
import { thrownBy } from '../../../../helpers/failure.ts';

const DEFAULTS: CsvOptions = {
  name: 'users.csv',
  defaults: { workspace: '5001', environment: 'production', cutoffDate: undefined },
  map: undefined,
  rules: createRowRules({}),
  isOurs: () => true,
};

/** Returns, for each record, its line, id and note, or its line, the reason for its rejection and the original text. */
function read(text: string | Buffer, options: Partial<CsvOptions> = {}, size = 7): unknown[] {
  const packer = new RowPacker({ rows: 1, bytes: 10_000 }, createRowRules({}), () => false);
  packer.begin(0, 0);
  const reader = createCsvReader(packer, { ...DEFAULTS, ...options });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) reader.feed(bytes.subarray(at, at + size));
  reader.end();
  packer.flush();
  return packer.ready.flatMap((batch) => [
    ...batch.rejected.map(({ position, issues, original }) => [position, reasonOf(issues), original]),
    ...Array.from({ length: batch.count }, (_, index) => {
      const body = batch.row(index).toString();
      return [batch.to, /"xpid":(\d+)/.exec(body)?.[1], /"attribute_value":(".*")\}\]/.exec(body)?.[1]];
    }),
  ]);
}

function errorOf(text: string | Buffer, options: Partial<CsvOptions> = {}, size?: number): KnownError {
  const error = thrownBy(() => read(text, options, size));
  if (error instanceof KnownError) return error;
  throw error;
}

describe('CSV records', () => {
  it('stop the reader at a quote that is never closed, because the rest of the file is unknown', () => {
    for (const size of [1, 7, 1000])
      expect(errorOf('xpid,user:n\n1,a\n2,"b\n3,c', {}, size).issues).toMatchObject([
        { line: 3, column: 3, message: 'this cell starts with a quote that is never closed' },
      ]);
  });

  it.each<[string, unknown[]]>([
    ['xpid,user:n\n1,a\n2,b\n', [[2, '1', '"a"'], [3, '2', '"b"']]],
    ['xpid;user:n\r\n1;"a;b"\r\n2;c', [[2, '1', '"a;b"'], [3, '2', '"c"']]],
    ['\ufeff\n\r\nxpid\tuser:n\n\n1\ta,b\n', [[5, '1', '"a,b"']]],
    ['"xpid","user:n"\n1,"a\n""b"""\n\n2,"c"\n', [[2, '1', '"a\\n\\"b\\""'], [5, '2', '"c"']]],
    ['xpid,"user:a\nb"\n1,a\n', [[3, '1', '"a"']]],
    ['xpid,user:n\n1,"say ""no"""\n2,"a"b\n3,c"\n', [[2, '1', '"say \\"no\\""'], [3, expect.stringContaining('follows a closing quote'), '2,"a"b'], [4, expect.stringContaining('an unquoted cell contains'), '3,c"']]],
    ['xpid,user:n\n1\n2,b\n3,c,d\n', [[2, 'has 1 column; the header has 2', '1'], [3, '2', '"b"'], [4, 'has 3 columns; the header has 2', '3,c,d']]],
    ['xpid,user:n\nx,a\n,b\n', [[2, 'xpid: must be a signed 64-bit integer in plain digits, such as -42', expect.stringContaining('"x"')], [3, 'xpid: empty; every row needs an `xpid` or an identity', expect.any(String)]]],
    ['xpid,user:n\n1,a\n2', [[2, '1', '"a"'], [3, 'has 1 column; the header has 2', '2']]],
    ['xpid\n', []],
    ['xpid', []],
  ])('are read from %j', (text, records) => {
    for (const size of [1, 7, 1000]) expect(read(text, {}, size)).toEqual(records);
  }); // prettier-ignore

  it('are rejected individually if they contain invalid UTF-8, even with other issues', () => {
    const bytes = Buffer.from('xpid,user:n\n1,a\n2,\u00ff\n3\u00ff\n4,d\n', 'latin1');
    expect(read(bytes, {}, 1000)).toEqual([
      [2, '1', '"a"'],
      [3, 'contains invalid UTF-8', '2,\ufffd'],
      [4, 'contains invalid UTF-8', '3\ufffd'],
      [5, '4', '"d"'],
    ]);
  });

  it('are rejected if they repeat the header or the --columns, which are not the values of a person', () => {
    const header = 'this line repeats the header, perhaps because several files were joined; remove it';
    const id = 'identity:email';
    expect(read(`${id},user:n\r\na,b\r\n${id},user:n\r\nc,d\n${id},user:m\n\ufeff${id},user:n`)).toEqual([
      [2, undefined, '"b"'],
      [3, header, `${id},user:n`],
      [4, undefined, '"d"'],
      [5, undefined, '"user:m"'],
      [6, header, `\ufeff${id},user:n`],
    ]);
    expect(read(`ID ,"User:n"\n${id},user:n\n`, { dialect: { columns: ['id', 'user:n'] }, map: new Map([['id', id]]) })).toEqual([
      [1, expect.stringContaining('if the file has a header, omit --headerless and --columns'), 'ID ,"User:n"'],
      [2, undefined, '"user:n"'],
    ]); // prettier-ignore
  });

  it('are selected for a shard by their number, which starts at 0 and does not count empty lines', () => {
    const checkedRecords: number[] = [];
    const isOurs = (record: number): boolean => checkedRecords.push(record) > 0 && record % 2 === 1;
    expect(read('xpid\n1\n\n2\n3\n4\n', { isOurs })).toEqual([
      [4, '2', undefined],
      [6, '4', undefined],
    ]);
    expect(checkedRecords).toEqual([0, 1, 2, 3]);
  });
});

describe('a CSV header', () => {
  const withDefaults = (parts: Partial<CsvOptions['defaults']>): Partial<CsvOptions> => ({
    defaults: { ...DEFAULTS.defaults, ...parts },
  });
  const issuesOf = ({ issues }: KnownError): string[] =>
    issues.map(({ line, path, message }) => `${line} ${path}: ${message}`);

  it.each<[string, Partial<CsvOptions>, string[]]>([
    ['\nxpid,atr:N:count\n', {}, ['2 atr:N:count: is not a known column; did you mean `attr:N:count`?']],
    ['xpid,\n', {}, [expect.stringMatching(/^1 \(no name\): is not a known column;/) as string]],
    ['xpid,user:,attr:\n', {}, ['1 user:: must be written `user:<name>`', '1 attr:: must have the form `attr:<name>:<calculation_type>[:<key>]`; put a name with a colon in double quotes']],
    ['xpid\n', withDefaults({ environment: undefined }), ['1 : there is no `environment` column, and the profile has no environment; CDPADM_ENVIRONMENT sets it for all rows']],
    ['xpid,attr:N:count\n', {}, ['1 : there is no `cutoff_date` column, and --cutoff-date is not set']],
  ])('is rejected: %j', (text, options, issues) => {
    const error = errorOf(text, options);
    expect(error).toMatchObject({ code: 'input.invalid', message: 'The header of users.csv cannot be used.' });
    expect(issuesOf(error)).toEqual(issues);
    expect(error.hint).toBe('Map the columns with --map COLUMN=FIELD or --map-file. For a file without a header, pass --headerless --columns A,B.');
  }); // prettier-ignore

  it('is rejected without a hint about maps if a map was passed', () => {
    expect(errorOf('a\n', { map: new Map([['a', 'b']]) }).hint).toBeUndefined();
  });

  it('is accepted without a default value if a column provides the value or no row needs it', () => {
    for (const header of ['xpid,environment,attr:N:count,cutoff_date', 'xpid,environment,user:n']) {
      expect(read(`${header}\n`, withDefaults({ environment: undefined }))).toEqual([]);
    }
    expect(read('xpid,attr:N:count\n', withDefaults({ cutoffDate: '2024-02-29' }))).toEqual([]);
  });

  it('is accepted if a map omits columns, which are reported once', () => {
    const calls: unknown[] = [];
    const onSkippedColumns = (_name: string, columns: unknown): unknown => calls.push(columns);
    read('Id,Tier\n1,a\n2,b\n', { map: new Map([['Id', 'xpid']]), onSkippedColumns });
    read('Id\n1\n', { map: new Map([['Id', 'xpid']]), onSkippedColumns });
    expect(calls).toEqual([[{ column: 'Tier', field: undefined }]]);
    expect(read('Id,Tier\n1,a\n', { map: new Map([['Id', 'xpid']]) })).toHaveLength(1);
  });

  it.each<[string, string | Buffer, string]>([
    [
      'bytes that are not UTF-8',
      Buffer.from('xpid,user:\u00ff\n', 'latin1'),
      'contains invalid UTF-8; save the file as UTF-8',
    ],
  ])('is rejected if it contains %s', (_what, text, reason) => {
    const error = errorOf(text);
    expect(error).toMatchObject({
      code: 'input.invalid',
      message: 'users.csv cannot be read.',
      issues: [{ message: reason }],
    });
  });

  it.each<[string, string, Partial<CsvOptions>, number]>([
    ['a carriage return alone', 'xpid\r1\r2\r', {}, 5],
    ['two carriage returns', 'xpid,user:n\r\r\n1,a\r\r\n', {}, 12],
    ['two carriage returns without a header', '1,a\r\r\n', { dialect: { columns: ['xpid', 'user:n'] } }, 4],
  ])('is rejected if lines end in %s, which would become part of a value', (_what, text, options, column) => {
    const message = 'this carriage return does not end the line; save the file with LF or CRLF line breaks';
    for (const size of [1, 1000])
      expect(errorOf(text, options, size).issues).toMatchObject([{ line: 1, column, message }]);
    expect(read('xpid,"user:a\rb"\r\n1,"a\rb"\r\n')).toEqual([[2, '1', '"a\\rb"']]);
  });

  it.each(['\n\ufeff"xpid"\n', '\ufeff\ufeff"xpid"\n'])('may have a byte order mark only at the start of the file: %j', (text) => {
    for (const size of [1, 1000]) expect(errorOf(text, {}, size).issues).toMatchObject([{ message: expect.stringContaining('an unquoted cell contains') as string }]);
  }); // prettier-ignore

  it('is not blamed for a later quote that is not closed within 32 MiB', () => {
    const bytes = Buffer.alloc(32 * 1024 * 1024 + 6, 'x');
    bytes.write('xpid\n"');
    expect(issuesOf(errorOf(bytes, {}, bytes.length))).toEqual([
      '2 : this cell starts with a quote that is never closed',
    ]);
  });
});
