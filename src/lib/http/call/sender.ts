// Sends many bodies, each once, to one endpoint over undici's pool, and classifies the responses.
import { randomUUID } from 'node:crypto';
import type { Endpoint, Service } from '../../contract/endpoint.ts';
import { KnownError } from '../../kernel/errors.ts';
import { type Answer, readEnvelope } from '../answer/answer.ts';
import { authorize, type TokenSource } from './token.ts';
import { CurlPrinted, curlCommand, type BuiltRequest, buildRequest } from './request.ts';
import { type FailedCall, rejectionOf } from '../answer/failure.ts';
import { nearsLimit } from '../limits/budget.ts';
import { readReply } from '../answer/reply.ts';
import { parseRetryAfter, serverTime } from './retry.ts';
import { TransportError } from '../transport-error.ts';
import type { HttpOptions, Sender, SendOutcome } from '../types.ts';
import { createWire } from './wire.ts';

/** Does not resolve credentials or open a connection before the first body. `close` drops the connections. */
export function createSender(
  endpoint: Endpoint,
  { options, tokens, addressOf }: { options: HttpOptions; tokens: TokenSource; addressOf(service: Service): string },
): Sender<unknown> & { close(): Promise<void> } {
  const wire = createWire(options, 'pool');
  let header: Promise<string | undefined> | undefined;

  let fixed: BuiltRequest | undefined;

  function build(params: Record<string, string>): BuiltRequest {
    return buildRequest(endpoint, { params }, addressOf(endpoint.service));
  }

  async function send(
    body: Buffer | undefined,
    signal: AbortSignal,
    params?: Record<string, string>,
  ): Promise<SendOutcome<unknown>> {
    const built = params === undefined ? (fixed ??= build({})) : build(params);
    const request = { ...built, body };
    if (options.onCurl) {
      options.onCurl(curlCommand(endpoint, request));
      throw new CurlPrinted();
    }
    const { method, origin, path, about } = request;
    if (method !== 'GET') options.allowWrite?.();
    const id = randomUUID();
    const authorization = await (header ??= authorize(endpoint.auth, options, tokens, signal).then((it) => it.header));
    if (method !== 'GET') await options.onWrite?.({ id, method, path });
    const result = await wire.send({ endpoint, request, id, attempt: 1, authorization, signal });
    return outcomeOf(result, { method, path, id, origin }, signal, about);
  }

  function outcomeOf(
    result: Answer | TransportError,
    { origin, ...request }: FailedCall['request'] & { origin: string },
    signal: AbortSignal,
    about: BuiltRequest['about'],
  ): SendOutcome<unknown> {
    if (result instanceof TransportError) {
      if (result.kind === 'aborted') signal.throwIfAborted();
      const wasSent = result.phase !== 'not-delivered';
      return { kind: 'lost', permanent: result.permanent, wasSent, failure: wire.lossOf({ origin, request }, result) };
    }
    const { status, headers } = result;
    const redact = (text: string): string => options.redactor.text(text);
    const call: FailedCall = { endpoint, request, origin, readyToken: false, redact };
    if (status >= 200 && status < 300) {
      if (request.method !== 'GET') options.onAccepted?.();
      try {
        const reply = readReply(call, result, undefined, about);
        return { kind: 'accepted', slowDown: nearsLimit(headers) !== undefined, ...reply };
      } catch (error) {
        if (!(error instanceof KnownError)) throw error;
        return { kind: 'lost', permanent: false, wasSent: true, failure: error };
      }
    }
    return {
      kind: 'rejected',
      status,
      retryAfterMs: parseRetryAfter(headers['retry-after'] ?? '', serverTime(headers, options.clock.now())),
      messages: readEnvelope(result, redact).sentences,
      failure: rejectionOf(call, result),
    };
  }

  return { send, close: wire.close };
}
