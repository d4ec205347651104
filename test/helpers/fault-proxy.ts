// A proxy that injects faults into selected requests between the program and an embedded platform.
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { readRequests, type ReceivedRequest } from './fault-server.ts';
import { listenOnLoopback } from './loopback.ts';

/** A complete platform response. */
export interface PlatformAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface ProxiedRequest extends ReceivedRequest {
  /** The platform's response; undefined if the request never reached it. */
  answered: PlatformAnswer | undefined;
  faulted: boolean;
  /** The response that the client received; undefined if it was truncated, delayed or omitted. */
  returned?: PlatformAnswer;
}

export interface ProxyFault {
  name: string;
  delivered: boolean;
  /** The port is closed, so there is no request to inject a fault into. */
  refuses?: boolean;
  /** True if a client waits until its timeout, or for as long as `Retry-After` requests. */
  slow?: boolean;
  /** Returns a replacement for the platform's response; use `act` for an incomplete response. */
  answer?: (answer: PlatformAnswer, received: ReceivedRequest) => PlatformAnswer;
  /** Writes to the client instead of responding. */
  act?: (socket: Socket, answer: PlatformAnswer, trap: string, received: ReceivedRequest) => void;
}

export interface FaultPlan {
  fault: ProxyFault;
  /** Zero-based index of the request. */
  at: number;
  /** `once`: the fault is injected only into that request. `ever`: it is injected into all later requests too. */
  mode: 'once' | 'ever';
  /** After the first fault, applies to every GET; `fault` then applies only to requests that write. */
  reads?: ProxyFault;
}

/** Selects a request's fault by the request's zero-based index. */
export type FaultChooser = (index: number, received: ReceivedRequest) => ProxyFault | undefined;

export interface FaultProxy {
  readonly url: string;
  readonly port: number;
  /** Complete requests since `begin`, in order. */
  readonly requests: ProxiedRequest[];
  /** Number of bytes that the target of redirects received. */
  readonly strayed: number;
  /** Clears the requests and sets the plan for the next ones; without a plan, all requests pass. */
  begin(plan?: FaultPlan | FaultChooser): Promise<void>;
  close(): Promise<void>;
}

/**
 * Listens on a free loopback port and forwards to the platform's port `target`. Forwards `Host`, so that links lead
 * back to the proxy.
 */
export async function startFaultProxy(target: number): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  let requests: ProxiedRequest[] = [];
  let plan: FaultPlan | undefined;
  let choose: FaultChooser | undefined;
  let faulted = false;
  let strayed = 0;

  const trap = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      strayed += chunk.length;
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    });
  });
  const trapUrl = `http://127.0.0.1:${await listenOnLoopback(trap)}`;

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    readRequests(socket, (received) => void handle(socket, received));
  });

  function faultFor(index: number, received: ReceivedRequest): ProxyFault | undefined {
    if (choose) return choose(index, received);
    const { method, target } = received;
    if (!plan || index < plan.at) return undefined;
    if (faulted && plan.reads) {
      if (method === 'GET') return plan.reads;
      if (target === '/oauth/token') return undefined;
    }
    if (plan.mode === 'once' && faulted) return undefined;
    faulted = true;
    return plan.fault;
  }

  function inject(fault: ProxyFault, socket: Socket, answer: PlatformAnswer, proxied: ProxiedRequest): void {
    proxied.returned = fault.answer?.(answer, proxied);
    if (proxied.returned) socket.write(answerBytes(proxied.returned));
    else fault.act?.(socket, answer, trapUrl, proxied);
  }

  async function handle(socket: Socket, received: ReceivedRequest): Promise<void> {
    const proxied: ProxiedRequest = { ...received, answered: undefined, faulted: false };
    const index = requests.push(proxied) - 1;
    const fault = faultFor(index, received);
    proxied.faulted = fault !== undefined;
    if (fault?.delivered === false) {
      inject(fault, socket, { status: 200, headers: {}, body: Buffer.alloc(0) }, proxied);
      return;
    }
    const answer = await forward(target, received);
    proxied.answered = answer;
    if (answer === undefined) socket.destroy();
    else if (fault) inject(fault, socket, answer, proxied);
    else if (plan?.fault.refuses === true && index === plan.at - 1) {
      socket.end(answerBytes(answer, { connection: 'close' }));
      await silenceAll();
    } else {
      proxied.returned = answer;
      socket.write(answerBytes(answer));
    }
  }

  async function silenceAll(): Promise<void> {
    if (!server.listening) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) if (socket.writableEnded) socket.destroySoon();
    for (const socket of sockets) if (!socket.writableEnded) socket.destroy();
    await closed;
  }

  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    get requests() {
      return requests;
    },
    get strayed() {
      return strayed;
    },
    begin: async (next) => {
      for (const socket of sockets) socket.destroy();
      requests = [];
      faulted = false;
      strayed = 0;
      choose = typeof next === 'function' ? next : undefined;
      plan = typeof next === 'function' ? undefined : next;
      if (plan?.fault.refuses === true && plan.at === 0) await silenceAll();
      else if (!server.listening) await listenOnLoopback(server, port);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all([server, trap].map((it) => new Promise<void>((resolve) => it.close(() => resolve()))));
    },
  };
}

/** Forwards a request and returns the platform's response, or undefined if there is none. */
function forward(
  port: number,
  { method, target, headers, body }: ReceivedRequest,
): Promise<PlatformAnswer | undefined> {
  return new Promise((resolve) => {
    const { connection: _, ...kept } = headers;
    const request = httpRequest({ host: '127.0.0.1', port, method, path: target, headers: kept, agent: false });
    request.on('error', () => resolve(undefined));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => resolve(undefined));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    request.end(body);
  });
}

