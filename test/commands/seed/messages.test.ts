// The seeding commands' messages about a file: they name its columns, report one issue per error, and suggest the next
// command.
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CliResult } from '../../helpers/cli.ts';
import { type Seeding, startSeeding, userRow, userRows } from '../../helpers/seeding-home.ts';

let seeding: Seeding;
beforeEach(async () => {
  seeding = await startSeeding();
});
afterEach(() => seeding.close());

interface ErrorDocument {
  issues_omitted?: number;
  issues: { path: string; line?: number; message: string; file?: string }[];
  hint?: string;
}

function errorOf({ stderr }: Pick<CliResult, 'stderr'>): ErrorDocument {
  return (JSON.parse(stderr.slice(stderr.indexOf('{"error"'))) as { error: ErrorDocument }).error;
}

test.each<[string, string, string]>([
  ['2.0', ',', 'must be a whole number, 0 or more; for numbers that pandas wrote, pass --source pandas'],
  ['1.234,5', ';', 'must be a whole number, 0 or more; for decimal commas, pass --source excel'],
  ['"1,5"', ',', 'must be a whole number, 0 or more'],
])(
  'reports the invalid number %s in a table with the delimiter %s, and suggests a flag that accepts the number, if any',
  async (cell, sign, message) => {
    const file = seeding.write('users.csv', `xpid${sign}attr:Orders:count\n1${sign}${cell}\n`);
    const { stderr } = await seeding.run(['seed', 'validate', file, '--cutoff-date', '2024-01-31', '-o', 'json']);
    expect(errorOf({ stderr }).issues).toEqual([{ file: 'users.csv', path: 'attr:Orders:count', line: 2, message }]);
  },
);

const BAD_TABLE = 'xpid,attr:Orders:count,attr:Spend:average:count,cutoff_date\n1,2,,2024-01-31\nx,many,1,2024-01-31\n';

describe('an invalid table', () => {
  const errors = [
    ['xpid', 3, 'must be a signed 64-bit integer in plain digits, such as -42'],
    ['attr:Orders:count', 3, 'must be a whole number, 0 or more'],
    ['attr:Spend:average:count', 3, '`sum` is missing'],
  ];

  test('is reported by seed validate and preview with one issue per error, each naming the column', async () => {
    const file = seeding.write('users.csv', BAD_TABLE);
    for (const args of [['validate', file], ['preview', file, '--row', '2']]) {
      const { code, stderr } = await seeding.run(['seed', ...args, '-o', 'json']);
      expect(code).toBe(9);
      expect(errorOf({ stderr }).issues).toEqual(
        errors.map(([path, line, message]) => ({ file: 'users.csv', path, line, message })),
      );
    }
    const { stderr } = await seeding.run(['seed', 'validate', file]);
    expect(stderr).toContain('users.csv:3: attr:Orders:count: must be a whole number, 0 or more\n');
  }); // prettier-ignore

  test('produces a rejects file of bodies, so that later issues name body fields', async () => {
    const { result } = await seeding.bulk([seeding.write('users.csv', BAD_TABLE)]);
    const { stderr } = await seeding.run(['seed', 'validate', result.rejects ?? '', '-o', 'json']);
    expect(errorOf({ stderr }).issues.map(({ path }) => path)).toEqual([
      'xpid',
      'calculated_attributes.5001[0].seed.value',
      'calculated_attributes.5001[1].seed.key_value_pairs.sum',
    ]);
  });

  test('is reported by column and row number if it is Parquet', async () => {
    const columnData = [
      { name: 'xpid', data: [1n, 2n], type: 'INT64' as const },
      { name: 'attr:Orders:count', data: ['1', 'many'], type: 'STRING' as const },
      { name: 'cutoff_date', data: ['2024-01-31', '2024-01-31'], type: 'STRING' as const },
    ];
    const file = seeding.write('users.parquet', new Uint8Array(parquetWriteBuffer({ columnData })));
    const { stderr } = await seeding.run(['seed', 'validate', file]);
    expect(stderr).toContain('users.parquet:2: attr:Orders:count: must be a whole number, 0 or more\n');
  });

  test('is reported with the column names from its header if a map renames the columns', async () => {
    const file = seeding.write('users.csv', 'Kunde;Käufe\nc-1;many\n');
    seeding.write('map.yaml', 'Kunde: identity:customer_id\nKäufe: attr:Orders:count\n');
    const args = ['--map-file', 'map.yaml', '--cutoff-date', '2024-01-31'];
    const { stderr } = await seeding.run(['seed', 'validate', file, ...args]);
    expect(stderr).toContain('users.csv:2: Käufe: must be a whole number, 0 or more\n');
  });

  test('is rejected with one issue, and without a hint to resume, if it has no date column', async () => {
    const file = seeding.write('users.csv', 'xpid,attr:Orders:count\n1,2\n');
    const { code, stderr } = await seeding.bulk([file]);
    expect(code).toBe(9);
    expect(errorOf({ stderr }).issues.map(({ message }) => message)).toEqual([
      'there is no `cutoff_date` column, and --cutoff-date is not set',
    ]);
    // Resuming would fail again: the file has to change first.
    expect(errorOf({ stderr }).hint ?? '').not.toContain('--resume');
    // A table with only user attributes does not need a date.
    expect((await seeding.bulk([seeding.write('tiers.csv', 'xpid,user:tier\n1,gold\n')])).code).toBe(0);
  });

  test('is reported with one issue for an invalid date, in addition to the other errors', async () => {
    const attributes = Array.from({ length: 9 }, (_, index) => `attr:A${index}:count`);
    const rows = `xpid,${attributes.join(',')},attr:Last:count,cutoff_date\n1,${'3,'.repeat(9)}x,2024-02-30\n`;
    const { stderr } = await seeding.run(['seed', 'validate', seeding.write('users.csv', rows), '-o', 'json']);
    expect(errorOf({ stderr }).issues.map(({ path }) => path)).toEqual(['cutoff_date', 'attr:Last:count']);
  });
});

