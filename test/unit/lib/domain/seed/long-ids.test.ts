// Random 64-bit ids keep every digit in every format, from the file to the request.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { checkRow, createRowRules } from '../../../../../src/lib/domain/seed/read-row.ts';
import { createCsvReader } from '../../../../../src/lib/domain/seed/csv-rows.ts';
import { ElementReader, createLineReader } from '../../../../../src/lib/domain/seed/json-rows.ts';
import type { RowReader } from '../../../../../src/lib/domain/seed/scan.ts';
import { RowPacker } from '../../../../../src/lib/domain/seed/packer.ts';
import { parseJson, stringifyJson } from '../../../../../src/lib/kernel/json.ts';
import { readFullYaml } from '../../../../../src/lib/kernel/yaml-document.ts';
import { toYaml } from '../../../../../src/lib/files/yaml-text.ts';
import { toCsv, toTabbed } from '../../../../../src/lib/render/delimited.ts';
import { compileQuery } from '../../../../../src/lib/runtime/output/results.ts';
import { openParquet } from '../../../../../src/lib/files/parquet.ts';
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts';
import { randomFrom } from '../../../../helpers/random.ts';
import { SEED } from '../../../../helpers/seed.ts';
import { size } from '../../../../helpers/size.ts';

/** docs/proof.md promises 100,000 ids, which `vitest --mode whole` tests. */
const COUNT = size(100_000, 3000, 300);
const MANY = COUNT.toLocaleString('en');
const rules = createRowRules({});

/** Returns random signed 64-bit integers of any length. */
function ids(part: number): string[] {
  const random = randomFrom(SEED + part);
  const long = (): bigint => (BigInt(Math.floor(random() * 2 ** 32)) << 32n) | BigInt(Math.floor(random() * 2 ** 32));
  return Array.from({ length: COUNT }, () => {
    const bits = long() >> BigInt(Math.floor(random() * random() * 60));
    return String(BigInt.asIntN(64, bits));
  });
}

/** Returns the ids as they appear in the bodies. */
function sentIds(text: string, readerOf: (packer: RowPacker) => RowReader): string[] {
  const packer = new RowPacker({ rows: 1000, bytes: 256_000 }, rules, () => false);
  packer.begin(0, 0);
  const reader = readerOf(packer);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 99_991) reader.feed(bytes.subarray(at, at + 99_991));
  reader.end();
  packer.flush();
  return packer.ready.flatMap((batch) => {
    expect(batch.rejected).toEqual([]);
    return [
      ...batch
        .body()
        .toString('utf8')
        .matchAll(/"xpid":(-?\d+)/g),
    ].map(([, id]) => id ?? '');
  });
}

/** Compares all ids at once and reports only the first difference. */
function expectSame(found: readonly string[], wanted: readonly string[]): void {
  const at = wanted.findIndex((id, index) => found[index] !== id);
  expect([at, found[at], found.length]).toEqual([-1, undefined, wanted.length]);
}

const row = (id: string): string => `{"environment":"production","xpid":${id},"calculated_attributes":{}}`;
const lines = (packer: RowPacker) => createLineReader(packer, { line: 0, offset: 0 });
const csv = (packer: RowPacker) =>
  createCsvReader(packer, {
    name: 'users.csv',
    defaults: { workspace: '5001', environment: 'production', cutoffDate: undefined },
    map: undefined,
    rules,
    isOurs: () => true,
  });

test(`keeps ${MANY} ids in NDJSON that is forwarded unchanged`, () => {
  const wanted = ids(1);
  expectSame(sentIds(wanted.map(row).join('\n'), lines), wanted);
});

test(`keeps ${MANY} ids in NDJSON strings, which need exact parsing`, () => {
  const wanted = ids(2);
  expectSame(sentIds(wanted.map((id) => row(`"${id}"`)).join('\n'), lines), wanted);
});

test(`keeps ${MANY} ids in a JSON array`, () => {
  const wanted = ids(3);
  expectSame(
    sentIds(`[${wanted.map(row).join(', ')}]`, (packer) => new ElementReader(packer)),
    wanted,
  );
});

test(`keeps ${MANY} ids in CSV, unquoted and quoted`, () => {
  const wanted = ids(4);
  const text = `xpid,user:n\n${wanted.map((id, index) => (index % 3 === 0 ? `"${id}","a ""b"""` : `${id},b`)).join('\n')}`;
  expectSame(sentIds(text, csv), wanted);
});

test(`keeps ${MANY} ids in Parquet`, async () => {
  const wanted = ids(5);
  const path = join(temporaryFolder(), 'ids.parquet');
  writeFileSync(
    path,
    new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'xpid', data: wanted.map(BigInt), type: 'INT64' }] })),
  );
  const found: string[] = [];
  for await (const { rows } of (await openParquet(path, 'ids.parquet')).rows(() => true)) {
    for (const [xpid] of rows) {
      const read = checkRow({ environment: 'production', xpid, calculated_attributes: {} }, rules);
      if ('text' in read) found.push(/"xpid":(-?\d+)/.exec(read.text)?.[1] ?? '');
    }
  }
  expectSame(found, wanted);
});

test(`keeps ${MANY} ids when JSON is read and written`, () => {
  const wanted = ids(6);
  const text = stringifyJson(parseJson(`[${wanted.join(',')}]`));
  expectSame(text.slice(1, -1).split(','), wanted);
});

// YAML is slow to read.
const SOME = size(COUNT, 600, 200);

test(`keeps ${SOME} ids when YAML is written and read`, () => {
  const wanted = ids(7).slice(0, SOME);
  const read = readFullYaml(toYaml(wanted.map((id) => ({ xpid: parseJson(id) })))).value as { xpid: unknown }[];
  expectSame(
    read.map(({ xpid }) => stringifyJson(xpid)),
    wanted,
  );
});

test(`keeps ${MANY} ids in the tables and CSV that it prints`, () => {
  const wanted = ids(8);
  const columns = [{ key: 'xpid', value: (id: number | bigint) => id }];
  const rows = wanted.map((id) => parseJson(id) as number | bigint);
  expectSame(toTabbed(rows, columns, false).trimEnd().split('\n'), wanted);
  expectSame(toCsv(rows, columns, false).trimEnd().split('\n'), wanted);
});

test(`keeps ${MANY} ids exact in --query results`, async () => {
  const wanted = ids(9);
  const query = await compileQuery('[].xpid');
  expectSame((query(wanted.map((id) => ({ xpid: parseJson(id) }))) as unknown[]).map(String), wanted);
});