/** Returns the bytes of the response, with new framing and with the headers from `change`. */
export function answerBytes({ status, headers, body }: PlatformAnswer, change: Record<string, string> = {}): Buffer {
  const { connection: _, 'transfer-encoding': __, 'content-length': ___, ...kept } = headers;
  const framed = status === 204 ? {} : { 'content-length': String(body.length) };
  const lines = Object.entries({ ...kept, ...framed, ...change }).map(
    ([name, value]) => `${name}: ${String(value)}\r\n`,
  );
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Whatever\r\n${lines.join('')}\r\n`, 'latin1'), body]);
}

type Change = (answer: PlatformAnswer) => { status?: number; headers?: Record<string, string>; body?: string | Buffer };

/** Returns a fault that changes parts of the platform's response. */
export function changed(name: string, delivered: boolean, change: Change): ProxyFault {
  return {
    name,
    delivered,
    answer: (answer) => {
      const { body, headers, status } = change(answer);
      const bytes = body === undefined ? answer.body : Buffer.from(body);
      return { status: status ?? answer.status, headers: { ...answer.headers, ...headers }, body: bytes };
    },
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const TROUBLE = '{"statusCode":500,"errors":[{"message":"Trouble"}]}';
const LOGIN = '<!doctype html><html><head><title>Log in to the network</title></head><body>…</body></html>';

function refused(status: number, delivered: boolean): ProxyFault {
  return changed(`${status} ${delivered ? 'after' : 'before'} delivery`, delivered, () => ({
    status,
    headers: JSON_TYPE,
    body: TROUBLE,
  }));
}

function redirect(status: number): ProxyFault {
  return {
    name: `redirect ${status}`,
    delivered: false,
    act: (socket, _answer, trap) => {
      socket.write(answerBytes({ status, headers: { location: `${trap}/elsewhere` }, body: Buffer.alloc(0) }));
    },
  };
}

/** Every form of a `Retry-After` value; the empty string means no header. */
const RETRY_AFTER = ['', '1', '0', '0.5', '-5', 'soon', '99999999999', 'Sun, 06 Nov 1994 08:49:37 GMT'];

function limited(status: number, value: string): ProxyFault {
  return {
    ...changed(`${status} Retry-After ${value || 'absent'}`, false, () => ({
      status,
      headers: { ...JSON_TYPE, ...(value !== '' && { 'retry-after': value }) },
      body: TROUBLE,
    })),
    // Bulk runs wait as long as the platform asks them to.
    slow: value !== '',
  };
}

function ended(name: string, delivered: boolean, act: (socket: Socket, answer: PlatformAnswer) => void, slow = false) {
  return { name, delivered, act, slow };
}

/** Returns a date one minute ahead, in real time. */
const inAMinute = (): string => new Date(Date.now() + 60_000).toUTCString();

export const PROXY_FAULTS: readonly ProxyFault[] = [
  { name: 'refused', delivered: false, refuses: true },
  ended('reset before delivery', false, (socket) => socket.resetAndDestroy()),
  ended('reset after delivery', true, (socket) => socket.resetAndDestroy()),
  ended('closed after delivery', true, (socket) => socket.end()),
  ended('hang before delivery', false, () => undefined, true),
  ended('hang after delivery', true, () => undefined, true),
  ended('truncated', true, (socket, answer) => {
    const framed = { ...answer, status: answer.status === 204 ? 200 : answer.status };
    const whole = answerBytes(framed, { 'content-length': String(answer.body.length + 10) });
    socket.end(whole);
  }),
  ended('truncated head', true, (socket, answer) => socket.end(answerBytes(answer).subarray(0, 20))),
  ended(
    'slow-loris',
    true,
    (socket, answer) => {
      socket.write(answerBytes({ ...answer, status: 200, body: Buffer.from(' ') }, { 'content-length': '100000' }));
      const timer = setInterval(() => socket.write(' '), 20);
      socket.on('close', () => clearInterval(timer));
    },
    true,
  ),
  changed('empty', true, () => ({ body: '' })),
  changed('HTML before delivery', false, () => ({ headers: { 'content-type': 'text/html' }, body: LOGIN })),
  changed('HTML after delivery', true, () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: LOGIN })),
  changed('wrong type: number', true, () => ({ status: 200, headers: JSON_TYPE, body: '42' })),
  changed('wrong type: list', true, () => ({ status: 200, headers: JSON_TYPE, body: '[null]' })),
  changed('wrong type: object', true, () => ({ status: 200, headers: JSON_TYPE, body: '{"roles":7,"id":{}}' })),
  changed('wrong type: null', true, () => ({ status: 200, headers: JSON_TYPE, body: 'null' })),
  changed('bad JSON', true, () => ({ status: 200, headers: JSON_TYPE, body: '{"id": "a",,}' })),
  changed('gzip', true, ({ body, status }) =>
    status === 204 ? {} : { headers: { 'content-encoding': 'gzip' }, body: gzipSync(body) },
  ),
  changed('broken gzip', true, ({ body }) => ({
    status: 200,
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync(Buffer.concat([body, Buffer.from(' '.repeat(200))])).subarray(0, 20),
  })),
  ...[301, 302, 303, 307, 308].map(redirect),
  ...RETRY_AFTER.map((value) => limited(429, value)),
  {
    ...changed('429 Retry-After date', false, () => ({
      status: 429,
      headers: { ...JSON_TYPE, 'retry-after': inAMinute() },
      body: TROUBLE,
    })),
    slow: true,
  },
  limited(503, '1'),
  ...[500, 502, 503, 504, 505].map((status) => refused(status, false)),
  ...[500, 502, 503, 504].map((status) => refused(status, true)),
];