test('reports one issue per error in NDJSON, with its path in the body', async () => {
  const row = userRow('"x"').replace('production', 'prod').replace('"3"', '-1');
  const file = seeding.write('users.ndjson', `${userRow(1)}\n${row}\n{"a\n`);
  const { stderr } = await seeding.run(['seed', 'validate', file, '-o', 'json']);
  expect(errorOf({ stderr }).issues).toMatchObject([
    {
      file: 'users.ndjson',
      line: 2,
      path: 'environment',
      message: 'must be `production` or `development`; did you mean `production`?',
    },
    { line: 2, path: 'xpid', message: 'must be a signed 64-bit integer in plain digits, such as -42' },
    { line: 2, path: 'calculated_attributes.5001[0].seed.value', message: 'must be a whole number, 0 or more' },
    { line: 3, path: '', message: expect.stringContaining('not valid JSON') as unknown },
  ]);
});

test("reports issues under the deployment's field names, with their line numbers", async () => {
  for (const line of [
    'profile create named --seeding-url https://seeding.example.com',
    'profile edit named --set names.xpid=ourid --set names.osa_id=ours_id',
  ]) {
    expect((await seeding.run(line.split(' '))).code).toBe(0);
  }
  const body = { environment: 'production', ourid: 'x', calculated_attributes: {} };
  const identity = { ours_id: '' };
  seeding.write('users.ndjson', JSON.stringify(body));
  seeding.write('user.json', JSON.stringify({ ...body, ourid: 1, identities: identity }, undefined, 1));
  seeding.write('event.json', JSON.stringify({ environment: 'production', user_identities: identity, events: [] }));
  for (const [line, places] of [
    ['seed validate users.ndjson', [['ourid', 1]]],
    ['seed set -f user.json', [['identities.ours_id', 6]]],
    ['intake event -f event.json', [['user_identities.ours_id', 1]]],
  ] as const) {
    const { code, stderr } = await seeding.run([...line.split(' '), '-o', 'json']);
    expect([code, errorOf({ stderr }).issues.map(({ path, line: at }) => [path, at])]).toEqual([9, places]);
  }
}); // prettier-ignore

test('reports how many issues it omits from a long list', async () => {
  const file = seeding.write('users.ndjson', userRows(1001).replaceAll('production', 'prod'));
  const { stderr } = await seeding.run(['seed', 'validate', file, '-o', 'json']);
  expect(errorOf({ stderr }).issues).toHaveLength(1000);
  expect(errorOf({ stderr }).issues_omitted).toBe(1);
});

