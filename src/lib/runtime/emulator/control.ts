// Finds an embedded platform and calls its control address, for the emulator commands.
import { randomUUID } from 'node:crypto';
import { type ControlCall, readReply, rejectionIn } from '../../emulator/client.ts';
import type { EmulatorReady } from '../../emulator/index.ts';
import { CONTROL_PATH } from '../../emulator/wire/service-paths.ts';
import { KnownError, usageError, type Hint } from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json.ts';
import { OutcomeUnknownError } from '../../http/answer/failure.ts';
import { TransportError } from '../../http/transport-error.ts';
import type { Context } from '../context.ts';
import { openEmbedded } from './embedded.ts';
import { listEmulators } from './running.ts';
import { exitOf, fail } from '../../errors/fail.ts';

const CALL_TIMEOUT_MS = 60_000;

export { controlCalls } from '../../emulator/client.ts';

/**
 * Finds the platform on `port`, at CDPADM_BASE_URL (if `--profile` is not set), or for `--profile local`. Otherwise,
 * finds the newest running platform, or else opens the one for the current profile `local`. `lasting` ignores the
 * environment and the current profile: their platform could stop with the command. Throws KnownError not found (5).
 */
export async function findEmulator(
  ctx: Context,
  port: string | undefined,
  { lasting = false } = {},
): Promise<EmulatorReady> {
  const running = listEmulators(ctx.paths);
  if (port !== undefined) {
    const chosen = running.find((emulator) => String(emulator.port) === port);
    if (chosen) return chosen.ready;
    const ports = running.map((emulator) => emulator.port).join(', ');
    throw fail('emulator.none', {
      message: `No embedded platform is running on port ${port}.`,
      hint: ports === '' ? START : `Ports of running platforms: ${ports}.`,
    });
  }
  const { CDPADM_BASE_URL: address, CDPADM_PROFILE: chosen } = ctx.io.env;
  const explicit = ctx.flags.profile ?? (lasting ? undefined : chosen);
  const usesAddress = !lasting && ctx.flags.profile === undefined;
  const addressed = running.find(({ ready }) => usesAddress && ready.base_url === address);
  const found = addressed ?? (explicit === 'local' ? undefined : running[0]);
  if (found) return found.ready;
  const isLocal = explicit === 'local' || (!lasting && (await ctx.settings()).profile?.value === 'local');
  if (isLocal) return await openEmbedded(ctx);
  throw fail('emulator.none', { message: 'No embedded platform is running.', hint: START });
}

/** Throws KnownError for a rejection or unusable reply, and OutcomeUnknownError (8) after a possible change. */
async function callControl<Reply>(ctx: Context, ready: EmulatorReady, call: ControlCall<Reply>): Promise<Reply> {
  const [{ createNodeEngine }, { readAnswer }] = await Promise.all([
    import('../../http/engines/node-engine.ts'),
    import('../../http/answer/answer.ts'),
  ]);
  const { origin, pathname, search } = new URL(`${ready.control_url}${call.path}`);
  const body = call.body && stringifyJson(call.body);
  if (ctx.flags.curl) {
    const { curlCommand, CurlPrinted } = await import('../../http/call/request.ts');
    const request = { method: call.method, origin, path: pathname, query: search, body };
    await ctx.out.emitText(`${curlCommand({ auth: 'none' }, request)}\n`);
    throw new CurlPrinted();
  }
  const engine = createNodeEngine(undefined);
  try {
    const reply = await engine.send({
      method: call.method,
      origin,
      path: pathname + search,
      headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
      body,
      timeoutMs: CALL_TIMEOUT_MS,
      signal: ctx.signal,
    });
    const answer = await readAnswer(reply);
    if (reply.status >= 400 && (reply.status < 500 || call.method === 'GET')) throw rejected(reply.status, answer.text);
    if (reply.status >= 300) throw unusable(call, origin, `has status ${reply.status}: ${rejectionIn(answer.text)}`);
    if (answer.problem !== undefined) throw unusable(call, origin, answer.problem);
    return readReply(call, answer.text, (problem) => unusable(call, origin, problem));
  } catch (error) {
    if (error instanceof KnownError) throw error;
    const stop: unknown = ctx.signal.reason;
    const problem = stop ? 'before the command was stopped' : `(${(error as Error).message})`;
    // If a connection was open, the platform may have received the request.
    const wasReached = error instanceof TransportError && error.phase === 'perhaps-delivered';
    if (call.method !== 'GET' && wasReached) throw unconfirmed(call, origin, `did not respond ${problem}`, error, stop);
    ctx.signal.throwIfAborted();
    throw fail('emulator.unreachable', {
      message: `The embedded platform at ${origin} did not respond ${problem}.`,
      hint: wasReached ? 'Run the command again.' : START,
      cause: error,
    });
  } finally {
    await engine.close();
  }
}

/** Reads from the control address of the platform on this port. See `findEmulator`. */
export async function read<Reply>(ctx: Context, { port }: { port?: string }, call: ControlCall<Reply>): Promise<Reply> {
  return await callControl(ctx, await findEmulator(ctx, port), call);
}

/** Makes a change. In a dry run, prints the request instead and returns undefined. */
export async function change<Reply>(
  ctx: Context,
  { port }: { port?: string },
  call: ControlCall<Reply>,
): Promise<Reply | undefined> {
  const ready = await findEmulator(ctx, port);
  if (!ctx.flags.dryRun) return await callControl(ctx, ready, call);
  const { method, path, body } = call;
  return await ctx.out.emitDryRun([{ method, url: `${ready.control_url}${path}`, ...(body && { body }) }]);
}

const START: Hint = { text: 'Use --profile local, or start a platform:', command: 'cdpadm emulator start' };

/** Returns the error for an invalid response. `problem` completes "a response that …". */
function unusable(call: Pick<ControlCall, 'method' | 'path'>, origin: string, problem: string): KnownError {
  if (call.method !== 'GET') return unconfirmed(call, origin, `sent a response that ${problem}`);
  return fail('emulator.unreadable', {
    message: `The embedded platform at ${origin} sent a response that ${problem}.`,
    hint: { text: 'Another program may be listening on that port. To check it:', command: 'cdpadm emulator clock' },
  });
}

/** Returns the error for a change that the platform may have made. `stop` is the reason why the command was stopped. */
function unconfirmed(
  { method, path }: Pick<ControlCall, 'method' | 'path'>,
  origin: string,
  problem: string,
  cause?: unknown,
  stop?: unknown,
): KnownError {
  return new OutcomeUnknownError({
    ...(stop instanceof KnownError && { exit: exitOf(stop) }),
    message: `The outcome of the change is unknown: the embedded platform at ${origin} ${problem}.`,
    hint: [
      { text: 'To see its clock:', command: 'cdpadm emulator clock' },
      { text: 'To see its requests:', command: 'cdpadm emulator log' },
    ],
    request: { id: randomUUID(), method, path: `${CONTROL_PATH}${path}` },
    cause,
  });
}

/** Returns the error for a rejected call. A 400 is a usage error, and a 404 means an unknown resource. */
function rejected(status: number, text: string): KnownError {
  const message = `The embedded platform rejected the call: ${rejectionIn(text)}.`;
  if (status === 400) return usageError(message);
  return fail('emulator.refused', {
    message,
    status,
    ...(status !== 404 && { hint: { text: 'To see the request:', command: 'cdpadm emulator log' } }),
    exit: status === 404 ? 'notFound' : 'failed',
  });
}
