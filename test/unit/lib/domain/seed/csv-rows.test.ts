// Converting CSV bytes to bodies gives the same result as parsing the cells and validating them against the contract.
import { expect, test } from 'vitest';
import { checkRow, createRowRules } from '../../../../../src/lib/domain/seed/read-row.ts';
import { reasonOf } from '../../../../../src/lib/domain/seed/batch.ts';
import { RowPacker } from '../../../../../src/lib/domain/seed/packer.ts';
import { createCsvReader, tableOf } from '../../../../../src/lib/domain/seed/csv-rows.ts';
import { KnownError } from '../../../../../src/lib/kernel/errors.ts';
import { canonicalJson, parseJson } from '../../../../../src/lib/kernel/json.ts';
import { pick, randomFrom } from '../../../../helpers/random.ts';
import { size } from '../../../../helpers/size.ts';

const rules = createRowRules({});
const HEADER = [
  'xpid', 'identity:email', 'identity:customer_id', 'attr:Orders:count', 'attr:"a:b":sum', 'attr:Avg:average:sum', 'attr:Avg:average:count', 'attr:One:average', 'attr:Odd:average', 'attr:Odd:average:sum',
  'attr:F:first_occurrence', 'attr:T:last_occurrence_timestamp', 'attr:L:unique_list', 'attr:P:most_frequent', 'attr:K:most_frequent:red',
  'attr:K:most_frequent:"b""l"', 'user:note', 'environment', 'cutoff_date',
]; // prettier-ignore
const USUAL = ['17', 'a@b.c', 'c-1', '1'];
const options = {
  name: 'users.csv',
  defaults: { workspace: '5001', environment: 'production', cutoffDate: '2024-02-29' },
  map: undefined,
  rules,
};

const CELLS = [
  '', '', '', '1', '12', '-5', '3.25', '007', '0', '-0', '00', '1.', '.5', '-', '9223372036854775807', '-7201284209016359738', '-9223372036854775808',
  '-9223372036854775809', '18446744073709551615', '18446744073709551616', '1e5', 'a|b|c', 'a=1|b=2', 'a=1|a=2', 'a==1', '=1', 'a=1|', 'a=x', 'sum=1|count=2', 'count=2|sum=-1.5', 'sum=1|count=0', 'sum=1|count=2|x=3', 'count=1|',
  '__proto__=1', '_=1', 'say "no" \\', '"', '""', 'a,b', 'a;b', 'line\nbreak', 'line\r\nbreak', 'ü☃😀', 'development', 'prod', '2024-02-30', '2023-01-31',
  ' 1', '1 ', '\t', '\u0001', '\u007f', '=', '|', '||', 'x'.repeat(1200), '9'.repeat(19), '9'.repeat(40), '0'.repeat(18), '\\u0041', '{"a":1}',
]; // prettier-ignore

