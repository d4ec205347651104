// Every input accepts the same profile ids: signed 64-bit integers written in plain digits.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Seeding, startSeeding } from '../../helpers/seeding-home.ts';

let seeding: Seeding;
beforeEach(async () => {
  seeding = await startSeeding();
});
afterEach(() => seeding.close());

const seed = (id: string): string =>
  `{"environment":"production","xpid":${id},"calculated_attributes":{"5001":[{"attribute_name":"Orders","calculation_type":"count","cutoff_date":"2024-01-31","seed":{"value":3}}]}}`;
const event = (id: string): string => `{"environment":"production","xpid":${id},"events":[]}`;
const parquet = (id: string): Uint8Array =>
  new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'xpid', data: [id], type: 'STRING' }] }));
const dsr = ['dsr', 'submit', '--regulation', 'gdpr', '--type', 'access', '--show-identities', '-n'];
const requests = (id: string): string => `regulation,subject_request_type,xpid\ngdpr,access,${id}\n`;

const TOO_LARGE = '9223372036854775808';
const TOO_SMALL = '-9223372036854775809';
const LARGEST = '9223372036854775807';
const SMALLEST = '-9223372036854775808';

/** Each input: a command line and the file that it reads. */
type Input = [what: string, args: readonly string[], name?: string, content?: (id: string) => string | Uint8Array];
const INPUTS: readonly Input[] = [
  ['seed set with a JSON number', ['seed', 'set', '-f', 'a.json', '-y'], 'a.json', seed],
  ['seed set with a JSON string', ['seed', 'set', '-f', 'a.json', '-y'], 'a.json', (id) => seed(`"${id}"`)],
  ['seed set with YAML', ['seed', 'set', '-f', 'a.yaml', '-y'], 'a.yaml', seed],
  ['seed bulk with NDJSON numbers', ['seed', 'bulk', 'a.ndjson', '-y'], 'a.ndjson', seed],
  ['seed bulk with NDJSON strings', ['seed', 'bulk', 'a.ndjson', '-y'], 'a.ndjson', (id) => seed(`"${id}"`)],
  ['seed bulk with JSON', ['seed', 'bulk', 'a.json', '-y'], 'a.json', (id) => `[${seed(id)}]`],
  ['seed bulk with CSV', ['seed', 'bulk', 'a.csv', '-y'], 'a.csv', (id) => `xpid\n${id}\n`],
  ['seed bulk with quoted CSV', ['seed', 'bulk', 'a.csv', '-y'], 'a.csv', (id) => `xpid\n"${id}"\n`],
  ['seed bulk with Parquet strings', ['seed', 'bulk', 'a.parquet', '-y'], 'a.parquet', parquet],
  ['intake event with JSON', ['intake', 'event', '-f', 'a.json', '-y'], 'a.json', event],
  ['intake event with YAML', ['intake', 'event', '-f', 'a.yaml', '-y'], 'a.yaml', event],
  ['dsr submit with a bulk file', ['dsr', 'submit', '--bulk', 'a.csv', '--show-identities', '-n'], 'a.csv', requests],
  ['dsr submit with a flag', dsr],
];

function commandOf([, args, name, content]: Input, id: string): readonly string[] {
  if (name === undefined || !content) return [...args, '--extension-identity', `xpid=${id}`];
  seeding.write(name, content(id));
  return args;
}

/** Returns the contents of the rejects files, in which bulk runs report reasons. */
const rejects = (): string =>
  readdirSync(seeding.folder)
    .filter((name) => name.includes('.rejects.'))
    .map((name) => readFileSync(join(seeding.folder, name), 'utf8'))
    .join('');

describe.each(INPUTS)('%s', (...input) => {
  const env = { CDPADM_DSR_BASE_URL: 'https://dsr.example', CDPADM_VENDOR_DOMAIN: 'x.example' };

  it.each(['-0', TOO_LARGE, TOO_SMALL])('rejects the xpid %s and sends nothing', async (id) => {
    const { code, stdout, stderr } = await seeding.run([...commandOf(input, id)], { env });
    expect([2, 3, 9], stderr).toContain(code);
    expect(stdout + stderr + rejects()).toContain('must be a signed 64-bit integer in plain digits, such as -42');
    expect(seeding.sink.bodies).toEqual([]);
  });

  it.each(['0', LARGEST, SMALLEST])('accepts the xpid %s', async (id) => {
    const { code, stdout, stderr } = await seeding.run([...commandOf(input, id)], { env });
    expect(code, stderr).toBe(0);
    expect(stdout + seeding.sink.bodies.join('')).toContain(id);
  });
});
