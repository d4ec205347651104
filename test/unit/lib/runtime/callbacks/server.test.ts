// Silent senders, slow senders and oversized requests do not block the callbacks of other senders.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  MAX_CALLBACK_BYTES,
  type ReceivedCallback,
  startCallbackServer,
} from '../../../../../src/lib/runtime/callbacks/server.ts';
import { send } from '../../../../helpers/emulator.ts';

let server: Awaited<ReturnType<typeof startCallbackServer>>;
let received: ReceivedCallback[];
let answer: (callback: ReceivedCallback) => Promise<number>;
const sockets: Socket[] = [];

beforeEach(async () => {
  received = [];
  answer = ({ body }) => Promise.resolve(body === undefined ? 413 : 202);
  server = await startCallbackServer({ host: '127.0.0.1', port: 0 }, (callback) => {
    received.push(callback);
    return answer(callback);
  });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

const url = (): string => `http://127.0.0.1:${server.port}/`;

async function open(text = ''): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

async function statusLine(socket: Socket): Promise<string> {
  const [text] = (await once(socket, 'data')) as [Buffer];
  return text.toString().split('\r\n', 1)[0] ?? '';
}

it('responds to a callback even if 600 connections are silent, slow or incomplete', async () => {
  const texts = ['', 'POST / HTTP/1.1\r\nHost: a\r\nX-', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab'];
  const first = await open();
  const closed = once(first.resume(), 'close');
  for (let count = 0; count < 600; count++) {
    await open(texts[count % 3]);
    if (count % 100 === 0) expect((await send('POST', url(), { body: '{}' })).status).toBe(202);
  }
  expect((await send('POST', url(), { body: '{}' })).status).toBe(202);
  // The server must have closed the oldest connections to make room for new ones.
  await closed;
  expect(received).toHaveLength(7);
});

it('keeps a connection open while its callback is processed', async () => {
  let finish = (): void => undefined;
  answer = () =>
    new Promise((resolve) => {
      finish = () => resolve(202);
    });
  const early = await open('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}');
  while (received.length === 0) await new Promise((resolve) => setImmediate(resolve));
  for (let count = 0; count < 520; count++) await open();
  const line = statusLine(early);
  finish();
  expect(await line).toBe('HTTP/1.1 202 Accepted');
});

it('does not wait for the body of a request that is not a callback', async () => {
  answer = ({ method }) => Promise.resolve(method === 'POST' ? 202 : 405);
  const socket = await open('PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n');
  expect(await statusLine(socket)).toBe('HTTP/1.1 405 Method Not Allowed');
});

it.each([
  ['declares', `Content-Length: ${MAX_CALLBACK_BYTES + 1}\r\n\r\n`],
  ['sends', `Transfer-Encoding: chunked\r\n\r\n200000\r\n${'x'.repeat(0x20_0000)}\r\n`],
])('responds with 413 before the end of the body if the sender %s more than the maximum size', async (_how, rest) => {
  const socket = await open(`POST / HTTP/1.1\r\nHost: a\r\n${rest}`);
  expect(await statusLine(socket)).toBe('HTTP/1.1 413 Payload Too Large');
  expect(received.map(({ body }) => body)).toEqual([undefined]);
});

it('accepts a body of exactly the maximum size', async () => {
  expect((await send('POST', url(), { body: 'x'.repeat(MAX_CALLBACK_BYTES) })).status).toBe(202);
});

it('closes incomplete connections immediately when it stops, but waits for callbacks in progress', async () => {
  let finish = (): void => undefined;
  answer = () =>
    new Promise((resolve) => {
      finish = () => resolve(202);
    });
  const incomplete = await Promise.all([
    open(),
    open('POST / HTTP/1.1\r\n'),
    open('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n'),
  ]);
  const ends = incomplete.map((socket) => once(socket.resume(), 'close'));
  const whole = await open('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}');
  while (received.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const line = statusLine(whole);
  const closing = server.close();
  await Promise.all(ends);
  finish();
  expect(await line).toBe('HTTP/1.1 202 Accepted');
  await closing;
});
