// One call of a callback's receiver: a POST over TLS, or to this machine, with an end in sight.
import type { ClientRequest } from 'node:http';
import { systemErrorCode } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/loopback.ts';
import type { Attempt } from '../stores/callbacks.ts';

/** A receiver that has not answered by then is called again later. */
const TIMEOUT_MS = 5000;

/** Posts JSON and gives back the status, or why there is none. Redirects are not followed. Rejects only when aborted. */
export async function callReceiver(
  url: string,
  body: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Omit<Attempt, 'at'>> {
  const { protocol, hostname } = new URL(url);
  const secure = protocol === 'https:';
  if (!secure && !isLoopback(hostname)) return { status: null, error: 'it is not called without TLS' };
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const { request } = await (secure ? import('node:https') : import('node:http'));
  try {
    const status = await post(
      request(url, {
        method: 'POST',
        agent: false,
        // Said outright, because the environment could otherwise turn the check of certificates off.
        ...(secure && { rejectUnauthorized: true }),
        headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers },
        signal: AbortSignal.any([signal, limit]),
      }),
      body,
    );
    return { status, error: null };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return { status: null, error: `no answer within ${TIMEOUT_MS / 1000} seconds` };
    // An error of several addresses at once has no message of its own.
    return { status: null, error: (error as Error).message || (systemErrorCode(error) ?? 'no connection') };
  }
}

function post(request: ClientRequest, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      // What it says beyond the status does not matter; if it has no end, the limit ends it.
      response.on('error', () => undefined);
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.end(body);
  });
}
