// Unsolicited `100 Continue` responses are removed from a connection, even if their bytes arrive in several chunks.
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { describe, expect, it } from 'vitest';
import { skippingContinue } from '../../../../src/lib/http/engines/pool-engine.ts';

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const NAMED = 'HTTP/1.1 100 Continue\r\nx-a: b\r\n\r\n';

/** Returns a connection that receives these chunks, where `WRITE` represents an outgoing request. */
function connection(...pieces: (string | typeof WRITE)[]) {
  const waiting = [...pieces];
  const written: unknown[][] = [];
  const socket = {
    read: (_size?: number): Buffer | null => {
      const next = waiting[0];
      if (next === undefined || next === WRITE) return null;
      waiting.shift();
      return Buffer.from(next, 'latin1');
    },
    write: (...args: unknown[]) => written.push(args) > 0,
  };
  const connect = ((_options: unknown, callback: buildConnector.Callback) => {
    callback(null, socket as unknown as Socket);
  }) as buildConnector.connector;
  skippingContinue(connect)({} as buildConnector.Options, () => undefined);
  /** Returns the bytes that reach the parser. */
  const parsed = (): string => {
    let text = '';
    while (waiting.length > 0) {
      const chunk = socket.read();
      if (chunk) expect(chunk.length).toBeGreaterThan(0);
      if (chunk) text += chunk.toString('latin1');
      else if (waiting[0] === WRITE) {
        waiting.shift();
        socket.write('GET');
      } else break;
    }
    return text;
  };
  return { parsed, socket, written };
}
const WRITE = Symbol('write');
const bytes = (text: string): string[] => text.split('');

describe('a connection', () => {
  it.each<[string, string[]]>([
    ['without a `100 Continue`', [ANSWER]],
    ['after a `100 Continue`', [CONTINUE, ANSWER]],
    ['after a `100 Continue` in the same chunk', [CONTINUE + ANSWER]],
    ['after a `100 Continue` with headers', [NAMED + ANSWER]],
    ['after several `100 Continue` responses', [CONTINUE, NAMED + CONTINUE, ANSWER]],
    ['after a `100 Continue` that arrives byte by byte', bytes(NAMED + ANSWER)],
    ['after a `100 Continue` whose end is in the next chunk', [CONTINUE.slice(0, -2), CONTINUE.slice(-2) + ANSWER]],
    ['that arrives byte by byte', bytes(ANSWER)],
  ])('returns only the response %s', (_name, pieces) => {
    expect(connection(...pieces).parsed()).toBe(ANSWER);
  });

  it('leaves everything after the start of a response unchanged', () => {
    const body = `${ANSWER}${CONTINUE}`;
    expect(connection(ANSWER, CONTINUE).parsed()).toBe(body);
    expect(connection(body).parsed()).toBe(body);
    expect(connection(CONTINUE, ANSWER, CONTINUE, 'x').parsed()).toBe(`${body}x`);
  });

  it('also removes a `100 Continue` after later requests', () => {
    expect(connection(CONTINUE, ANSWER, WRITE, CONTINUE, ANSWER).parsed()).toBe(ANSWER + ANSWER);
  });

  it('forwards other interim responses and non-HTTP bytes unchanged', () => {
    for (const text of [`HTTP/1.1 103 Early Hints\r\n\r\n${ANSWER}`, 'SSH-2.0-x', 'HTTP/1.1 10']) {
      expect(connection(`${text}!`).parsed()).toBe(`${text}!`);
    }
  });

  it('buffers at most the maximum size of an interim response', () => {
    const endless = `HTTP/1.1 100 Continue\r\n${'x-a: b\r\n'.repeat(2048)}`;
    expect(connection(endless).parsed()).toBe(endless);
    const long = `HTTP/1.1 100 Continue\r\nx-a: ${'b'.repeat(16_000)}\r\n\r\n`;
    expect(connection(long.slice(0, 9000), long.slice(9000), ANSWER).parsed()).toBe(ANSWER);
  });

  it('forwards writes and connection failures', () => {
    const { socket, written } = connection();
    expect(socket.write('a', 'latin1')).toBe(true);
    expect(written).toEqual([['a', 'latin1']]);
    const failed = new Error('refused');
    let reported: unknown[] = [];
    const connect = ((_options: unknown, callback: buildConnector.Callback) => {
      callback(failed, null);
    }) as buildConnector.connector;
    skippingContinue(connect)({} as buildConnector.Options, (...result) => {
      reported = result;
    });
    expect(reported).toEqual([failed, null]);
  });
});
