// One exchange, followed: how far it came, its time limits, its cap, and that each end is the only one.
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followExchange, type Progress } from '../../../../src/lib/http/engines/engine.ts';
import type { Exchange, RawReply } from '../../../../src/lib/http/exchange.ts';
import { TransportError } from '../../../../src/lib/http/transport-error.ts';
import type { Sink } from '../../../../src/lib/http/types.ts';
import { never } from './setup.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const MOST = 16 * 1024 * 1024;
const EXCHANGE: Exchange = {
  method: 'GET',
  origin: 'https://api.example',
  path: '/',
  headers: {},
  body: undefined,
  timeoutMs: 60_000,
  signal: never,
};

/** An exchange that goes on as the test says. */
function follow(parts: Partial<Exchange> = {}) {
  const stop = new AbortController();
  const seen: { progress?: Progress; stopped: number } = { stopped: 0 };
  const exchange: Exchange = { ...EXCHANGE, signal: stop.signal, ...parts };
  const end: Promise<RawReply | TransportError> = followExchange(exchange, (progress) => {
    seen.progress = progress;
    return () => seen.stopped++;
  }).catch((error: unknown) => error as TransportError);
  const { progress } = seen;
  if (!progress) throw new Error('it was not begun');
  return { progress, seen, stop, end };
}

