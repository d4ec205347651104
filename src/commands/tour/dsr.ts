// The tour's chapter on data subject requests: access, results, erasure, cancellation, and a verified callback.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startCallbackServer } from '../../lib/runtime/callbacks/server.ts';
import type { Stage } from './stage.ts';

/** Fixed ids make the requests repeatable. */
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
  await stage.say('The platform knows Jane. She asks for her data; the regulation allows one month.');
  writeFileSync(join(folder, 'jane.json'), `${JSON.stringify(JANE, undefined, 2)}\n`);
  await stage.run('intake identify -f jane.json --yes');
  const jane = '--identity email=jane@example.com';
  await stage.run(`dsr submit --regulation gdpr --type access ${jane} --request-id ${ACCESS} --yes`);
  await stage.say('A request takes days. The embedded platform has its own clock, so you do not have to wait:');
  await stage.run('emulator clock advance 4d');
  await stage.run(`dsr status ${ACCESS}`);
  await stage.run(`dsr results ${ACCESS}`);

  await stage.say('Now Jane asks for erasure. The platform posts each status to our receiver, with a signature.');
  let complete = (): void => undefined;
  const isDone = new Promise<void>((resolve) => {
    complete = resolve;
  });
  const receiver = await startCallbackServer({ host: '127.0.0.1', port: 0 }, async ({ body, headers }) => {
    writeFileSync(join(folder, 'callback.headers'), headers.map(([name, value]) => `${name}: ${value}\n`).join(''));
    writeFileSync(join(folder, 'callback.json'), body ?? '');
    if (body?.includes('"completed"')) complete();
    return 202;
  });
  try {
    const url = `http://127.0.0.1:${receiver.port}/`;
    const erase = 'dsr submit --regulation gdpr --type erasure';
    await stage.run(`${erase} ${jane} --callback-url ${url} --request-id ${ERASURE} --yes`);
    await stage.say('Another erasure was a mistake. You can cancel it during its waiting period:');
    await stage.run(`${erase} --identity email=joe@example.com --request-id ${REGRETTED} --yes`);
    await stage.run(`dsr cancel ${REGRETTED} --yes`);
    await stage.run('emulator clock advance 10d');
    await stage.waitFor(isDone);
  } finally {
    await receiver.close();
  }
  await stage.run('dsr list');

  await stage.say(
    'Jane is erased. Another access request finds no data. A flag permits it so soon after the first one:',
  );
  await stage.run(
    `dsr submit --regulation gdpr --type access ${jane} --request-id ${SECOND_ACCESS} --allow-duplicates --yes`,
  );
  await stage.run('emulator clock advance 4d');
  await stage.run(`dsr results ${SECOND_ACCESS}`, 'notFound');

  await stage.say('Did the platform send the last callback? Four checks prove it. A changed body fails:');
  const verify = 'dsr callbacks verify --headers callback.headers --body callback.json';
  await stage.run(verify);
  stage.edit('callback.json', (text) => text.replace(/"request_status":"\w+"/, '"request_status":"cancelled"'));
  await stage.run(verify, 'failed');
}
