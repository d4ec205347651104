// The tour's chapter on data subject requests: access and results, erasure and cancellation, a callback checked.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startCallbackServer } from '../../lib/runtime/callbacks/server.ts';
import type { Stage } from './stage.ts';

/** Ids of one's own make a request repeatable; these are as good as any. */
const ACCESS = '2d1f0a52-7c1e-4b3c-9f0a-1a2b3c4d5e6f';
const ERASURE = '3e2f1b63-8d2f-4c4d-8a1b-2b3c4d5e6f70';
const REGRETTED = '4f302c74-9e30-4d5e-9b2c-3c4d5e6f7081';
const SECOND_ACCESS = '50413d85-af41-4e6f-8c3d-4d5e6f708192';

const JANE = {
  environment: 'production',
  user_identities: { email: 'jane@example.com', customer_id: '4711' },
  user_attributes: { favourite_colour: 'green' },
};

export async function dsrChapter(stage: Stage): Promise<void> {
  const { folder } = stage.sandbox;
  await stage.chapter('Data subject requests');
  await stage.say('Jane is known to the platform. She asks what it keeps about her; the regulation gives one month.');
  writeFileSync(join(folder, 'jane.json'), `${JSON.stringify(JANE, undefined, 2)}\n`);
  await stage.run('intake identify -f jane.json --yes');
  const jane = '--identity email=jane@example.com';
  await stage.run(`dsr submit --regulation gdpr --type access ${jane} --request-id ${ACCESS} --yes`);
  await stage.say(
    'Such a request takes days. The embedded platform has a clock of its own, so that nobody has to wait:',
  );
  await stage.run('emulator clock advance 4d');
  await stage.run(`dsr status ${ACCESS}`);
  await stage.run(`dsr results ${ACCESS}`);

  await stage.say('Now she wants to be forgotten. The platform will post each status to a receiver of ours, signed.');
  let told = (): void => undefined;
  const isDone = new Promise<void>((resolve) => {
    told = resolve;
  });
  const receiver = await startCallbackServer({ host: '127.0.0.1', port: 0 }, async ({ body, headers }) => {
    writeFileSync(join(folder, 'callback.headers'), headers.map(([name, value]) => `${name}: ${value}\n`).join(''));
    writeFileSync(join(folder, 'callback.json'), body ?? '');
    if (body?.includes('"completed"')) told();
    return 202;
  });
  try {
    const url = `http://127.0.0.1:${receiver.port}/`;
    const erase = 'dsr submit --regulation gdpr --type erasure';
    await stage.run(`${erase} ${jane} --callback-url ${url} --request-id ${ERASURE} --yes`);
    await stage.say('Another erasure was a mistake. As long as it waits, it can be taken back:');
    await stage.run(`${erase} --identity email=joe@example.com --request-id ${REGRETTED} --yes`);
    await stage.run(`dsr cancel ${REGRETTED} --yes`);
    await stage.run('emulator clock advance 10d');
    await stage.waitFor(isDone);
  } finally {
    await receiver.close();
  }
  await stage.run('dsr list');

  await stage.say('Jane is gone: another access request finds nothing about her.');
  await stage.run(`dsr submit --regulation gdpr --type access ${jane} --request-id ${SECOND_ACCESS} --yes`);
  await stage.run('emulator clock advance 4d');
  await stage.run(`dsr results ${SECOND_ACCESS}`, 'notFound');

  await stage.say('Was the last callback from the platform? Four checks say so; a changed body would not pass.');
  const verify = 'dsr callbacks verify --headers callback.headers --body callback.json';
  await stage.run(verify);
  stage.edit('callback.json', (text) => text.replace(/"request_status":"\w+"/, '"request_status":"cancelled"'));
  await stage.run(verify, 'failed');
}
