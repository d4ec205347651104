// The tour's chapter on data subject requests: access, results, erasure, and a verified callback.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startCallbackServer } from '../../lib/runtime/callbacks/server.ts';
import type { Stage } from './stage.ts';

/** Fixed ids make the requests repeatable. */
const ACCESS = '2d1f0a52-7c1e-4b3c-9f0a-1a2b3c4d5e6f';
const ERASURE = '3e2f1b63-8d2f-4c4d-8a1b-2b3c4d5e6f70';

const JANE = {
  environment: 'production',
  user_identities: { email: 'jane@example.com', customer_id: '4711' },
  user_attributes: { favorite_color: 'green' },
};

export async function dsrChapter(stage: Stage): Promise<void> {
  const { folder } = stage.sandbox;
  await stage.chapter('Data subject requests');
  await stage.say('The platform has data about Jane. She asks for it, and the regulation allows one month to respond.');
  writeFileSync(join(folder, 'jane.json'), `${JSON.stringify(JANE, undefined, 2)}\n`);
  await stage.sandbox.run(['intake', 'identify', '-f', 'jane.json', '--yes']);
  const jane = '--identity email=jane@example.com';
  await stage.run(`dsr submit --regulation gdpr --type access ${jane} --request-id ${ACCESS} --yes`);
  await stage.say('A request takes days. The embedded platform has its own clock, so you do not have to wait:');
  await stage.run('emulator clock advance 4d');
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
    await stage.run(
      `dsr submit --regulation gdpr --type erasure ${jane} --callback-url ${url} --request-id ${ERASURE} --yes`,
    );
    await stage.run('emulator clock advance 10d');
    await stage.waitFor(isDone);
  } finally {
    await receiver.close();
  }

  await stage.say('Did the platform send the last callback? Four checks prove it. A modified body fails:');
  const verify = 'dsr callbacks verify --headers callback.headers --body callback.json';
  await stage.run(verify);
  stage.edit('callback.json', (text) => text.replace(/"request_status":"\w+"/, '"request_status":"cancelled"'));
  await stage.run(verify, 'failed');
}
