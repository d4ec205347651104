// The results of every dsr command match the schema that `cdpadm schema output` prints for that command.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/kernel/clock.ts';
import { commandsBelow, leavesBelow, loadProgram } from '../../helpers/command-tree.ts';
import { createDsrHome } from '../../helpers/dsr-home.ts';
import { listenForCallbacks } from '../../helpers/listener.ts';
import type { PlatformHome } from '../../helpers/platform-home.ts';
import { expectShape } from '../../helpers/result-shape.ts';
import { send } from '../../helpers/emulator.ts';

const program = await loadProgram();
const commands = new Map(commandsBelow(program));
const checked = new Set<string>();

let home: PlatformHome;
beforeAll(async () => {
  home = await createDsrHome();
});
afterAll(() => home.close());

/** Checks the output, or each of its lines, against the command's schema. */
function checkShape(path: string, output: string, byLine = false): void {
  const command = commands.get(path);
  if (!command) throw new Error(`Unknown command ${path}`);
  for (const json of byLine ? output.trimEnd().split('\n') : [output]) expectShape(command, json);
  checked.add(path);
}

async function check(path: string, args = '', exit = 0): Promise<string> {
  // While a command waits, advance the platform's clock by a day between polls.
  const sleep = async (): Promise<void> => {
    await home.platform.api.advance('1d');
  };
  const words = [...path.split(' '), ...args.split(' ').filter(Boolean), '--yes', '-o', 'json'];
  const { code, stdout, stderr } = await home.run(words, { clock: { ...systemClock, sleep } });
  expect(code, stderr).toBe(exit);
  checkShape(path, stdout, args.includes('--watch'));
  return stdout;
}

it('prints, for every dsr command, results that match its schema', async () => {
  const { lines, stop, url } = await listenForCallbacks(home, [
    '--keep',
    'kept',
    '--forward-to',
    'http://127.0.0.1:1/',
  ]);
  const request = `--regulation gdpr --identity email=ada@people.example --callback-url ${url}`;
  await check('dsr submit', `${request} --type access --wait`);
  await home.platform.api.flushCallbacks();
  await send('POST', url, { body: '{}' });
  const [{ subject_request_id: id, headers_file: headers, body_file: body } = {}] = lines();
  checkShape('dsr callbacks listen', (await stop()).stdout, true);
  await check('dsr callbacks verify', `--headers ${headers} --body ${body}`);
  home.write('other.body', '{}');
  await check('dsr callbacks verify', `--headers ${headers} --body other.body`, 1);

  await check('dsr callbacks outbox list');
  await check('dsr callbacks outbox replay', id);
  await check('dsr callbacks outbox drop', id);

  await check('dsr status', id);
  await check('dsr status', `${id} --watch`);
  await check('dsr wait', `${id} --until pending`);
  await check('dsr results', id);
  await check('dsr discovery');

  const erasure = await check('dsr submit', `${request} --type erasure --group-id spring`);
  await check('dsr list');
  await check('dsr list', '--due');
  await check('dsr list', '--group-id spring');
  await check('dsr cancel', (JSON.parse(erasure) as { subject_request_id: string }).subject_request_id);
  await check('dsr mark', `${id} --answered --extended 2099-01-01 --reason told`);
  await check('dsr ledger export');
  await check('dsr ledger verify');
  await check('dsr evidence', `${id} --kept kept --out evidence.zip`);
  await check('dsr ledger prune', '--before 2099-01-01');

  const rows = '--regulation gdpr --type access';
  home.write('people.csv', 'email\nb@example.com\n');
  await check('dsr prepare', `people.csv ${rows} --out ready.csv`);
  home.write('part.json', await check('dsr submit', `--bulk ready.csv ${rows}`));
  await check('dsr bulk-results', 'part.json');

  const all = leavesBelow(program).map(([path]) => path);
  expect([...checked].sort()).toEqual(all.filter((path) => path.startsWith('dsr ')).sort());
});
