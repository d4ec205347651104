// Sends one attempt of a call, and traces it for `--debug` and `--trace-file`, without secrets or identities.
import type { Endpoint } from '../../contract/endpoint.ts';
import { createWireNames } from '../../contract/names.ts';
import type { KnownError } from '../../kernel/errors.ts';
import { PROGRAM, VERSION } from '../../kernel/version.ts';
import { type Answer, readAnswer } from '../answer/answer.ts';
import { type FailedCall, networkFailure } from '../answer/failure.ts';
import type { Engine } from '../engines/engine.ts';
import { proxyFor, proxySecrets } from '../engines/proxy.ts';
import { type BuiltRequest, urlOf } from './request.ts';
import { TransportError } from '../transport-error.ts';
import type { HttpOptions, Sink } from '../types.ts';
import { isRecord, tryJson } from '../../kernel/json.ts';
import { createRedactor, MASK } from '../../kernel/redact.ts';
import { isoMillis } from '../../kernel/timestamps.ts';

export interface Attempt {
  endpoint: Endpoint;
  request: BuiltRequest;
  /** Client request id, the same for all attempts of a call. */
  id: string;
  attempt: number;
  authorization: string | undefined;
  signal: AbortSignal;
  sink?: Sink | undefined;
}

/** `kind` is the engine for direct connections; connections through a proxy always use the pool. */
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
    send: async (attempt: Attempt): Promise<Answer | TransportError> => {
      const { endpoint, request, signal, sink } = attempt;
      const { body, method, origin, path, query } = request;
      const headers = headersOf(attempt);
      const engine = await engineFor(origin);
      const startedAt = options.clock.now();
      const timeoutMs = options.requestTimeoutMs;
      const result = await engine
        .send({ method, origin, path: path + query, headers, body, timeoutMs, signal, sink })
        .then(readAnswer)
        .catch((error: unknown) => {
          if (error instanceof TransportError) return error;
          throw error;
        });
      if ('status' in result && result.status < 429 && endpoint.service !== 'auth')
        options.onResponse?.(`${method} ${path}${query}`, result.text);
      // Masking would double the CPU time of a short call.
      if (options.onDebug || options.onTrace)
        traceAttempt({ ...attempt, headers, startedAt, endedAt: options.clock.now(), result }, options);
      return result;
    },
    /** Returns the error for a request without a response. */
    lossOf: ({ origin, request }: Pick<FailedCall, 'origin' | 'request'>, error: TransportError): KnownError => {
      const proxy = proxyFor(origin, options.proxy)?.origin;
      return networkFailure({ request, origin, proxy, requestTimeoutMs: options.requestTimeoutMs }, error);
    },
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
  return createPoolEngine(options);
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

const MAX_TRACED_BODY = 64 * 1024;

export interface Attempted extends Pick<Attempt, 'attempt' | 'endpoint' | 'id' | 'request'> {
  headers: Record<string, string>;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt: number;
  result: Answer | TransportError;
}

export function traceAttempt(
  attempted: Attempted,
  { names, onDebug, onTrace, redactor }: Pick<HttpOptions, 'names' | 'onDebug' | 'onTrace' | 'redactor'>,
): void {
  const { attempt, endpoint, endedAt, headers, id, request, result, startedAt } = attempted;
  const [answer, error] = result instanceof TransportError ? [undefined, result] : [result, undefined];
  const url = redactor.text(urlOf(request));
  const ms = endedAt - startedAt;
  const shown = answer
    ? `${answer.status}, ${answer.size} bytes`
    : redactor.text(`no response: ${error.kind} ${error.code ?? ''}`.trim());
  onDebug?.(`${request.method} ${url} -> ${shown}, ${ms} ms (attempt ${attempt}, request ${id})`);
  if (!onTrace) return;
  const body = bodyTracer({ endpoint, names, redactor });
  const sent = { headers: redactor.headers(headers), body: body.traced(request.body?.toString()) };
  onTrace({
    at: isoMillis(startedAt),
    id,
    attempt,
    method: request.method,
    url,
    status: answer?.status ?? null,
    ms,
    request: sent,
    response: answer
      ? { headers: body.people.headers(redactor.headers(answer.headers)), body: body.traced(answer.text) }
      : null,
    error: error ? { kind: error.kind, code: error.code ?? null, phase: error.phase } : null,
  });
}

const IDENTITY_FIELDS = new Set(['subject_identities', 'identities', 'user_identities']);

/** Masks identities (decisions: D11, D56). Trace the request first: the response may repeat identities from it. */
function bodyTracer({ endpoint, names, redactor }: Pick<HttpOptions, 'names' | 'redactor'> & { endpoint: Endpoint }) {
  const people = createRedactor();
  const { fromWire } = createWireNames(names ?? {});

  function traced(text: string | undefined): unknown {
    if (text === undefined || text === '') return null;
    // Token requests and responses contain little other than secrets.
    if (endpoint.service === 'auth') return '(not kept)';
    const value = tryJson(text);
    hidePeople(value);
    // Mask before truncating: a truncated secret would not be recognized.
    if (value !== undefined && text.length <= MAX_TRACED_BODY) return people.value(redactor.value(value));
    const shown = people.text(redactor.text(text));
    if (text.length <= MAX_TRACED_BODY) return shown;
    return `${shown.slice(0, MAX_TRACED_BODY)}… (cut: ${text.length} characters)`;
  }

  /** Masks the identities in place, because the value was parsed only for the trace. */
  function hidePeople(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      if (!IDENTITY_FIELDS.has(fromWire(key)) || !isRecord(item)) hidePeople(item);
      else for (const [type, entry] of Object.entries(item)) item[type] = masked(entry);
    }
  }

  function masked(entry: unknown): unknown {
    if (isRecord(entry)) return 'value' in entry ? { ...entry, value: masked(entry.value) } : entry;
    if (typeof entry !== 'string' && typeof entry !== 'number' && typeof entry !== 'bigint') return entry;
    people.hide(String(entry));
    return MASK;
  }

  return { people, traced };
}
