// The lifecycle of a single exchange: progress, timeouts, size limit and result.
import { getEventListeners } from 'node:events';
import { getDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { followExchange, type Progress } from '../../../../src/lib/http/engines/engine.ts';
import type { Exchange, RawReply, Sink } from '../../../../src/lib/http/types.ts';
import { TransportError } from '../../../../src/lib/http/transport-error.ts';
import { fakeTimersOf } from '../../../helpers/fake-timers.ts';
import { never } from './setup.ts';

const openTimers = fakeTimersOf('/src/lib/http/engines/engine.ts');

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

/** Starts an exchange whose progress the test controls. */
function follow(parts: Partial<Exchange> = {}) {
  const stop = new AbortController();
  const observed: { progress?: Progress; stopped: number } = { stopped: 0 };
  const exchange: Exchange = { ...EXCHANGE, signal: stop.signal, ...parts };
  const end: Promise<RawReply | TransportError> = followExchange(exchange, (progress) => {
    observed.progress = progress;
    return () => observed.stopped++;
  }).catch((error: unknown) => error as TransportError);
  const { progress } = observed;
  if (!progress) throw new Error('the exchange did not start');
  return { progress, observed, stop, end };
}

describe('a response', () => {
  it('is returned in full, with unique, lowercase header names', async () => {
    const { end, progress, observed, stop } = follow();
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
    expect(observed.stopped).toBe(0);
    expect(openTimers()).toBe(0);
    // The signal outlives the exchange, so a listener that is not removed would be a leak.
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('has the first value of a repeated header that allows only one', async () => {
    const { end, progress } = follow();
    progress.sending();
    progress.answered(429, { 'Retry-After': ['7', '60'], 'content-type': ['a/b', 'c/d'], 'x-a': ['1', '2'] });
    progress.ended();
    expect(await end).toMatchObject({ headers: { 'retry-after': '7', 'content-type': 'a/b', 'x-a': '1, 2' } });
  });

  it('is accepted up to the size limit, and stopped at the next byte', async () => {
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
    expect(grows.observed.stopped).toBe(1);

    const declares = follow();
    declares.progress.answered(200, { 'content-length': String(MOST + 1) });
    expect(await declares.end).toMatchObject({ size: 0, tooLarge: true });
    expect(declares.observed.stopped).toBe(1);
  });
});

describe('a sink', () => {
  function sink() {
    const started: unknown[] = [];
    const written: string[] = [];
    const receiver: Sink = {
      begin: (headers) => started.push(headers),
      write: (chunk) => written.push(chunk.toString()),
    };
    return { started, written, receiver };
  }

  it.each([200, 206, 299])('receives a body of any size with status %d', async (status) => {
    const { started, written, receiver } = sink();
    const { end, progress } = follow({ sink: receiver });
    progress.sending();
    progress.answered(status, { 'content-length': String(MOST + 1) });
    progress.received(Buffer.from('ab'));
    progress.ended();
    expect(await end).toMatchObject({ status, size: 2, body: Buffer.alloc(0), tooLarge: false });
    expect(started).toEqual([{ 'content-length': String(MOST + 1) }]);
    expect(written).toEqual(['ab']);
  });

  it.each([199, 300, 404, 503])('does not receive anything with status %d', async (status) => {
    const { started, written, receiver } = sink();
    const { end, progress } = follow({ sink: receiver });
    progress.sending();
    progress.answered(status, {});
    progress.received(Buffer.from('no'));
    progress.ended();
    expect(await end).toMatchObject({ status, body: Buffer.from('no') });
    expect([...started, ...written]).toEqual([]);
  });

  it.each(['begin', 'write'] as const)('makes the exchange fail if it throws in `%s`', async (method) => {
    const full = new Error('the disk is full');
    const fail = (): void => {
      throw full;
    };
    const { end, progress, observed } = follow({ sink: { ...sink().receiver, [method]: fail } });
    progress.sending();
    progress.answered(200, {});
    progress.received(Buffer.from('ab'));
    expect(await end).toBe(full);
    expect(observed.stopped).toBe(1);
  });
});

describe('a timeout', () => {
  it('for one of several addresses is long enough to repeat a lost packet', () => {
    expect(getDefaultAutoSelectFamilyAttemptTimeout()).toBe(2500);
  });

  it('ends a connection attempt after ten seconds, and reports the call as not delivered', async () => {
    const { end, observed } = follow();
    await vi.advanceTimersByTimeAsync(9_999);
    expect(observed.stopped).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(await end).toMatchObject({ kind: 'connect-timeout', phase: 'not-delivered' });
    expect(observed.stopped).toBe(1);
    expect(openTimers()).toBe(0);
  });

  it('ends a connection attempt earlier if the request timeout is shorter', async () => {
    const { end } = follow({ timeoutMs: 500 });
    await vi.advanceTimersByTimeAsync(500);
    expect(await end).toMatchObject({ kind: 'connect-timeout', phase: 'not-delivered' });
  });

  it('ends the wait for a response at the request timeout', async () => {
    const { end, progress, observed } = follow();
    progress.sending();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(observed.stopped).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(await end).toMatchObject({ kind: 'timeout', phase: 'perhaps-delivered' });
  });

  it('ends a response after 15 seconds without data', async () => {
    const { end, progress, observed } = follow();
    progress.sending();
    progress.answered(200, {});
    await vi.advanceTimersByTimeAsync(14_000);
    progress.received(Buffer.from('a'));
    await vi.advanceTimersByTimeAsync(14_000);
    expect(observed.stopped).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await end).toMatchObject({ kind: 'idle', phase: 'perhaps-delivered' });
  });

  it('ends a response that does not complete before the request timeout', async () => {
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

describe('a failure', () => {
  it.each<[string, (progress: Progress) => void, object]>([
    ['before the connection is established', () => undefined, { kind: 'reset', phase: 'not-delivered' }],
    [
      'after the request was sent',
      (progress) => {
        progress.sending();
      },
      { kind: 'reset', phase: 'perhaps-delivered' },
    ],
    [
      'during the response',
      (progress) => {
        progress.sending();
        progress.answered(200, {});
      },
      { kind: 'truncated', phase: 'perhaps-delivered' },
    ],
    [
      'during an early response',
      (progress) => {
        progress.answered(200, {});
        progress.sending();
      },
      { kind: 'truncated', phase: 'perhaps-delivered' },
    ],
  ])('is reported with its kind and phase: %s', async (_name, go, expected) => {
    const { end, progress, observed } = follow();
    go(progress);
    progress.failed(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
    expect(await end).toMatchObject(expected);
    expect(observed.stopped).toBe(1);
    expect(openTimers()).toBe(0);
  });

  it('is reported unchanged if the engine classified it', async () => {
    const known = new TransportError('proxy', 'not-delivered');
    const { end, progress } = follow();
    progress.sending();
    progress.failed(known);
    expect(await end).toBe(known);
  });

  it("is reported with the abort's reason if an abort caused it", async () => {
    const { end, progress, observed, stop } = follow();
    progress.sending();
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await end).toMatchObject({ kind: 'aborted', phase: 'perhaps-delivered', cause: reason });
    expect(observed.stopped).toBe(1);
  });

  it('is reported before anything starts if the signal was aborted earlier', async () => {
    const begin = vi.fn();
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(followExchange({ ...EXCHANGE, signal }, begin)).rejects.toMatchObject({
      kind: 'aborted',
      phase: 'not-delivered',
    });
    expect(begin).not.toHaveBeenCalled();
    expect(openTimers()).toBe(0);
  });

  it('is rethrown unchanged if the engine throws it synchronously', async () => {
    const begin = (): never => {
      throw new RangeError('no such method');
    };
    await expect(followExchange(EXCHANGE, begin)).rejects.toThrow(RangeError);
    expect(openTimers()).toBe(0);
  });

  it('is final, so later events are ignored', async () => {
    const written: Buffer[] = [];
    const started: unknown[] = [];
    const sink: Sink = { begin: (headers) => started.push(headers), write: (chunk) => written.push(chunk) };
    const { end, progress, observed, stop } = follow({ sink });
    progress.failed(new TransportError('proxy', 'not-delivered'));
    progress.sending();
    progress.answered(200, { 'content-length': String(MOST + 1) });
    progress.received(Buffer.alloc(1));
    progress.failed(new Error('again'));
    progress.ended();
    stop.abort();
    expect(await end).toMatchObject({ kind: 'proxy' });
    expect([...started, ...written]).toEqual([]);
    expect(observed.stopped).toBe(1);
    expect(openTimers()).toBe(0);
  });
});
