// Seeds in every format on the embedded platform: the stored profiles have the exact ids from the file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CliResult } from '../../helpers/cli.ts';
import { openPlatformHome, type PlatformHome } from '../../helpers/platform-home.ts';
import { userRow } from '../../helpers/seeding-home.ts';
import { zstd } from '../../helpers/zstd.ts';

const IDS = ['9223372036854775807', '-7201284209016359738', '9007199254740993'];
const NDJSON = IDS.map((id) => `${userRow(id)}\n`).join('');

let home: PlatformHome;
beforeEach(async () => {
  home = await openPlatformHome({ fixtures: { workspaces: [{ id: 5001, key: 'k', secret: 'secret-of-it' }] } });
});
afterEach(() => home.close());

const run = (args: string[]): Promise<CliResult> => home.run(args, { env: { CDPADM_ENVIRONMENT: 'production' } });

/** Returns the platform's response for a profile as text, which keeps every digit. */
async function profilesOf(id: string): Promise<string> {
  return (await home.platform.send('GET', `/_control/profiles?xpid=${id}`)).text;
}

test.each([
  ['NDJSON', 'users.ndjson', NDJSON],
  ['a JSON array', 'users.json', `[${IDS.map((id) => userRow(id)).join(',\n')}]`],
  ['gzip', 'users.ndjson.gz', gzipSync(NDJSON)],
  ['zstd', 'users.ndjson.zst', zstd(NDJSON)],
  ['CSV', 'users.csv', `xpid,attr:Orders:count,cutoff_date\n${IDS.map((id) => `${id},3,2024-01-31\n`).join('')}`],
  [
    'CSV in gzip',
    'u.csv.gz',
    gzipSync(`xpid;attr:Orders:count;cutoff_date\n${IDS.map((id) => `"${id}";3;2024-01-31\n`).join('')}`),
  ],
  [
    'Parquet',
    'users.parquet',
    new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: 'xpid', data: IDS.map(BigInt), type: 'INT64' },
          { name: 'attr:Orders:count', data: IDS.map(() => 3), type: 'INT32' },
          { name: 'cutoff_date', data: IDS.map(() => '2024-01-31'), type: 'STRING' },
        ],
      }),
    ),
  ],
])('keeps every digit of ids from %s', async (_what, name, content) => {
  writeFileSync(join(home.cwd, name), content);
  const { code, stderr } = await run(['seed', 'bulk', name, '--yes']);
  expect(code, stderr).toBe(0);
  for (const id of IDS) expect(await profilesOf(id)).toMatch(new RegExp(`"xpid": ?${id}[,}\\s]`));
});

test('keeps every digit of an id in seed set from JSON and YAML, and in intake event', async () => {
  const [first = '', second = '', third = ''] = IDS;
  home.write('user.json', userRow(first));
  home.write('user.yaml', `environment: production\nxpid: ${second}\ncalculated_attributes: {'5001': []}\n`);
  home.write(
    'event.yaml',
    `environment: production\nxpid: ${third}\nevents: [{event_type: screen_view, data: {event_name: Home}}]\n`,
  );
  for (const args of [
    ['seed', 'set', '-f', 'user.json', '--yes'],
    ['seed', 'set', '-f', 'user.yaml', '--yes'],
    ['intake', 'event', '-f', 'event.yaml', '--yes'],
  ]) {
    const { code, stderr } = await run(args);
    expect(code, stderr).toBe(0);
  }
  for (const id of IDS) expect(await profilesOf(id)).toMatch(new RegExp(`"xpid": ?${id}[,}\\s]`));
});
