// An embedded platform for a test: on a free port, in memory by default, with control calls as methods.
import { request as httpRequest } from 'node:http';
import { inject } from 'vitest';
import { type Emulator, type StartOptions, startEmulator } from '../../src/lib/emulator/index.ts';
import type { Fault, LoggedRequest } from '../../src/lib/emulator/base/embedding.ts';
import { judgedOf, loadJudge, requireConformance } from './wire-judge.ts';

export interface Exchange {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body, parsed as JSON. */
  json: unknown;
}

export interface SendOptions {
  /** Strings and bytes are sent unchanged; anything else is sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

/**
 * Sends one plain request to any address. Does not retry or follow redirects, and sends `Host` as given. Rejects if
 * the connection is lost.
 */
export function send(method: string, url: string, { body, headers = {} }: SendOptions = {}): Promise<Exchange> {
  const raw = typeof body === 'string' || body instanceof Uint8Array ? body : textOf(body);
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method,
      agent: false,
      headers: {
        'content-type': 'application/json',
        // Node does not set a Content-Length for a GET body.
        ...(raw !== undefined && { 'content-length': String(Buffer.byteLength(raw)) }),
        ...headers,
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          get json() {
            return JSON.parse(text) as unknown;
          },
        });
      });
    });
    request.end(raw);
  });
}

/** Returns the authorization header for a workspace's `key:secret`. */
export function basicAuth(credentials: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}` };
}

function textOf(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}

export interface TestControl {
  now(): Promise<string>;
  /** Advances the clock by a duration such as `8d` or `90m`, and returns the new time. */
  advance(duration: string): Promise<string>;
  set(iso: string): Promise<string>;
  reset(): Promise<void>;
  /** Resolves after every due callback has been delivered or attempted. */
  flushCallbacks(): Promise<void>;
  addFault(fault: Fault): Promise<void>;
  faults(): Promise<Fault[]>;
  clearFaults(): Promise<void>;
  requests(): Promise<LoggedRequest[]>;
  assignRole(roleId: string, user: string): Promise<void>;
}

export interface TestEmulator extends Emulator {
  api: TestControl;
  /** Sends a request under the platform's address. */
  send(method: string, path: string, options?: SendOptions): Promise<Exchange>;
  /** Sends a request with a bearer token, which is fetched again after the clock has moved. */
  call(method: string, path: string, options?: SendOptions): Promise<Exchange>;
  /** Requests a new access token. */
  token(): Promise<string>;
  /** `/platform/v2/organizations/…/accounts/…` of the first organization and account. */
  accountPath: string;
  /**
   * Checks the exchanges as `close` does, and resets the platform for the next test. Returns false if the platform was
   * closed.
   */
  recycle(): Promise<boolean>;
}

/**
 * Starts a platform that the test closes. Every exchange is checked against the OpenAPI document. `close` rejects if an
 * exchange violates the document or was not checked.
 */
export async function startTestEmulator(options: StartOptions = {}): Promise<TestEmulator> {
  const shared = options.data === undefined && { authority: inject('authority') };
  const [emulator] = await Promise.all([startEmulator({ ...shared, ...options }), loadJudge()]);
  const { ready, url } = emulator;
  let bearer: string | undefined;

  async function token(): Promise<string> {
    const { client_id, client_secret, base_url } = ready;
    const body = { client_id, client_secret, audience: base_url, grant_type: 'client_credentials' };
    const reply = await send('POST', `${url}/oauth/token`, { body });
    if (reply.status !== 200) throw new Error(`token request: ${reply.status} ${reply.text}`);
    return (reply.json as { access_token: string }).access_token;
  }

  const forgetToken = (): void => {
    bearer = undefined;
  };
  const api = testControl(emulator, forgetToken);
  /** Number of log entries from an earlier start of the platform. */
  const before = options.data === undefined ? 0 : (await api.requests()).length;
  let closed: Promise<void> | undefined;
  /** Runs `end`, then rejects if earlier exchanges were invalid or not checked. */
  async function judged(end: () => Promise<void>): Promise<void> {
    // Read the log before the findings: a late request may arrive between the two reads.
    const logged = await api.requests();
    const { count, violations } = await judgedOf(ready.base_url);
    // Faults never return successful responses, so these came from the platform.
    const done = count > 0 ? [] : logged.slice(before).filter(({ status }) => (status ?? 999) < 300);
    await end();
    requireConformance(violations);
    if (done.length > 0) throw new Error(`${done.length} exchanges were not checked`);
  }
  return {
    ...emulator,
    close: () => (closed ??= judged(emulator.close)),
    recycle: async () => {
      if (closed) return closed.then(() => false);
      forgetToken();
      await judged(emulator.reset);
      return true;
    },
    api,
    token,
    accountPath: `/platform/v2/organizations/${ready.org_id}/accounts/${ready.account_id}`,
    send: (method, path, sent) => send(method, url + path, sent),
    call: async (method, path, sent = {}) => {
      bearer ??= await token();
      return send(method, url + path, { ...sent, headers: { authorization: `Bearer ${bearer}`, ...sent.headers } });
    },
  };
}

/** Calls `onMoved` after each call that may move the clock. */
function testControl({ assignRole, callbacks, clock, faults, log, reset }: Emulator, onMoved: () => void): TestControl {
  const moving = async <T>(moved: Promise<T>): Promise<T> => moved.finally(onMoved);
  return {
    now: clock.now,
    advance: (duration) => moving(clock.advance(duration)),
    set: (iso) => moving(clock.set(iso)),
    reset: () => moving(reset()),
    flushCallbacks: async () => {
      await callbacks.flush();
    },
    addFault: async (fault) => {
      await faults.add(fault);
    },
    faults: faults.list,
    clearFaults: faults.clear,
    requests: log,
    assignRole: async (roleId, user) => {
      await assignRole(roleId, user);
    },
  };
}
