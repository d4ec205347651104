// The HTTP client: sends a call with credentials, budget and retries, and checks the response.
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { changes, type Endpoint, type Service } from '../contract/endpoint.ts';
import { oauthEndpoints, type TokenReply, type TokenRequest } from '../contract/oauth.ts';
import type { KnownError } from '../kernel/errors.ts';
import { formatDuration } from '../kernel/timestamps.ts';
import type { Answer } from './answer/answer.ts';
import { createLimits, createPace, pause, takeSlots, waitFor } from './limits/budget.ts';
import { authorize, createTokenSource } from './call/token.ts';
import { curlCommand, CurlPrinted, buildRequest, type BuiltRequest, urlOf, createNamesEdge } from './call/request.ts';
import { type FailedCall, outcomeUnknown, rejectionOf } from './answer/failure.ts';
import { readReply } from './answer/reply.ts';
import { decide, parseRetryAfter, serverTime } from './call/retry.ts';
import { TransportError } from './transport-error.ts';
import type { AnyInput, Client, HttpOptions, Reply, Sink, Wait } from './types.ts';
import { createWire } from './call/wire.ts';

/** Creates a client. It does not open connections, read files or resolve credentials before the first call. */
export function createClient(options: HttpOptions): Client {
  const wire = createWire(options);
  const senders: (() => Promise<void>)[] = [];
  const addressOf = (service: Service): string => options.address(service).replace(/(?<!\/)\/+$/, '');
  const pace = createPace(options);
  const limits = createLimits(options.limits ?? {}, options);
  const tokens = createTokenSource(options, async (body: TokenRequest, signal) => {
    const { body: reply } = await perform(oauthEndpoints.token, { body, signal });
    return reply as TokenReply;
  });

  const names = createNamesEdge(options.names);
  const build = (endpoint: Endpoint, input: AnyInput) =>
    buildRequest(endpoint, names.encode(endpoint, input), addressOf(endpoint.service));
  const signalOf = (signal: AbortSignal | undefined): AbortSignal =>
    signal ? AbortSignal.any([options.signal, signal]) : options.signal;
  // Every pending call listens to the signal, and Node would print a warning at the eleventh listener.
  setMaxListeners(0, options.signal);

  async function reserve(endpoint: Endpoint, count: number, signal: AbortSignal): Promise<void> {
    if (endpoint.budget === undefined || options.onCurl) return;
    const { budget, service } = endpoint;
    const key = options.lastingAddress(service);
    const target = { address: addressOf(service), key, most: limits.aMinute(budget) };
    await takeSlots(budget, target, count, options, signal);
  }

  const perform = (endpoint: Endpoint, input: AnyInput): Promise<Reply<unknown>> =>
    send(endpoint, build(endpoint, input), input);

  async function send(
    endpoint: Endpoint,
    request: BuiltRequest,
    input: Pick<AnyInput, 'signal' | 'reserved' | 'mayRepeat' | 'beforeRetry'>,
    sink?: Sink,
  ): Promise<Reply<unknown>> {
    if (options.onCurl) {
      options.onCurl(curlCommand(endpoint, request));
      throw new CurlPrinted();
    }
    const isWrite = changes(endpoint);
    if (isWrite) options.allowWrite?.();
    const signal = signalOf(input.signal);
    const id = randomUUID();
    const attempts = options.retries + 1;
    let rejectedToken: string | undefined;
    let reserved = input.reserved === true;
    let attempt = 1;
    let rejection: KnownError | undefined;
    for (let isRetry = false; ; isRetry = true) {
      signal.throwIfAborted();
      const { header, token } = await authorize(endpoint.auth, options, tokens, signal, rejectedToken);
      if (!reserved) {
        await pace.wait(endpoint.service, signal);
        await limits.wait(endpoint, signal);
        await reserve(endpoint, 1, signal);
      }
      reserved = false;
      if (isRetry) await input.beforeRetry?.();
      if (isWrite) await options.onWrite?.({ ...request, id });
      const sent = wire.send({ endpoint, request, id, attempt, authorization: header, signal, sink });
      const result = await waitFor({ text: 'Waiting for the response' }, sent, options);
      const call: FailedCall = {
        endpoint,
        request: { id, method: request.method, path: request.path },
        origin: request.origin,
        readyToken: token?.ready === true,
        redact: (text) => options.redactor.text(text),
      };
      if (!(result instanceof TransportError)) {
        pace.learn(endpoint.service, result.headers);
        if (isWrite && isSuccess(result)) options.onAccepted?.();
        if (isSuccess(result)) return readReply(call, result, (value) => names.decode(endpoint, value), request.about);
        if (result.status === 401 && token?.ready === false && rejectedToken === undefined) {
          rejectedToken = token.value;
          options.onDecision('the access token was rejected (401): renewing it');
          rejection = rejectionOf(call, result);
          if (input.mayRepeat === 'never') {
            await authorize(endpoint.auth, options, tokens, signal, rejectedToken);
            throw rejection.with({ hint: 'The access token has been renewed. Run the command again.' });
          }
          await checkRepeat(call, rejection);
          continue;
        }
      }
      const now = serverTime('headers' in result ? result.headers : {}, options.clock.now());
      const decision = decide(result, {
        safety: endpoint.safety,
        attempt,
        attempts: input.mayRepeat === 'never' && isStatus(result, 429) ? attempt : attempts,
        now,
        random: () => options.random(),
      });
      const failure = failureOf(call, result, signal);
      const isStopped = isWrite && failure.code === 'interrupted';
      if (decision.act === 'unknown' || isStopped) throw outcomeUnknown(call, failure);
      if (decision.act === 'give-up')
        throw rejection && mayRejectItself(endpoint, input, { first: rejection, last: result })
          ? outcomeUnknown(call, failure)
          : failure;
      if (isStatus(result, 429)) rejection = failure;
      attempt++;
      options.onDecision(
        `${request.method} ${request.path}: ${inShort(result)}; retrying in ${formatDuration(decision.afterMs)} (attempt ${attempt} of ${attempts})`,
      );
      await pause(waitOf(result, decision.afterMs, now), decision.afterMs, options, signal);
      if (rejection) await checkRepeat(call, rejection);
    }

    async function checkRepeat(call: FailedCall, failure: KnownError): Promise<void> {
      if (typeof input.mayRepeat === 'function' && !(await input.mayRepeat())) throw outcomeUnknown(call, failure);
    }
  }

  function failureOf(call: FailedCall, result: Answer | TransportError, signal: AbortSignal): KnownError {
    if (!(result instanceof TransportError)) return rejectionOf(call, result);
    const leavesNothingOpen = result.phase === 'not-delivered' || !changes(call.endpoint);
    if (result.kind === 'aborted' && leavesNothingOpen) signal.throwIfAborted();
    return wire.lossOf(call, result);
  }

  return {
    // Types are erased inside the client; the endpoint's schema has checked the value.
    call: async (endpoint, input) => (await perform(endpoint, input as AnyInput)).body as never,
    exchange: async (endpoint, input) => (await perform(endpoint, input as AnyInput)) as never,
    download: async (link, sink, signal) => {
      const { linkEndpoint, linkRequest, plainSink } = await import('./call/link.ts');
      const request = linkRequest(link, () => addressOf('dsr'));
      await send(linkEndpoint(link), request, { signal }, link.isStored ? sink : plainSink(sink));
    },
    describe: (endpoint, input) => {
      const { body } = names.encode(endpoint, input as AnyInput);
      const request = build(endpoint, input as AnyInput);
      return { method: request.method, url: urlOf(request), ...(body !== undefined && { body }) };
    },
    reserve: (endpoint, count, signal) => reserve(endpoint, count, signalOf(signal)),
    prepare: async (endpoint, signal) => {
      if (!options.onCurl) await authorize(endpoint.auth, options, tokens, signalOf(signal));
    },
    openSender: async (endpoint) => {
      const { createSender } = await import('./call/sender.ts');
      const sender = createSender(endpoint, { options, tokens, addressOf });
      senders.push(sender.close);
      return sender as never;
    },
    close: async () => {
      await Promise.all([wire.close(), ...senders.splice(0).map((close) => close())]);
    },
  };
}

