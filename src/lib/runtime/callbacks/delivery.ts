// One attempt to deliver a callback, either to an address or to one of the user's commands.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { resolve as resolvePath } from 'node:path';
import type { Writable } from 'node:stream';
import { usageError } from '../../kernel/errors.ts';
import { host } from '../../kernel/host.ts';
import { networkFailure } from '../../http/answer/failure.ts';
import { transportErrorOf } from '../../http/transport-error.ts';
import { isLoopback } from '../../kernel/address.ts';
import { splitWords } from '../../kernel/words.ts';
import { formatDuration } from '../../kernel/timestamps.ts';
import { furtherAuthorities } from '../checks/trusted-roots.ts';
import { childEnvironment } from '../../config/own-references.ts';
import type { Context } from '../context.ts';

export interface DeliveredCallback {
  /** Delivery id, the same for every attempt. */
  id: string;
  headers: readonly (readonly [string, string])[];
  body: Buffer;
  variables: Record<string, string>;
}

/** Resolves once the callback is accepted. Rejects with the reason (the end of a sentence), or when aborted. */
export type Deliver = (callback: DeliveredCallback, signal: AbortSignal) => Promise<void>;

/** Connection headers, and `idempotency-key`, which the delivery sets itself. */
const NOT_FORWARDED =
  /^(?:host|connection|content-length|keep-alive|proxy-authorization|te|trailer|transfer-encoding|upgrade|expect|idempotency-key)$/i;

/** The returned function follows no redirects. Throws usage (2) unless `address` is https, or http to this machine. */
export async function openForward(ctx: Context, address: string): Promise<Deliver> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isPrivate = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  // Every program on this machine can read the command line.
  if (url?.username || url?.password) throw usageError('--forward-to must not contain a user name or password.');
  if (!url || !isPrivate)
    throw usageError(`--forward-to must be an https address (http only for this machine), not \`${address}\`.`);
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const caFile = (await ctx.settings()).get('ca_file')?.value;
  const { rootCertificates } = await import('node:tls');
  const ca = caFile === undefined ? {} : { ca: [...rootCertificates, furtherAuthorities(caFile, ctx.io.env)] };
  const limitMs = ctx.flags.requestTimeoutMs;
  return async ({ body, headers, id }, signal) => {
    const kept = headers.filter(([name]) => !NOT_FORWARDED.test(name));
    const limit = AbortSignal.timeout(limitMs);
    const sent = request(url, {
      method: 'POST',
      headers: { ...Object.fromEntries(kept), 'content-length': String(body.length), 'idempotency-key': id },
      signal: AbortSignal.any([signal, limit]),
      agent: false,
      ...ca,
    });
    // An error after the response does not matter, but would end the process if it had no listener.
    const responded = once(
      sent.on('error', () => undefined),
      'response',
    ) as Promise<[IncomingMessage]>;
    sent.end(body);
    const [response] = await responded.catch((error: unknown) => {
      if (limit.aborted) throw new Error(`${url.origin} did not respond within ${formatDuration(limitMs)}`);
      const lost = { request: { id, method: 'POST', path: url.pathname }, origin: url.origin, proxy: undefined };
      const transportError = transportErrorOf(error as Error, 'perhaps-delivered', false);
      const failure = networkFailure({ ...lost, requestTimeoutMs: limitMs }, transportError);
      throw new Error(failure.message.replace(/\.$/, ''));
    });
    // Only the status matters.
    response.on('error', () => undefined).resume();
    const { statusCode: status = 0 } = response;
    if (status < 200 || status >= 300) throw new Error(`${url.origin} responded with ${status}`);
  };
}

const GRACE_MS = 300;

/** The returned function runs `line` without a shell or our secrets. A timeout or an abort kills the process group. */
export function openHook(ctx: Context, line: string, limitMs: number): Deliver {
  const [program, ...args] = splitWords(line);
  if (program === undefined) throw usageError('--on needs a command after its status.');
  if (program.includes('/') && !existsSync(resolvePath(ctx.io.cwd, program)))
    ctx.out.warn(`The --on command does not exist: ${program}. Deliveries to it fail until it exists.`);
  return async ({ body, id, variables }, signal) => {
    const own = await childEnvironment(ctx.io.env, ctx.paths.config, ctx.redactor);
    const env = { ...own, ...variables, CDPADM_EVENT_ID: id };
    signal.throwIfAborted();
    const child = spawn(program, args, {
      cwd: ctx.io.cwd,
      env,
      stdio: ['pipe', 'ignore', 'inherit'],
      detached: host.platform !== 'win32',
      windowsHide: true,
    });
    const ended = once(child, 'exit') as Promise<[code: number | null, killed: string | null]>;
    // The command may exit without reading its input. Without free file descriptors, it has no input and does not start.
    (child.stdin as Writable | undefined)?.on('error', () => undefined).end(body);
    const over = new AbortController();
    let reason: Error | undefined;
    let kill: NodeJS.Timeout | undefined;
    const end = (why: Error): void => {
      reason = why;
      host.endGroup(child.pid, 'SIGTERM');
      kill = setTimeout(() => host.endGroup(child.pid, 'SIGKILL'), GRACE_MS);
    };
    ctx.clock.sleep(limitMs, AbortSignal.any([signal, over.signal])).then(
      () => end(new Error(`the command ran longer than ${formatDuration(limitMs)}`)),
      () => signal.aborted && end(signal.reason as Error),
    );
    const [code, killed] = await ended
      .catch((error: unknown) => {
        throw new Error(`the command could not be started: ${(error as Error).message}`);
      })
      .finally(() => over.abort());
    clearTimeout(kill);
    // Also kill the processes that the command started.
    if (reason) host.endGroup(child.pid, 'SIGKILL');
    if (reason) throw reason;
    if (code !== 0) throw new Error(`the command failed with ${killed ?? `exit ${code}`}`);
  };
}