describe('columns that a map omits', () => {
  const args = ['--map-file', 'map.yaml', '--cutoff-date', '2024-01-31'];
  const write = (header: string): string => {
    seeding.write('map.yaml', 'Customer: identity:customer_id\nBought: attr:Orders:count\n');
    return seeding.write('users.csv', `Customer,Bought,${header}\nc-1,3,a,b\nc-2,4,a,b\n`);
  };

  test.each(['validate', 'bulk', 'preview'])('are reported once, but not as an error, by seed %s', async (command) => {
    const { code, stderr } = await seeding.run(['seed', command, write('Tier,Shoe size'), ...args, '--yes']);
    expect(code).toBe(0);
    expect(stderr.split('omits the columns `Tier`, `Shoe size`.')).toHaveLength(2);
    expect(stderr).not.toContain('Warning');
  });

  test('are all reported in one warning if one of them is named like a field', async () => {
    const file = write('Tier,e-mail');
    seeding.write('same.csv', 'Customer,Bought,Tier,e-mail\nc-3,5,a,b\n');
    const { code, stderr } = await seeding.run(['seed', 'bulk', file, 'same.csv', ...args, '--yes']);
    expect(code).toBe(0);
    expect(stderr).toContain('Warning: users.csv: The map omits the columns `Tier`, `e-mail`.');
    expect(stderr).toContain('add `e-mail: identity:email` to the map');
    expect(stderr).not.toContain('same.csv');
  });
});

describe('mapped columns that no JSON record contains', () => {
  const map = '--map id=identity:customer_id --map ordres=attr:Orders:count --cutoff-date 2024-01-31'.split(' ');

  test.each(['validate', 'bulk', 'bulk --dry-run'])(
    'are reported once, for all inputs, by seed %s',
    async (command) => {
      const files = [seeding.write('a.ndjson', '{"id":"1","orders":3}\n'), seeding.write('b.json', '[{"id":"2"}]')];
      const { code, stderr } = await seeding.run(['seed', ...command.split(' '), ...files, ...map, '--yes']);
      expect([code, stderr.match(/Warning: .*/g)]).toEqual([
        0,
        ['Warning: The map contains the column `ordres`, but no row contains it. Check the spelling.'],
      ]);
      seeding.write('b.json', '[{"id":"2","ordres":"3"}]');
      const corrected = await seeding.run(['seed', 'validate', ...files, ...map]);
      expect([corrected.code, corrected.stderr]).toEqual([0, expect.not.stringContaining('Check the spelling')]);
    },
  );
});

describe('a completed bulk run', () => {
  const next = (stderr: string): string | undefined => / then send them: (.*)\n/.exec(stderr)?.[1];

  test('prints the command that sends the rejects, with the profile and rate from the flags', async () => {
    const file = seeding.write('our users.csv', BAD_TABLE);
    seeding.write('map.json', '{"xpid":"xpid","cutoff_date":"cutoff_date","attr:Orders:count":"attr:Orders:count"}');
    const run = await seeding.run(['seed', 'bulk', file, '--map-file', 'map.json', '--rate', '900/m', '--workspace', '7', '--yes']);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain('Correct the rejected rows in our users.csv.rejects.ndjson, then send them: ');
    expect(next(run.stderr)).toBe("cdpadm seed bulk 'our users.csv.rejects.ndjson' --rate 900/m --yes --workspace 7");
    const local = await seeding.run(['seed', 'bulk', file, '--profile', 'local', '--rejects', 'bad.ndjson', '--yes'], {
      env: seeding.withoutPlatform,
    });
    expect([local.code, next(local.stderr)]).toEqual([3, 'cdpadm seed bulk bad.ndjson --yes --profile local']);
  }); // prettier-ignore

  test('does not print a command if no row was rejected or if the output is JSON', async () => {
    const good = await seeding.run(['seed', 'bulk', seeding.write('users.ndjson', userRows(3)), '--yes']);
    expect(next(good.stderr)).toBeUndefined();
    const { code, stderr } = await seeding.bulk([seeding.write('users.csv', BAD_TABLE)]);
    const messages = stderr.split('\n').filter((line) => !line.startsWith('{"progress":'));
    expect([code, messages]).toEqual([3, ['']]);
  });
});

test('prints a restart command that keeps the workspace, the rejects file, the concurrency and the rate from the flags', async () => {
  const file = seeding.write('users.ndjson', userRows(3));
  const args = [file, '--rejects', 'bad.ndjson', '--concurrency', '2', '--rate', '5', '--workspace', '7'];
  await seeding.run(['seed', 'bulk', ...args, '--yes']);
  const { code, stderr } = await seeding.run(['seed', 'bulk', ...args, '--yes']);
  expect(code).toBe(12);
  expect(stderr).toContain(
    'cdpadm seed bulk users.ndjson --concurrency 2 --rate 5 --rejects bad.ndjson --yes --restart --workspace 7',
  );
});