/** Returns a cell as a program might write it, sometimes in quotes that are not required. */
function csvCell(cell: string, separator: string, random: () => number): string {
  const needsQuotes = cell.includes(separator) || /["\r\n]/.test(cell);
  return needsQuotes || random() < 0.15 ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Returns the reader's result for every record, by its first line number: the body or the reason for the rejection. */
function readAll(text: Buffer, cut: () => number): Map<number, { body: string } | { reason: string }> {
  const packer = new RowPacker({ rows: 7, bytes: 20_000 }, rules, () => false);
  packer.begin(0, 0);
  const reader = createCsvReader(packer, { ...options, isOurs: () => true });
  for (let at = 0; at < text.length;) {
    const end = at + cut();
    reader.feed(text.subarray(at, end));
    at = end;
  }
  reader.end();
  packer.flush();
  const found = new Map<number, { body: string } | { reason: string }>();
  for (const batch of packer.ready) {
    const users = batch.count === 0 ? [] : (parseJson(batch.body().toString('utf8')) as unknown[]);
    expect(users).toHaveLength(batch.count);
    for (const [row, user] of users.entries()) found.set(batch.line(row), { body: canonicalJson(user) });
    for (const { position, issues } of batch.rejected) found.set(position, { reason: reasonOf(issues) });
  }
  return found;
}

// Exact parsing is slow; `vitest --mode whole` tests all records.
const PART = size(1000, 500, 200);
const RECORDS = size(40_000, 500, PART);
const DAMAGED = size(20_000, 600, 400);

test.each([
  [',', '\n', 20_261_122],
  [';', '\r\n', 7],
  ['\t', '\n', 11],
])(`reads ${RECORDS} records with separator %j and line break %j as exact parsing does`, (separator, end, seed) => {
  const random = randomFrom(seed);
  const table = tableOf(HEADER, options);
  let accepted = 0;
  for (let part = 0; part < RECORDS / PART; part++) {
    const expected = new Map<number, { body: string } | { reason: string }>();
    let line = 2;
    let text = `${HEADER.map((title) => csvCell(title, separator, () => 1)).join(separator)}${end}`;
    for (let index = 0; index < PART; index++) {
      const cells = HEADER.map((_title, at) => (random() < 0.92 ? (USUAL[at] ?? '') : pick(CELLS, random)));
      const record = cells.map((cell) => csvCell(cell, separator, random)).join(separator);
      const exact = checkRow(table.value(cells), rules);
      expected.set(
        line,
        'text' in exact ? { body: canonicalJson(parseJson(exact.text)) } : { reason: exact.issues[0]?.message ?? '' },
      );
      if ('text' in exact) accepted++;
      line += record.split('\n').length;
      text += `${record}${end}`;
      // Empty lines affect only line numbers.
      if (random() < 0.02) {
        text += end;
        line++;
      }
    }
    const found = readAll(Buffer.from(text), () => 1 + Math.floor(random() * 40_000));
    expect(found.size).toBe(expected.size);
    for (const [at, want] of expected) {
      const got = found.get(at);
      if (got === undefined) expect.fail(`no record on line ${at}`);
      const isSame =
        'body' in want ? 'body' in got && got.body === want.body : 'reason' in got && got.reason.includes(want.reason);
      if (!isSame) expect.fail(`line ${at}: ${JSON.stringify(got)} instead of ${JSON.stringify(want)}`);
    }
  }
  expect(accepted).toBeGreaterThan(RECORDS / 8);
  expect(accepted).toBeLessThan((RECORDS * 7) / 8);
});

/** Like `readAll`, but a quotation mark that is still open at the end rejects the whole file. */
function readDamaged(text: Buffer): ReturnType<typeof readAll> {
  try {
    return readAll(text, () => 30_000);
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    const reason = error.issues[0]?.message ?? '';
    expect(reason).toMatch(/^this cell starts with a quote that is/);
    return new Map([[0, { reason }]]);
  }
}

test(`accepts only the records that are still valid among ${DAMAGED} damaged ones`, () => {
  const random = randomFrom(5);
  let accepted = 0;
  let rejected = 0;
  for (let round = 0; round < DAMAGED / 100; round++) {
    const rows = Array.from({ length: 100 }, () =>
      HEADER.map((_title, at) => (random() < 0.9 ? (USUAL[at] ?? '') : csvCell(pick(CELLS, random), ',', random))).join(
        ',',
      ),
    );
    const bytes = Buffer.from(`${rows.join('\n')}\n`);
    for (let times = 0; times < 60; times++) {
      bytes[Math.floor(random() * bytes.length)] = pick(
        [0x22, 0x2c, 0x0a, 0x0d, 0xff, 0xc3, 0, 0x31, 0x7c, 0x3d],
        random,
      );
    }
    const header = Buffer.from(`${HEADER.map((title) => csvCell(title, ',', () => 1)).join(',')}\n`);
    for (const verdict of readDamaged(Buffer.concat([header, bytes])).values()) {
      if ('reason' in verdict) {
        rejected++;
        continue;
      }
      accepted++;
      const exact = checkRow(parseJson(verdict.body), rules);
      if ('issues' in exact) expect.fail(`made ${verdict.body}: ${JSON.stringify(exact.issues)}`);
      else if (canonicalJson(parseJson(exact.text)) !== verdict.body) expect.fail(`another value: ${verdict.body}`);
    }
  }
  expect(accepted).toBeGreaterThan(DAMAGED / 5);
  expect(rejected).toBeGreaterThan(DAMAGED / 10);
});

test('rejects a row if two columns map to the same identity in the wire format', () => {
  const words = createRowRules({ other: 'elsewhere' });
  const packer = new RowPacker({ rows: 10, bytes: 10_000 }, words, () => false);
  packer.begin(0, 0);
  const reader = createCsvReader(packer, { ...options, rules: words, isOurs: () => true });
  reader.feed(Buffer.from('identity:other,identity:elsewhere\na,b\n'));
  reader.end();
  packer.flush();
  expect(packer.ready.flatMap(({ rejected }) => rejected)).toHaveLength(1);
});
