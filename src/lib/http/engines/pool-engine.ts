// The engine for many calls and for proxies. Uses undici's connection pools, which are loaded on first use.
import type { Dispatcher, Pool as PoolType, buildConnector } from 'undici';
import { trustedContext, type Engine, followExchange, KEEP_ALIVE_MS } from './engine.ts';
import { CONNECT_TIMEOUT_MS, type Exchange, type HttpOptions } from '../types.ts';
import { proxyAuthorization, proxyFor } from './proxy.ts';
import { TransportError } from '../transport-error.ts';
import type { Socket } from 'node:net';

export function createPoolEngine(options: Pick<HttpOptions, 'extraAuthorities' | 'proxy'>): Engine {
  const dispatchers = new Map<string, Promise<Dispatcher>>();

  function dispatcherFor(origin: string): Promise<Dispatcher> {
    const proxy = proxyFor(origin, options.proxy);
    const isPlain = proxy === undefined && origin.startsWith('http:');
    const key = isPlain ? 'plain' : (proxy?.href ?? '');
    let dispatcher = dispatchers.get(key);
    if (!dispatcher) {
      // Do not load the authorities for plain http: adding one to Node's own takes a tenth of a second.
      dispatcher = connectDispatcher(proxy, isPlain ? undefined : options.extraAuthorities);
      dispatchers.set(key, dispatcher);
      // The call reports the error, and there is no dispatcher to close.
      dispatcher.catch(() => dispatchers.delete(key));
    }
    return dispatcher;
  }

  return {
    send: async (exchange) => dispatch(await dispatcherFor(exchange.origin), exchange),
    close: async () => {
      await Promise.all([...dispatchers.values()].map(async (dispatcher) => (await dispatcher).destroy()));
      dispatchers.clear();
    },
  };
}

async function connectDispatcher(proxy: URL | undefined, extraAuthorities: string | undefined): Promise<Dispatcher> {
  const [{ Agent, buildConnector, Pool, ProxyAgent }, secureContext] = await Promise.all([
    import('undici'),
    trustedContext(extraAuthorities),
  ]);
  // Set explicitly, because an environment variable could otherwise turn off the certificate check.
  const connect = { timeout: CONNECT_TIMEOUT_MS, rejectUnauthorized: true, ...(secureContext && { secureContext }) };
  const common = { pipelining: 1, keepAliveTimeout: KEEP_ALIVE_MS, keepAliveMaxTimeout: KEEP_ALIVE_MS };
  if (!proxy) return new Agent({ ...common, connect: skippingContinue(buildConnector(connect)) });
  const token = proxyAuthorization(proxy);
  return new ProxyAgent({
    ...common,
    uri: proxy.origin,
    requestTls: connect,
    proxyTls: connect,
    // As in curl, plain http goes directly to the proxy; only https needs a tunnel.
    proxyTunnel: false,
    factory: (origin, options: PoolType.Options) => {
      const made = typeof options.connect === 'function' ? options.connect : buildConnector(options.connect ?? {});
      return new Pool(origin, { ...options, connect: skippingContinue(failingAtOnce(made)) });
    },
    ...(token !== undefined && { token }),
  });
}

/** If a proxy closes the connection, undici would request the tunnel again and again because of the error's code. */
function failingAtOnce(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...result) => {
      const [error] = result;
      const isFromProxy = error?.name === 'SocketError' || error?.name === 'HTTPParserError';
      if (isFromProxy) callback(new TransportError('proxy', 'not-delivered', new Error(error.message)), null);
      else callback(...result);
    });
  };
}

function dispatch(dispatcher: Dispatcher, exchange: Exchange) {
  return followExchange(exchange, (progress) => {
    let controller: Dispatcher.DispatchController | undefined;
    let stopped = false;
    const { origin, path, headers, body } = exchange;
    const method = exchange.method as Dispatcher.HttpMethod;
    // Turn off undici's own time limits, which are imprecise. `followExchange` applies ours.
    const limits = { headersTimeout: 0, bodyTimeout: 0 };
    dispatcher.dispatch(
      { origin, path, method, headers, body: body ?? null, ...limits },
      {
        // Called when the connection is open and the request is about to be written.
        onRequestStart: (started) => {
          controller = started;
          if (stopped) started.abort(new Error('abandoned'));
          else progress.sending();
        },
        onResponseStart: (_controller, status, answerHeaders) => {
          // Only a proxy responds with 407. Without a tunnel, its response arrives instead of the platform's.
          if (status === 407) progress.failed(new TransportError('proxy', 'not-delivered', new Error('(407)')));
          else if (status >= 200) progress.answered(status, answerHeaders);
        },
        onResponseData: (_controller, chunk) => progress.received(chunk),
        onResponseEnd: () => progress.ended(),
        onResponseError: (_controller, error) => {
          progress.failed(isProxyRejection(error) ? new TransportError('proxy', 'not-delivered', error) : error);
        },
      },
    );
    return () => {
      stopped = true;
      controller?.abort(new Error('abandoned'));
    };
  });
}

/** True if the proxy did not open a tunnel (undici has no code for this error). */
const isProxyRejection = (error: Error): boolean => /^Proxy (response|authentication)/i.test(error.message);

const START = 'HTTP/1.1 100';
const END = '\r\n\r\n';

/** Maximum number of bytes to hold back. A longer interim response is passed to the parser. */
const MAX_HELD = 16_384;

/** Returns a connector whose connections skip every `100 Continue` before a response (RFC 9110, 15.2.1). */
export function skippingContinue(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...result) => {
      if (result[1]) skipContinue(result[1]);
      callback(...result);
    });
  };
}

function skipContinue(socket: Socket): void {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let awaitsAnswer = true;
  let held: Buffer = Buffer.alloc(0);

  function filter(chunk: Buffer): Buffer {
    if (!awaitsAnswer) return chunk;
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (held.length > 0) {
      const begins = held.subarray(0, START.length).toString('latin1');
      const length = held.subarray(0, MAX_HELD).indexOf(END) + END.length;
      const isContinue = begins === START;
      if (isContinue && length >= END.length) held = held.subarray(length);
      else if (held.length < MAX_HELD && (isContinue || START.startsWith(begins))) return Buffer.alloc(0);
      else break;
    }
    const rest = held;
    held = Buffer.alloc(0);
    awaitsAnswer = rest.length === 0;
    return rest;
  }

  // Pipelining is off, so the next bytes after a write start a response.
  socket.write = ((...args: unknown[]) => {
    awaitsAnswer = true;
    return write(...args);
  }) as typeof socket.write;
  // undici's parser calls `read` only without a size.
  socket.read = (size?: number) => {
    for (;;) {
      const chunk = read(size) as Buffer | null;
      if (chunk === null) return null;
      const rest = filter(chunk);
      if (rest.length > 0) return rest;
    }
  };
}
