// The lower door for bulk: many bodies to one endpoint over undici's pool, each sent once and judged by the same rules.
import { randomUUID } from 'node:crypto';
import type { Endpoint, Service } from '../../contract/endpoint.ts';
import { KnownError } from '../../kernel/errors.ts';
import { type Answer, readAnswer } from '../answer/answer.ts';
import { authorize } from './credentials.ts';
import { CurlPrinted, curlCommand } from './curl.ts';
import type { Engine } from '../engines/engine.ts';
import { readEnvelope } from '../answer/envelope.ts';
import { type FailedCall, refusal } from '../answer/failure.ts';
import { networkFailure } from '../answer/network-failure.ts';
import { nearsLimit } from '../limits/pace.ts';
import { proxyFor } from '../engines/proxy.ts';
import { readReply } from '../answer/reply.ts';
import { type BuiltRequest, buildRequest } from './request.ts';
import { parseRetryAfter } from './retry.ts';
import { traceAttempt } from './trace.ts';
import type { TokenSource } from './token.ts';
import { TransportError } from '../transport-error.ts';
import type { HttpOptions, Sender, SendOutcome } from '../types.ts';
import { headersOf, loadEngine } from './wire.ts';

export interface SenderSetup {
  options: HttpOptions;
  tokens: TokenSource;
  addressOf(service: Service): string;
}

/** Opens the door. Nothing is resolved or connected before the first body. `close` drops its connections. */
export function createSender(endpoint: Endpoint, setup: SenderSetup): Sender<unknown> & { close(): Promise<void> } {
  const { options, tokens, addressOf } = setup;
  let engine: Promise<Engine> | undefined;
  let header: Promise<string | undefined> | undefined;

  /** Without parameters all requests are alike. */
  let fixed: BuiltRequest | undefined;

  function build(params: Record<string, string>): BuiltRequest {
    return buildRequest(endpoint, { params }, addressOf(endpoint.service));
  }

  async function send(
    body: Buffer | undefined,
    signal: AbortSignal,
    params?: Record<string, string>,
  ): Promise<SendOutcome<unknown>> {
    const request = params === undefined ? (fixed ??= build({})) : build(params);
    if (options.onCurl) {
      options.onCurl(curlCommand(endpoint, { ...request, body: body?.toString('utf8') }));
      throw new CurlPrinted();
    }
    if (request.method !== 'GET') options.allowWrite?.();
    const id = randomUUID();
    const authorization = await (header ??= authorize(endpoint.auth, options, tokens, signal).then((it) => it.header));
    const { method, origin, path } = request;
    // The text of a body is only made where it is written down.
    const traced = body && (options.onTrace ? body.toString('utf8') : '');
    const headers = headersOf({ authorization, id, request: { ...request, body: traced } });
    if (method !== 'GET') options.onWrite?.();
    const startedAt = options.clock.now();
    const result = await exchange();
    traceAttempt(
      {
        endpoint,
        id,
        attempt: 1,
        request: { ...request, body: traced },
        headers,
        startedAt,
        endedAt: options.clock.now(),
        ...(result instanceof TransportError ? { error: result } : { answer: result }),
      },
      options,
    );
    return outcomeOf(result, { method, path, id, origin }, signal, request.about);

    async function exchange(): Promise<Answer | TransportError> {
      try {
        const { requestTimeoutMs: timeoutMs } = options;
        const pool = await (engine ??= loadEngine('pool', options));
        return await readAnswer(await pool.send({ method, origin, path, headers, body, timeoutMs, signal }));
      } catch (error) {
        if (error instanceof TransportError) return error;
        throw error;
      }
    }
  }

  function outcomeOf(
    result: Answer | TransportError,
    { origin, ...request }: FailedCall['request'] & { origin: string },
    signal: AbortSignal,
    about: BuiltRequest['about'],
  ): SendOutcome<unknown> {
    if (result instanceof TransportError) {
      if (result.kind === 'aborted') signal.throwIfAborted();
      const proxy = proxyFor(origin, options.proxy)?.origin;
      const lost = { request, origin, proxy, requestTimeoutMs: options.requestTimeoutMs };
      return { kind: 'lost', permanent: result.permanent, failure: networkFailure(lost, result) };
    }
    const { status, headers } = result;
    const redact = (text: string): string => options.redactor.text(text);
    const call: FailedCall = { endpoint, request, origin, readyToken: false, redact };
    if (status >= 200 && status < 300) {
      try {
        const reply = readReply(call, result, undefined, about);
        return { kind: 'accepted', slowDown: nearsLimit(headers) !== undefined, ...reply };
      } catch (error) {
        if (!(error instanceof KnownError)) throw error;
        return { kind: 'lost', permanent: false, failure: error };
      }
    }
    const retryAfter = headers['retry-after'];
    return {
      kind: 'refused',
      status,
      retryAfterMs: retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, options.clock.now()),
      messages: readEnvelope(result, redact).sentences,
      failure: refusal(call, result),
    };
  }

  return {
    send,
    close: async () => {
      await (await engine)?.close();
    },
  };
}
