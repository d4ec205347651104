// Reading the bytes of a stream stops when the command is aborted.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { streamBytes } from '../../../../src/lib/kernel/stream-bytes.ts';

const endless = (): Readable => new Readable({ read: () => undefined });

it('returns strings and bytes as bytes', async () => {
  const stream = Readable.from(['é', Buffer.from('b')], { objectMode: true });
  expect((await buffer(streamBytes(stream, new AbortController().signal))).toString()).toBe('éb');
});

it('throws the abort reason if aborted while waiting, and destroys the stream', async () => {
  const stream = endless();
  const stop = new AbortController();
  stream.push('a');
  const bytes = streamBytes(stream, stop.signal);
  expect(await bytes.next()).toMatchObject({ done: false });
  const next = bytes.next();
  const reason = new Error('told to stop');
  stop.abort(reason);
  await expect(next).rejects.toBe(reason);
  expect(stream.destroyed).toBe(true);
});

it('throws immediately if it was aborted earlier, even if data is available', async () => {
  const stream = Readable.from(['a']);
  const reason = new Error('told to stop');
  await expect(streamBytes(stream, AbortSignal.abort(reason)).next()).rejects.toBe(reason);
  expect(stream.destroyed).toBe(true);
});

it('rethrows a stream error', async () => {
  const stream = endless();
  const next = streamBytes(stream, new AbortController().signal).next();
  stream.destroy(new Error('broken'));
  await expect(next).rejects.toThrow('broken');
});