const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;

function isStatus(result: Answer | TransportError, ...statuses: readonly number[]): boolean {
  return !(result instanceof TransportError) && statuses.includes(result.status);
}

/**
 * A rejected retry may mean that the first attempt had an effect despite its 429 or 401: "already exists", "not idle",
 * or "not found" after a DELETE. A read then shows the outcome, as it does if the retry after a 429 cannot be sent.
 */
function mayRejectItself(
  { safety }: Endpoint,
  { mayRepeat }: AnyInput,
  { first, last }: { first: KnownError; last: Answer | TransportError },
): boolean {
  if (last instanceof TransportError) return safety === 'confirm' && first.status === 429;
  return (safety === 'confirm' || mayRepeat !== undefined) && isStatus(last, 400, 404, 409, 410, 422);
}

/** The text states the platform's own Retry-After, without our jitter. */
function waitOf(result: Answer | TransportError, ms: number, now: number): Wait {
  if (result instanceof TransportError) return { text: `Retrying in ${formatDuration(ms)} (${inShort(result)})` };
  const asked = parseRetryAfter(result.headers['retry-after'] ?? '', now);
  if (asked === undefined) return { text: `Retrying in ${formatDuration(ms)} (${result.status})` };
  const text = `Waiting ${formatDuration(asked)} as the platform requested (${result.status})`;
  return { text, isRequested: asked > 1000 };
}

function inShort(result: Answer | TransportError): string {
  return result instanceof TransportError ? `no response (${result.code ?? result.kind})` : `status ${result.status}`;
}