describe('an answer', () => {
  it('is given whole, its headers in lower case and each once', async () => {
    const { end, progress, seen, stop } = follow();
    progress.sending();
    progress.answered(201, { 'X-A': 'b', 'set-cookie': ['c', 'd'], gone: undefined });
    progress.received(Buffer.from('ab'));
    progress.received(Buffer.from('c'));
    progress.ended();
    expect(await end).toStrictEqual({
      status: 201,
      headers: { 'x-a': 'b', 'set-cookie': 'c, d' },
      body: Buffer.from('abc'),
      size: 3,
      tooLarge: false,
    });
    expect(seen.stopped).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    // A signal lives as long as the command, which may make a million exchanges.
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('may be as large as the cap, and is stopped a byte beyond', async () => {
    const fits = follow();
    fits.progress.sending();
    fits.progress.answered(200, { 'content-length': String(MOST) });
    fits.progress.received(Buffer.alloc(MOST));
    fits.progress.ended();
    expect(await fits.end).toMatchObject({ size: MOST, tooLarge: false });

    const grows = follow();
    grows.progress.sending();
    grows.progress.answered(200, {});
    grows.progress.received(Buffer.alloc(MOST));
    grows.progress.received(Buffer.alloc(1));
    expect(await grows.end).toEqual({
      status: 200,
      headers: {},
      body: Buffer.alloc(0),
      size: MOST + 1,
      tooLarge: true,
    });
    expect(grows.seen.stopped).toBe(1);

    const tells = follow();
    tells.progress.answered(200, { 'content-length': String(MOST + 1) });
    expect(await tells.end).toMatchObject({ size: 0, tooLarge: true });
    expect(tells.seen.stopped).toBe(1);
  });
});

describe('a sink', () => {
  function sink() {
    const begun: unknown[] = [];
    const written: string[] = [];
    const taker: Sink = {
      begin: (headers) => begun.push(headers),
      write: (chunk) => written.push(chunk.toString()),
    };
    return { begun, written, taker };
  }

  it.each([200, 206, 299])('takes the body of %d, however large', async (status) => {
    const { begun, written, taker } = sink();
    const { end, progress } = follow({ sink: taker });
    progress.sending();
    progress.answered(status, { 'content-length': String(MOST + 1) });
    progress.received(Buffer.from('ab'));
    progress.ended();
    expect(await end).toMatchObject({ status, size: 2, body: Buffer.alloc(0), tooLarge: false });
    expect(begun).toEqual([{ 'content-length': String(MOST + 1) }]);
    expect(written).toEqual(['ab']);
  });

  it.each([199, 300, 404, 503])('takes nothing of %d', async (status) => {
    const { begun, written, taker } = sink();
    const { end, progress } = follow({ sink: taker });
    progress.sending();
    progress.answered(status, {});
    progress.received(Buffer.from('no'));
    progress.ended();
    expect(await end).toMatchObject({ status, body: Buffer.from('no') });
    expect([...begun, ...written]).toEqual([]);
  });

  it.each(['begin', 'write'] as const)('ends it with what it throws: %s', async (method) => {
    const full = new Error('the disk is full');
    const fail = (): void => {
      throw full;
    };
    const { end, progress, seen } = follow({ sink: { ...sink().taker, [method]: fail } });
    progress.sending();
    progress.answered(200, {});
    progress.received(Buffer.from('ab'));
    expect(await end).toBe(full);
    expect(seen.stopped).toBe(1);
  });
});

describe('time', () => {
  it('is up for a connection after ten seconds, and nothing was delivered', async () => {
    const { end, seen } = follow();
    await vi.advanceTimersByTimeAsync(9_999);
    expect(seen.stopped).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(await end).toMatchObject({ kind: 'connect-timeout', phase: 'not-delivered' });
    expect(seen.stopped).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is up for a connection with the whole, where that is shorter', async () => {
    const { end } = follow({ timeoutMs: 500 });
    await vi.advanceTimersByTimeAsync(500);
    expect(await end).toMatchObject({ kind: 'connect-timeout', phase: 'not-delivered' });
  });

  it('is the whole for an answer that does not begin', async () => {
    const { end, progress, seen } = follow();
    progress.sending();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(seen.stopped).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(await end).toMatchObject({ kind: 'timeout', phase: 'perhaps-delivered' });
  });

  it('is fifteen seconds for a pause in an answer, each piece beginning it anew', async () => {
    const { end, progress, seen } = follow();
    progress.sending();
    progress.answered(200, {});
    await vi.advanceTimersByTimeAsync(14_000);
    progress.received(Buffer.from('a'));
    await vi.advanceTimersByTimeAsync(14_000);
    expect(seen.stopped).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await end).toMatchObject({ kind: 'idle', phase: 'perhaps-delivered' });
  });

  it('is the whole for an answer that goes on and on', async () => {
    const { end, progress } = follow({ timeoutMs: 20_000 });
    progress.sending();
    progress.answered(200, {});
    for (let second = 0; second < 20; second++) {
      progress.received(Buffer.from('a'));
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(await end).toMatchObject({ kind: 'timeout', phase: 'perhaps-delivered' });
  });
});

describe('an end', () => {
  it.each<[string, (progress: Progress) => void, object]>([
    ['before the connection stands', () => undefined, { kind: 'reset', phase: 'not-delivered' }],
    [
      'after the request went out',
      (progress) => {
        progress.sending();
      },
      { kind: 'reset', phase: 'perhaps-delivered' },
    ],
    [
      'in the middle of the answer',
      (progress) => {
        progress.sending();
        progress.answered(200, {});
      },
      { kind: 'truncated', phase: 'perhaps-delivered' },
    ],
    [
      'in the middle of an answer that came early',
      (progress) => {
        progress.answered(200, {});
        progress.sending();
      },
      { kind: 'truncated', phase: 'perhaps-delivered' },
    ],
  ])('%s', async (_name, go, expected) => {
    const { end, progress, seen } = follow();
    go(progress);
    progress.failed(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
    expect(await end).toMatchObject(expected);
    expect(seen.stopped).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps what the engine knows of it', async () => {
    const known = new TransportError('proxy', 'not-delivered');
    const { end, progress } = follow();
    progress.sending();
    progress.failed(known);
    expect(await end).toBe(known);
  });

  it('by the signal has its reason as the cause', async () => {
    const { end, progress, seen, stop } = follow();
    progress.sending();
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await end).toMatchObject({ kind: 'aborted', phase: 'perhaps-delivered', cause: reason });
    expect(seen.stopped).toBe(1);
  });

  it('by a signal that had come before begins nothing', async () => {
    const begin = vi.fn();
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(followExchange({ ...EXCHANGE, signal }, begin)).rejects.toMatchObject({
      kind: 'aborted',
      phase: 'not-delivered',
    });
    expect(begin).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that the engine throws at once is its own', async () => {
    const begin = (): never => {
      throw new RangeError('no such method');
    };
    await expect(followExchange(EXCHANGE, begin)).rejects.toThrow(RangeError);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is the only one: whatever is reported after it is ignored', async () => {
    const written: Buffer[] = [];
    const begun: unknown[] = [];
    const sink: Sink = { begin: (headers) => begun.push(headers), write: (chunk) => written.push(chunk) };
    const { end, progress, seen, stop } = follow({ sink });
    progress.failed(new TransportError('proxy', 'not-delivered'));
    progress.sending();
    progress.answered(200, { 'content-length': String(MOST + 1) });
    progress.received(Buffer.alloc(1));
    progress.failed(new Error('again'));
    progress.ended();
    stop.abort();
    expect(await end).toMatchObject({ kind: 'proxy' });
    expect([...begun, ...written]).toEqual([]);
    expect(seen.stopped).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
