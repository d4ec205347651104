// Exports from warehouses and tools: `seed validate` and `dsr submit --bulk` read an export, or reject it and state the
// reason.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runCli } from '../helpers/cli.ts';

const exportsFolder = fileURLToPath(new URL('../data/exports', import.meta.url));
const env = {
  CDPADM_WORKSPACE_ID: '5001',
  CDPADM_ENVIRONMENT: 'development',
  CDPADM_VENDOR_DOMAIN: 'platform.example',
};
const COLUMNS = '--headerless --columns customer_id,orders,spend,city';
const MAP =
  '--map customer_id=identity:customer_id --map orders=attr:Orders:count --map spend=attr:Spend:sum --map city=user:city';
const UPPER = MAP.replaceAll(/--map (\w+)=/g, (_all, column: string) => `--map ${column.toUpperCase()}=`);

/** Each sample, the flags for reading it as seeds, and the expected row count or message. */
const seeds: [samples: string, flags: string, rows: number | RegExp][] = [
  ['data_0_*_0.csv.gz', `--source snowflake ${COLUMNS} ${MAP}`, 4],
  ['hdr_0_*_0.csv.gz', `--source snowflake ${UPPER}`, 4],
  ['bq-*.json', `--source bigquery ${MAP}`, 4],
  ['bq-*.json', `--source bigquery --map customer_id=xpid --map orders=attr:Orders:count`, 4],
  ['rs000?_part_00', `--source redshift ${COLUMNS} ${MAP}`, 4],
  ['rsh*', `--source redshift ${MAP}`, 1],
  ['--files-from=rsmanifest', `--source redshift ${COLUMNS} ${MAP}`, 2],
  ['dbx', MAP, 10],
  ['hive', '--map customer_id=identity:customer_id --map orders=attr:Orders:count', 1],
  ['pandas.csv', `--source pandas ${MAP}`, 3],
  ['pandas.csv', MAP, /pandas\.csv:2: orders: must be a whole number/],
  ['pandas_fid.csv', `--source pandas ${MAP}`, /pandas_fid\.csv:2: customer_id: is a floating-point number; /],
  [
    'pandas_fid.csv',
    '--map customer_id=xpid --map city=user:city',
    /pandas_fid\.csv:2: customer_id: must be an integer without a decimal point/,
  ],
  ['pandas_index.csv', `--source pandas ${MAP}`, 3],
  ['excel.csv', `--source excel ${MAP}`, 2],
  ['excel.csv', MAP, /excel\.csv:2: spend: must be a number/],
  ['excel16.csv', MAP, /excel16\.csv:1:1: the file is UTF-16; save it as UTF-8/],
  ['latin1.csv', MAP, /latin1\.csv:2: contains invalid UTF-8/],
];

/** Each sample, the flags for reading it as requests, and the expected row count or message of a dry run. */
const requests: [samples: string, flags: string, rows: number | RegExp][] = [
  ['data_0_*_0.csv.gz', `--source snowflake ${COLUMNS}`, 4],
  [
    'hdr_0_*_0.csv.gz',
    '--source snowflake --map CUSTOMER_ID=controller_customer_id --map ORDERS=- --map SPEND=- --map CITY=-',
    4,
  ],
  ['bq-*.json', '--map updated=-', 4],
  ['rs0000_part_00', `--source redshift ${COLUMNS}`, 2],
  ['pandas.csv', '--source pandas', 3],
  ['pandas_fid.csv', '--source pandas', /pandas_fid\.csv:2:1: controller_customer_id: is a floating-point number; /],
  ['pandas_index.csv', '--source pandas', 3],
  ['excel.csv', '--source excel', 2],
  ['latin1.csv', '', /latin1\.csv:2:1: contains invalid UTF-8/],
];
const OTHERS = '--map customer_id=controller_customer_id --map orders=- --map spend=- --map city=-';

const withResult = (cases: typeof seeds) =>
  cases.map(
    (one) => [typeof one[2] === 'number' ? `${one[2]} row(s)` : `an issue like ${one[2].source}`, ...one] as const,
  );
const words = (line: string): string[] => line.split(' ').filter((word) => word !== '');

describe('seed validate', () => {
  it.each(withResult(seeds))('reports %s for %s with flags: %s', async (_result, samples, flags, rows) => {
    const line = ['seed', 'validate', samples, ...words(flags), '--cutoff-date', '2026-01-01', '-o', 'json'];
    const { code, stderr, stdout } = await runCli(line, { env, cwd: exportsFolder });
    if (typeof rows === 'number') expect([code, JSON.parse(stdout)], stderr).toMatchObject([0, { rows }]);
    else expect([code, textOf(stderr)]).toEqual([9, expect.stringMatching(rows)]);
  });
});

describe('dsr submit --bulk', () => {
  it.each(withResult(requests))('reports %s for %s with flags: %s', async (_result, samples, flags, rows) => {
    const map = flags.includes('--map CUSTOMER_ID') ? '' : OTHERS;
    const line = [
      'dsr',
      'submit',
      '--bulk',
      samples,
      ...words(`${flags} ${map}`),
      ...words('--regulation gdpr --type access -n -o json'),
    ];
    const { code, stderr, stdout } = await runCli(['--profile', 'local', ...line], { env, cwd: exportsFolder });
    if (typeof rows === 'number')
      expect([code, JSON.parse(stdout || '{}')], stderr).toMatchObject([0, { plan: { rows } }]);
    else expect([code, textOf(stderr)]).toEqual([9, expect.stringMatching(rows)]);
  });
});

it('has a case for every sample except Parquet files', () => {
  const covered = [...seeds, ...requests].map(([samples]) => samples);
  const isCovered = (name: string): boolean =>
    name.endsWith('.parquet') || covered.some((samples) => samples.includes(name.slice(0, 3)));
  expect(readdirSync(exportsFolder).filter((name) => !isCovered(name))).toEqual([]);
  expect(join(exportsFolder, 'dbx')).toContain('exports');
});

/** Returns `file:line:column: field: reason` for each issue, without the parts that the issue does not have. */
function textOf(stderr: string): string {
  const { error } = JSON.parse(stderr) as {
    error: { issues?: { file: string; line?: number; column?: number; path: string; message: string }[] };
  };
  return (error.issues ?? [])
    .map(
      ({ column, file, line, message, path }) =>
        `${[file, line, column].filter((part) => part !== undefined).join(':')}: ${path === '' ? '' : `${path}: `}${message}`,
    )
    .join('\n');
}
