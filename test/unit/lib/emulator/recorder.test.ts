// The request log keeps a limited number of recent requests for assertions, with headers and bodies but without secrets.
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../../src/lib/emulator/base/db.ts';
import { openRequestLog, type SeenRequest } from '../../../../src/lib/emulator/wire/request-log.ts';
import { basicAuth, startTestEmulator } from '../../../helpers/emulator.ts';
import { opened } from '../../../helpers/opened.ts';

const requestWith = (change: Partial<SeenRequest> = {}): SeenRequest => ({
  at: 0,
  method: 'POST',
  path: '/v2/events',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"xpid":9007199254740993}'),
  answer: { status: 202, headers: { 'content-length': '0' }, text: '' },
  ...change,
});

it('records requests and responses with exact 64-bit ids and masked secrets', async () => {
  const platform = await opened(startTestEmulator());
  await platform.token();
  const body = { environment: 'production', xpid: '9007199254740993', events: [] };
  await platform.send('POST', '/v2/events', { body, headers: basicAuth('local-workspace-key:local-workspace-secret') });
  const [token, event] = await platform.requests();
  expect(token).toMatchObject({
    id: 1,
    method: 'POST',
    path: '/oauth/token',
    status: 200,
    body: { client_id: 'local-client', client_secret: '********' },
    response: { headers: { 'content-type': 'application/json' }, body: { access_token: '********' } },
  });
  expect(event).toMatchObject({ status: 202, body, headers: { authorization: '********' } });
  expect(await platform.requests(1)).toHaveLength(1);
  await platform.reset();
  expect(await platform.requests()).toEqual([]);
});

it('keeps the newest 1,000 requests, or fewer if they exceed 16 MiB, and lists only the start of large bodies', async () => {
  const db = await openDatabase(undefined);
  onTestFinished(() => db.close());
  const log = openRequestLog(db);
  for (let count = 0; count < 1100; count++) log.add(requestWith());
  log.add(requestWith({ body: Buffer.from('x'.repeat(100_000)), answer: undefined }));
  const recorded = log.recorded();
  expect([recorded.length, recorded[0]?.id]).toEqual([1000, 102]);
  expect(recorded[0]).toMatchObject({ body: { xpid: 9007199254740993n }, response: { headers: {} } });
  expect(recorded.at(-1)).toMatchObject({ status: null, truncated: true, body: 'x'.repeat(64 * 1024) });
  for (let count = 0; count < 20; count++) log.add(requestWith({ body: Buffer.alloc(1024 * 1024, 'x') }));
  expect(log.recorded().length).toBe(16);
});
