// Runs every command on a platform whose deployment uses its own words, with a profile that maps them. The program
// shows and reads the neutral words; requests and responses contain the deployment's words.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SEEN_EXCHANGES, type SeenExchange } from '../../src/lib/emulator/platform/exchange.ts';
import { CASES, type CommandCase, recordOf } from './cases.ts';
import { createWorld, type World } from './world.ts';

/** Whole words and prefixes, as keys and as values, from every area with mapped words. */
const NAMES = {
  xpid: 'member_ref',
  email: 'mail_address',
  'other*': 'further_id',
  'osa_*': 'phone_',
  osa_id: 'handset',
  'cloud_*': 'sky_',
  PROVIDER_A: 'BIG_STORE',
  PROVIDER_D: 'LAKE_HOUSE',
  account_identifier: 'account_ref',
  password: 'passphrase',
};

/** Further command lines with mapped words. */
const MORE: readonly CommandCase[] = [
  { command: 'connections list', args: '--service-provider PROVIDER_D' },
  {
    command: 'dsr submit',
    args: '--regulation gdpr --type erasure --identity email=a@people.example --identity osa_id=7 --identity osa_advertising_id=8 --identity other3=c',
  },
  {
    command: 'connections create',
    args: '-f cloud.yaml --workspace 3002',
    before: [
      ({ folder }) => {
        const text = readFileSync(join(folder, 'connection-2.yaml'), 'utf8');
        writeFileSync(join(folder, 'cloud.yaml'), `${text}  cloud_external_id: e-1\n`);
      },
    ],
  },
  { command: 'api', args: 'GET /platform/v2/workspaces/{workspaceId}/connections' },
];

let world: World;
const seen: SeenExchange[] = [];
const see = (exchange: unknown): unknown => seen.push(exchange as SeenExchange);
beforeAll(async () => {
  subscribe(SEEN_EXCHANGES, see);
  world = await createWorld({ names: NAMES });
});
afterAll(async () => {
  unsubscribe(SEEN_EXCHANGES, see);
  await world.close();
});

const withNames: NonNullable<CommandCase['before']> = [
  ({ folder }) => writeFileSync(join(folder, 'names.json'), JSON.stringify({ names: NAMES })),
  'profile import names.json branded --yes',
];

function isNeutral(word: string): boolean {
  return Object.keys(NAMES).some((name) =>
    name.endsWith('*') ? word.startsWith(name.slice(0, -1)) && word.length >= name.length : word === name,
  );
}

function neutralIn(text: string | undefined): string[] {
  const found: string[] = [];
  if (text?.startsWith('{') || text?.startsWith('[')) {
    JSON.parse(text, (key, value: unknown) => {
      for (const word of [key, value]) if (typeof word === 'string' && isNeutral(word)) found.push(word);
      return value;
    });
  }
  return found;
}

test("runs every command with neutral words on the screen and the deployment's words on the wire", async () => {
  const found: string[] = [];
  const unspoken = new Set(Object.values(NAMES));
  for (const wanted of [...CASES, ...MORE]) {
    if (wanted.elsewhere !== undefined) continue;
    await world.prepare({ ...wanted, before: [...withNames, ...(wanted.before ?? [])] });
    seen.length = 0;
    const { code, served, stderr, stdout } = await world.run(wanted, ['-o', 'json']);
    const place = world.lineOf(wanted).join(' ');
    if (served || !(wanted.exits ?? [0]).includes(code)) found.push(`${place}: ${code} ${served?.message ?? stderr}`);
    for (const { answer, body, method, url } of seen) {
      const text = `${url}${body.toString()}${answer.text ?? ''}`;
      for (const word of unspoken) if (text.includes(word)) unspoken.delete(word);
      const words = [
        ...neutralIn(body.toString()),
        ...neutralIn(answer.text),
        ...[...new URLSearchParams(url.split('?')[1])].flat().filter(isNeutral),
      ];
      for (const word of words) found.push(`${place}: ${word} in ${method} ${url}`);
    }
    // A command that only reads settings may print the map itself or the request that it would send.
    for (const word of recordOf(wanted).calls === 'settings' ? [] : Object.values(NAMES)) {
      if (stdout.includes(word)) found.push(`${place}: ${word} on standard output`);
    }
  }
  expect(found).toEqual([]);
  // Proves that each word appeared on the wire.
  expect([...unspoken]).toEqual([]);
}, 240_000);
