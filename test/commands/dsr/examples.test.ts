// Every example in the help of the dsr commands succeeds with `--yes`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { command as dsr } from '../../../src/commands/dsr/index.ts';
import { startCallbackServer } from '../../../src/lib/runtime/callbacks/server.ts';
import { RunContext } from '../../../src/lib/runtime/run-context.ts';
import { helpOf } from '../../../src/lib/runtime/command-line/help.ts';
import { interrupted } from '../../../src/lib/runtime/interrupt.ts';
import { createTestIo } from '../../helpers/cli.ts';
import { leavesBelow } from '../../helpers/command-tree.ts';
import { createDsrHome } from '../../helpers/dsr-home.ts';
import type { PlatformHome } from '../../helpers/platform-home.ts';
import { send } from '../../helpers/emulator.ts';
import { shellWords } from '../../helpers/shell-words.ts';

const ID = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11';
const ACCESS_ID = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c12';

const group = dsr.build(new RunContext(createTestIo().io, new AbortController().signal));
const examples = leavesBelow(group).flatMap(([, command]) => helpOf(command)?.examples ?? []);

let home: PlatformHome;
/**
 * Creates the data for the examples: a pending request in a group, a file of subjects, and a callback with its
 * certificate.
 */
beforeEach(async () => {
  home = await createDsrHome();
  const receiver = await startCallbackServer({ host: '127.0.0.1', port: 0 }, async ({ body, headers }) => {
    writeFileSync(join(home.cwd, 'callback.headers'), headers.map((line) => `${line.join(': ')}\n`).join(''));
    writeFileSync(join(home.cwd, 'callback.json'), body ?? '');
    return 202;
  });
  const erasure = ['dsr', 'submit', '--regulation', 'gdpr', '--type', 'erasure', '--identity', 'email=sue@example.com'];
  const more = [
    '--group-id',
    'spring-clean',
    '--callback-url',
    `http://127.0.0.1:${receiver.port}/`,
    '--request-id',
    ID,
  ];
  expect((await home.run([...erasure, ...more, '--yes'])).code).toBe(0);
  await home.platform.api.advance('20m');
  await home.platform.api.flushCallbacks();
  await receiver.close();
  const { processor_certificate: url } = (await home.json<{ processor_certificate: string }>('dsr discovery')).data;
  home.write('processor.pem', (await send('GET', url)).text);
  home.write('subjects.csv', 'email\na@example.com\nb@example.com\n');
});
afterEach(() => home.close());

test.each(examples)('runs the example successfully: %s', async (line) => {
  // An erasure cannot be marked as answered.
  const isAnswered = line.includes('--answered');
  if (isAnswered) {
    const access = ['dsr', 'submit', '--regulation', 'gdpr', '--type', 'access', '--identity', 'email=sue@example.com'];
    expect((await home.run([...access, '--request-id', ACCESS_ID, '--yes'])).code).toBe(0);
  }
  const words = shellWords(isAnswered ? line.replace(ID, ACCESS_ID) : line).slice(1);
  if (line.includes('dsr prepare'))
    home.write('subjects.csv', 'email,regulation,subject_request_type\na@b.c,gdpr,access\n');
  if (line.includes('bulk-results')) {
    home.write('people.csv', 'email\na@example.com\n');
    const part = await home.run('dsr submit --bulk people.csv --regulation ccpa --type access --yes -o json');
    mkdirSync(join(home.cwd, 'results'));
    home.write('results/part.json', part.stdout);
  }
  const stop = new AbortController();
  const isServing = line.includes('callbacks listen');
  const onOutput = (stdout: string): void => {
    if (isServing && stdout.includes('\n')) stop.abort(interrupted());
  };
  const { code, stderr } = await home.run([...words, '--yes'], { stop, onOutput });
  expect(code, stderr).toBe(isServing ? 130 : 0);
});
