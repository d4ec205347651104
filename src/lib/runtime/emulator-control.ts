// The control address of an embedded platform, as the emulator commands call it.
import type { EmulatorReady } from '../emulator/index.ts';
import { CliError, EXIT, usageError } from '../kernel/errors.ts';
import { parseJson, stringifyJson } from '../kernel/json.ts';
import type { Context } from './context.ts';
import { openEmbedded } from './embedded.ts';
import { listEmulators } from './running-emulators.ts';

const CALL_TIMEOUT_MS = 60_000;

export interface ControlCall {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the control address: `/clock`. */
  path: string;
  body?: Record<string, unknown>;
}

/**
 * The platform that is meant: the one on `port`; for `--profile local` the one of its state; else the one started
 * last, or that of the profile in use when it is `local`. Throws CliError not found (5) when there is none.
 */
export async function findEmulator(ctx: Context, port: string | undefined): Promise<EmulatorReady> {
  const running = listEmulators(ctx.paths);
  if (port !== undefined) {
    const chosen = running.find((emulator) => String(emulator.port) === port);
    if (chosen) return chosen.ready;
    const ports = running.map((emulator) => emulator.port).join(', ');
    throw noEmulator(
      `No embedded platform of yours runs on port ${port}.`,
      ports === '' ? START : `There are: ${ports}.`,
    );
  }
  const explicit = ctx.flags.profile ?? ctx.io.env.CDPADM_PROFILE;
  const [newest] = running;
  if (explicit !== 'local' && newest) return newest.ready;
  if (explicit === 'local' || (await ctx.settings()).profile?.value === 'local') return await openEmbedded(ctx);
  throw noEmulator('No embedded platform is running.', START);
}

/** Calls the control address; the answer as the platform gave it. Throws CliError for a refusal. */
export async function callControl(ctx: Context, ready: EmulatorReady, call: ControlCall): Promise<unknown> {
  const { createNodeEngine } = await import('../http/node-engine.ts');
  const { origin, pathname, search } = new URL(`${ready.control_url}${call.path}`);
  const engine = createNodeEngine(undefined);
  try {
    const reply = await engine.send({
      method: call.method,
      origin,
      path: pathname + search,
      headers: { accept: 'application/json', ...(call.body && { 'content-type': 'application/json' }) },
      body: call.body && stringifyJson(call.body),
      timeoutMs: CALL_TIMEOUT_MS,
      signal: ctx.signal,
    });
    const text = reply.body.toString('utf8');
    if (reply.status >= 400) throw refused(reply.status, text);
    return text === '' ? null : parseJson(text);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError({
      code: 'emulator.unreachable',
      message: `The embedded platform at ${origin} does not answer: ${(error as Error).message}.`,
      hint: START,
      exit: EXIT.network,
      cause: error,
    });
  } finally {
    await engine.close();
  }
}

/** A change by a control call: shown instead of made in a dry run. Undefined means that it was shown. */
export async function changeByControl(ctx: Context, ready: EmulatorReady, call: ControlCall): Promise<unknown> {
  if (!ctx.flags.dryRun) return await callControl(ctx, ready, call);
  const { method, path, body } = call;
  await ctx.out.emitDryRun([{ method, url: `${ready.control_url}${path}`, ...(body && { body }) }]);
  return undefined;
}

const START = 'Start one with `cdpadm emulator start`, or use --profile local.';

function noEmulator(message: string, hint: string): CliError {
  return new CliError({ code: 'emulator.none', message, hint, exit: EXIT.notFound });
}

/** The control address refuses what is malformed (400), as a flag would be, and names what is not there (404). */
function refused(status: number, text: string): CliError {
  const detail = messageOf(text)?.replace(/^(Bad request|Not found): /, '') ?? 'no reason was given';
  const message = `The embedded platform refused: ${detail}.`;
  if (status === 400) return usageError(message);
  return new CliError({
    code: 'emulator.refused',
    message,
    status,
    exit: status === 404 ? EXIT.notFound : EXIT.failed,
  });
}

function messageOf(text: string): string | undefined {
  try {
    const body = parseJson(text) as { errors?: { message?: unknown }[] };
    const message = body.errors?.[0]?.message;
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
