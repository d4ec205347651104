// Sends one attempt of a call: headers, engine, response text and trace.
import type { Endpoint } from '../../contract/endpoint.ts';
import { PROGRAM, VERSION } from '../../kernel/version.ts';
import { type Answer, readAnswer } from '../answer/answer.ts';
import type { Engine } from '../engines/engine.ts';
import { proxyFor, proxySecrets } from '../engines/proxy.ts';
import type { BuiltRequest } from './request.ts';
import { traceAttempt } from './trace.ts';
import { TransportError } from '../transport-error.ts';
import type { HttpOptions, Sink } from '../types.ts';

export interface Attempt {
  endpoint: Endpoint;
  request: BuiltRequest;
  /** The client's request id, the same for all attempts of one call. */
  id: string;
  /** From 1. */
  attempt: number;
  authorization: string | undefined;
  signal: AbortSignal;
  /** Receives the body of a 2xx response. */
  sink?: Sink | undefined;
}

/** `kind` is the engine for direct connections; proxies always need the pool. */
export function createWire(options: HttpOptions, kind = options.engine) {
  const engines = new Map<'node' | 'pool', Promise<Engine>>();
  for (const secret of proxySecrets(options.proxy)) options.redactor.add(secret);

  function engineFor(origin: string): Promise<Engine> {
    const wanted = proxyFor(origin, options.proxy) ? 'pool' : kind;
    let engine = engines.get(wanted);
    if (!engine) engines.set(wanted, (engine = loadEngine(wanted, options)));
    return engine;
  }

  return {
    /** A response of any status, or the TransportError. */
    send: async (attempt: Attempt): Promise<Answer | TransportError> => {
      const { endpoint, id, request } = attempt;
      const headers = headersOf(attempt);
      const engine = await engineFor(request.origin);
      const startedAt = options.clock.now();
      const result = await exchange(engine, attempt, headers, options.requestTimeoutMs);
      if ('status' in result && result.status < 429 && endpoint.service !== 'auth') options.onResponse?.(result.text);
      traceAttempt(
        {
          endpoint,
          id,
          attempt: attempt.attempt,
          request,
          headers,
          startedAt,
          endedAt: options.clock.now(),
          ...(result instanceof TransportError ? { error: result } : { answer: result }),
        },
        options,
      );
      return result;
    },
    /** The proxy for requests to this origin, without credentials. */
    proxyOf: (origin: string): string | undefined => proxyFor(origin, options.proxy)?.origin,
    close: async (): Promise<void> => {
      await Promise.all([...engines.values()].map(async (engine) => (await engine).close()));
    },
  };
}

async function loadEngine(kind: 'node' | 'pool', options: HttpOptions): Promise<Engine> {
  if (kind === 'node') {
    const { createNodeEngine } = await import('../engines/node-engine.ts');
    return createNodeEngine(options.extraAuthorities);
  }
  const { createPoolEngine } = await import('../engines/pool-engine.ts');
  return createPoolEngine({ extraAuthorities: options.extraAuthorities, proxy: options.proxy });
}

export function headersOf({
  authorization,
  id,
  request,
}: Pick<Attempt, 'authorization' | 'id' | 'request'>): Record<string, string> {
  return {
    accept: request.accept ?? 'application/json',
    'accept-encoding': request.accept === undefined ? 'gzip, deflate, br' : 'identity',
    'user-agent': `${PROGRAM}/${VERSION}`,
    'x-request-id': id,
    ...request.headers,
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
    ...(authorization !== undefined && { authorization }),
  };
}

async function exchange(
  engine: Engine,
  { request, signal, sink }: Attempt,
  headers: Record<string, string>,
  timeoutMs: number,
): Promise<Answer | TransportError> {
  const { body, method, origin, path, query } = request;
  try {
    return await readAnswer(
      await engine.send({ method, origin, path: path + query, headers, body, timeoutMs, signal, sink }),
    );
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}
