// Seeding commands send the exact values in the file: no id is rounded, and no byte is replaced.
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Seeding, startSeeding } from '../../helpers/seeding-home.ts';

let seeding: Seeding;
beforeEach(async () => {
  seeding = await startSeeding();
});
afterEach(() => seeding.close());

function parquet(columns: [element: SchemaElement, data: unknown[]][]): Uint8Array {
  const schema: SchemaElement[] = [
    { name: 'root', num_children: columns.length },
    ...columns.map(([element]) => element),
  ];
  const columnData = columns.map(([{ name }, data]) => ({ name, data }));
  return new Uint8Array(parquetWriteBuffer({ columnData, schema }));
}

const identities = (): unknown[] => seeding.users().map((user) => user['identities']);

describe('Parquet', () => {
  it('keeps neighboring DECIMAL ids distinct and amounts exact', async () => {
    const ids = [0n, 1n, 2n, 3n].map((step) => 900_719_925_474_099_301n + step);
    const decimal = { type: 'INT64', converted_type: 'DECIMAL', precision: 18, repetition_type: 'OPTIONAL' } as const;
    const file = parquet([
      [{ name: 'identity:customer_id', ...decimal, scale: 0 }, ids],
      [{ name: 'attr:Spend:sum', ...decimal, scale: 2 }, ids],
      [{ name: 'cutoff_date', type: 'INT32', converted_type: 'DATE', repetition_type: 'OPTIONAL' }, ids.map(() => 19_723)],
    ]); // prettier-ignore
    const { code, result } = await seeding.bulk([seeding.write('users.parquet', file)]);
    expect([code, result.accepted]).toEqual([0, 4]);
    expect(identities()).toEqual(ids.map((id) => ({ customer_id: String(id) })));
    expect(seeding.users()[3]).toMatchObject({
      calculated_attributes: { '5001': [{ cutoff_date: '2024-01-01', seed: { value: '9007199254740993.04' } }] },
    });
  });

  it('sends 32-bit fractions as they were written, but rejects 32-bit ids, which may be rounded', async () => {
    const float = { type: 'FLOAT', repetition_type: 'OPTIONAL' } as const;
    const values = [0.1, 1.5, 16_777_216, 123_456_792, -3.4e38, 1e-7, null];
    const spend = [{ name: 'attr:Spend:sum', ...float }, values] as [SchemaElement, unknown[]];
    const ids = [{ name: 'xpid', type: 'INT64', repetition_type: 'OPTIONAL' }, values.map((_, id) => BigInt(id))] as [SchemaElement, unknown[]]; // prettier-ignore
    const date = ['--cutoff-date', '2024-01-31'];
    expect((await seeding.bulk([seeding.write('users.parquet', parquet([ids, spend])), ...date])).code).toBe(0);
    const sent = seeding.sink.bodies.join('').match(/"value":"[^"]*"/g);
    expect(sent).toEqual(
      values.slice(0, -1).map((value, at) => `"value":"${at === 4 ? Math.fround(-3.4e38) : value}"`),
    );
    for (const name of ['xpid', 'identity:customer_id']) {
      seeding.write('ids.parquet', parquet([[{ name, ...float }, [1, 2]]]));
      const { code, stderr } = await seeding.run(['seed', 'validate', 'ids.parquet']);
      expect([code, stderr]).toEqual([9, expect.stringContaining(`ids.parquet: ${name}: is a column of 32-bit`)]);
    }
  });

  it('reports the row and column of invalid UTF-8, and sends the other rows', async () => {
    const file = parquet([
      [{ name: 'identity:email', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' }, [Buffer.from('a@example.com'), Uint8Array.of(0xff, 0x41), Buffer.from('b@example.com')]],
    ]); // prettier-ignore
    seeding.write('users.parquet', file);
    const checked = await seeding.run(['seed', 'validate', 'users.parquet']);
    expect([checked.code, checked.stderr]).toEqual([
      9,
      expect.stringContaining('users.parquet:2: identity:email: is not UTF-8 (0xff41)'),
    ]);
    const { code, result } = await seeding.bulk(['users.parquet']);
    expect([code, result.accepted, result.rejected]).toEqual([3, 2, 1]);
    expect(identities()).toEqual([{ email: 'a@example.com' }, { email: 'b@example.com' }]);
  });
});

describe('rows in Parquet', () => {
  const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const;
  const group = { repetition_type: 'OPTIONAL' } as const;
  const seed = (name: string, form: object): object => ({
    attribute_name: name,
    calculation_type: name === 'Colors' ? 'unique_list' : 'sum',
    cutoff_date: '2024-01-31',
    seed: form,
  });
  const SUM = seed('Spend', { value: '9007199254740993.5' });
  const LIST = seed('Colors', { list: ['red', 'blue'] });

  it('omit null fields, and accept JSON in a string', async () => {
    const schema: SchemaElement[] = [
      { name: 'root', num_children: 4 },
      { name: 'environment', ...text },
      { name: 'xpid', type: 'INT64', repetition_type: 'OPTIONAL' },
      { name: 'user_attributes', ...text },
      { name: 'calculated_attributes', ...group, converted_type: 'MAP', num_children: 1 },
      { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
      { name: 'key', ...text, repetition_type: 'REQUIRED' },
      { name: 'value', ...group, converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', ...group, num_children: 4 },
      { name: 'attribute_name', ...text },
      { name: 'calculation_type', ...text },
      { name: 'cutoff_date', ...text },
      { name: 'seed', ...group, num_children: 2 },
      { name: 'value', ...text },
      { name: 'list', ...group, converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', ...text },
    ];
    const owned = '{"5001":[{"attribute_name":"city","attribute_value":"Bern"}]}';
    const columnData = [
      { name: 'environment', data: ['production', 'production', 'prod'] },
      { name: 'xpid', data: [9_007_199_254_740_993n, 2n, 3n] },
      { name: 'user_attributes', data: [null, owned, '{'] },
      { name: 'calculated_attributes', data: [{ '5001': [SUM, LIST] }, { '5001': [] }, {}] },
    ];
    seeding.write('users.parquet', new Uint8Array(parquetWriteBuffer({ columnData, schema })));
    const { code, result } = await seeding.bulk(['users.parquet']);
    expect([code, result.accepted, result.rejected]).toEqual([3, 2, 1]);
    expect(seeding.sink.bodies.join('')).toContain('"xpid":9007199254740993,');
    expect(seeding.users()).toMatchObject([
      { environment: 'production', calculated_attributes: { '5001': [SUM, LIST] } },
      { user_attributes: { '5001': [{ attribute_name: 'city', attribute_value: 'Bern' }] } },
    ]);
    expect(seeding.users()[0]).not.toHaveProperty('user_attributes');
  });

  it('are sent exactly as if the same table were CSV', async () => {
    const ids = [1n, 2n, 3n];
    const decimal = { type: 'INT64', converted_type: 'DECIMAL', precision: 18, repetition_type: 'OPTIONAL' } as const;
    const file = parquet([
      [{ name: 'identity:customer_id', ...text }, ['a "b"', '\\N', 'c']],
      [{ name: 'xpid', type: 'INT64', repetition_type: 'OPTIONAL' }, ids],
      [{ name: 'attr:Spend:sum', ...decimal, scale: 2 }, [150n, null, -7n]],
      [{ name: 'attr:Orders:count', type: 'DOUBLE', repetition_type: 'OPTIONAL' }, [3, 4, null]],
      [{ name: 'cutoff_date', type: 'INT32', converted_type: 'DATE', repetition_type: 'OPTIONAL' }, [19_723, 19_723, 19_724]],
    ]); // prettier-ignore
    const rows = '"a ""b""",1,1.50,3,2024-01-01\n\\N,2,,4,2024-01-01\nc,3,-0.07,,2024-01-02\n';
    seeding.write('users.parquet', file);
    seeding.write('users.csv', `identity:customer_id,xpid,attr:Spend:sum,attr:Orders:count,cutoff_date\n${rows}`);
    expect(await seeding.bulk(['users.parquet'])).toMatchObject({ code: 0, result: { accepted: 3 } });
    expect(await seeding.bulk(['users.csv'])).toMatchObject({ code: 0, result: { accepted: 3 } });
    const [ofParquet, ofCsv] = seeding.sink.bodies;
    expect(ofParquet).toBe(ofCsv);
  });
});

describe('a table', () => {
  it('reads times as warehouses write them, and rejects any other text as a cutoff date', async () => {
    const cells = ['2024-01-31 10:00:00 UTC', '2024-01-31 10:00:00+00', '2024-01-31 02:00:00.000 -0800', '2024-01-31 10:00:00.000 Z', '2024-01-31 9 o’clock']; // prettier-ignore
    const rows = cells.map((cell, index) => `${index},${cell.includes('o’') ? 1 : cell},${cell}\n`).join('');
    seeding.write('users.csv', `xpid,attr:Seen:last_occurrence_timestamp,cutoff_date\n${rows}`);
    const { code, result, stderr } = await seeding.bulk(['users.csv']);
    expect([code, result.accepted, result.rejected], stderr).toEqual([3, 4, 1]);
    for (const user of seeding.users())
      expect(user).toMatchObject({
        calculated_attributes: { '5001': [{ cutoff_date: '2024-01-31', seed: { value: 1_706_695_200_000 } }] },
      });
  });
});

describe('a seeding command', () => {
  const csv = (rows: string): string =>
    seeding.write('users.csv', `identity:email,attr:First:first_occurrence,user:city,cutoff_date\n${rows}`);
  const LINE = 'a,Bern,2024-01-31\n';

  it('treats \\N as an empty cell, not as an identity that several users share', async () => {
    const { code, result, stderr } = await seeding.bulk([csv(`\\N,${LINE}a@b.c,\\N,"\\N",2024-01-31\n`)]);
    expect([code, result.accepted, result.rejected], stderr).toEqual([3, 1, 1]);
    expect(seeding.users()).toEqual([
      { environment: 'production', identities: { email: 'a@b.c' }, calculated_attributes: { '5001': [] } },
    ]);
  });

  it.each(['NULL', 'null', 'NaN', 'nan', 'None'])(
    'rejects the null word %s as an identity, with a hint',
    async (word) => {
      const file = csv(`${word},${LINE}"${word}",a,"B ""C""",2024-01-31\n`);
      const { code, stderr } = await seeding.run(['seed', 'validate', file]);
      expect(code).toBe(9);
      for (const line of [2, 3]) {
        expect(stderr).toContain(`users.csv:${line}: identity:email: is the null word \`${word}\``);
      }
      expect(stderr).toContain(`--null ${word}`);
    },
  );

  it('sends null words in attributes as strings, and warns once per column', async () => {
    const file = csv('a@b.c,NULL,Bern,2024-01-31\nb@b.c,NULL,None,2024-01-31\nc@b.c,x,"No""n",2024-01-31\n');
    const { code, stderr } = await seeding.run(['seed', 'bulk', file, '--yes']);
    expect(code).toBe(0);
    const warnings = stderr.split('\n').filter((line) => line.startsWith('Warning'));
    expect(warnings).toEqual([
      'Warning: users.csv: The column `attr:First:first_occurrence` contains the text `NULL`. If this text means a missing value, pass --null NULL.',
      'Warning: users.csv: The column `user:city` contains the text `None`. If this text means a missing value, pass --null None.',
    ]);
    expect(seeding.users()[1]).toMatchObject({ user_attributes: { '5001': [{ attribute_value: 'None' }] } });
  });

  it('treats the --null words as empty cells, and includes the flag in the resume command', async () => {
    const args = [csv('a@b.c,NULL,-,2024-01-31\n'), '--null', 'NULL', '--null', '-'];
    const { code, stderr } = await seeding.bulk(args);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('Warning')]);
    expect(seeding.users()).toEqual([
      { environment: 'production', identities: { email: 'a@b.c' }, calculated_attributes: { '5001': [] } },
    ]);
    expect((await seeding.bulk(args)).stderr).toContain('--null NULL --null -');
  });

  it.each(['\\N', 'NULL', 'NaN'])('rejects the null word %s as an identity in a body or in Parquet', async (word) => {
    const body = { environment: 'production', identities: { email: word }, calculated_attributes: {} };
    seeding.write('users.ndjson', `${JSON.stringify(body)}\n`);
    const checked = await seeding.run(['seed', 'validate', 'users.ndjson']);
    const place = 'users.ndjson:1: identities.email: is the null word';
    expect([checked.code, checked.stderr]).toEqual([9, expect.stringContaining(`${place} \`${word}\``)]);
    const column: SchemaElement = { name: 'identity:email', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' };
    const file = seeding.write('users.parquet', parquet([[column, [Buffer.from(word)]]]));
    const { code, result } = await seeding.bulk([file]);
    expect([code, result.accepted, seeding.sink.requests]).toEqual([3, 0, 0]);
  });

  it('rejects NaN, infinity and rounded ids in a floating-point Parquet column', async () => {
    const column: SchemaElement = { name: 'identity:customer_id', type: 'DOUBLE', repetition_type: 'OPTIONAL' };
    const values = [1, Number.NaN, 2 ** 60, Number.POSITIVE_INFINITY];
    const { code, stderr } = await seeding.run([
      ...['seed', 'validate', seeding.write('users.parquet', parquet([[column, values]]))],
    ]);
    expect(code).toBe(9);
    expect(stderr).toContain('users.parquet:2: identity:customer_id: is the null word `NaN`');
    for (const row of [3, 4]) {
      expect(stderr).toContain(`users.parquet:${row}: identity:customer_id: is a floating-point number`);
    }
  });

  it('warns once per column of ids such as 123.0, without showing them, unless --source pandas rejects the rows', async () => {
    seeding.write('users.csv', 'identity:customer_id,identity:email\n71.0,a@b.c\n72.0,a\n73.0,v1.0\n');
    const { code, stderr } = await seeding.run(['seed', 'validate', 'users.csv']);
    expect([code, stderr]).toEqual([
      0,
      'Warning: users.csv: The column `identity:customer_id` contains ids such as `123.0`, which pandas writes if a column has gaps. To reject these rows, pass --source pandas.\n',
    ]);
    const rejected = await seeding.run(['seed', 'validate', 'users.csv', '--source', 'pandas']);
    expect([rejected.code, rejected.stderr]).toEqual([9, expect.not.stringContaining('Warning')]);
  });

  it('rejects an xpid that pandas wrote as a decimal, with a hint', async () => {
    const { code, stderr } = await seeding.run(['seed', 'validate', seeding.write('p.csv', 'xpid\n123.0\n')]);
    expect(code).toBe(9);
    expect(stderr).toMatch(/p\.csv:2: xpid: must be an integer without a decimal point; .*Int64/);
  });
});

describe('identity types', () => {
  const BODY = { environment: 'production', calculated_attributes: {} };
  const HINT = 'unknown identity type `emial`; did you mean `email`? --identity-type emial allows it';

  const FILES: Record<string, string> = {
    'users.csv': 'identity:emial\na@b.c\n',
    'users.ndjson': `${JSON.stringify({ ...BODY, identities: { emial: 'a@b.c' } })}\n`,
    'user.json': JSON.stringify({ ...BODY, identities: { emial: 'a@b.c' } }),
    'intake.json': JSON.stringify({ environment: 'production', user_identities: { emial: 'a@b.c' } }),
  };

  it.each([
    'seed validate users.csv',
    'seed validate users.ndjson',
    'seed preview users.ndjson',
    'seed bulk users.csv --yes',
    'seed set -f user.json --yes',
    'intake event -f intake.json --yes',
    'intake identify -f intake.json --yes',
  ])('are rejected by `%s` with a suggestion if they are misspelled', async (line) => {
    for (const [name, text] of Object.entries(FILES)) seeding.write(name, text);
    const { code, stderr } = await seeding.run(line.split(' '));
    expect([code, stderr]).toEqual([9, expect.stringContaining(HINT)]);
    expect(seeding.sink.requests).toBe(0);
    expect(await seeding.run([...line.split(' '), '--identity-type', 'emial'])).toMatchObject({ code: 0 });
  });

  it('cause a bulk run to reject rows in which they are misspelled', async () => {
    const { code, result } = await seeding.bulk([seeding.write('users.ndjson', FILES['users.ndjson'] ?? '')]);
    expect([code, result.rejected, seeding.sink.requests]).toEqual([3, 1, 0]);
  });

  it.each([
    ...['email', 'customer_id', 'controller_customer_id', 'other', 'other2', 'other_id_4', 'other_id_10'],
    ...['mobile_number', 'phone_number_3', 'osa_id', 'osa_uuid', 'osf_advertising_id', 'ose_publishing_id'],
  ])('are accepted if they match the specification: %s', async (type) => {
    const file = seeding.write('users.csv', `identity:${type}\nx\n`);
    expect(await seeding.bulk([file])).toMatchObject({ code: 0, result: { accepted: 1 } });
  });
});

describe('the confirmation of a bulk run', () => {
  it('shows the number of users and the target, and sends nothing if the user answers no', async () => {
    const ids = Array.from({ length: 1200 }, (_, index) => index + 1);
    const file = seeding.write('users.csv', `xpid\n${ids.join('\n')}\n`);
    const asked = await seeding.run(['seed', 'bulk', file], { tty: true, stdin: 'n\n' });
    expect(asked.stderr).toContain('Seed 1,200 users into workspace 5001 (production)?');
    expect([asked.code, seeding.sink.requests]).toEqual([12, 0]);
  });

  it('requires --yes if the data comes from standard input', async () => {
    const { code, stderr } = await seeding.run(['seed', 'bulk', '-'], { stdin: 'xpid\n1\n' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--yes')]);
    expect(seeding.sink.requests).toBe(0);
  });
});
