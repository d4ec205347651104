// The control address of an embedded platform, as the emulator commands call it.
import type { EmulatorReady } from '../../emulator/index.ts';
import { CliError, EXIT, usageError } from '../../kernel/errors.ts';
import { JsonError, parseJson, stringifyJson } from '../../kernel/json.ts';
import { TransportError } from '../../http/transport-error.ts';
import type { Context } from '../context.ts';
import { openEmbedded } from './embedded.ts';
import { listEmulators } from './running.ts';

const CALL_TIMEOUT_MS = 60_000;

export interface ControlCall {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the control address: `/clock`. */
  path: string;
  body?: Record<string, unknown>;
  /** The fields that the answer holds at least, or each of its entries where it is a list. */
  reply?: { fields: readonly string[]; list?: boolean };
}

/**
 * The platform that is meant: the one on `port`; without `--profile` the one that CDPADM_BASE_URL points every command to;
 * for profile `local` the one of its state; else the one started last, or that of the profile in use when it is `local`.
 * With `lasting` none that would end with the command, unless `--profile local` asks for it. Throws CliError not found (5)
 * when there is none.
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
    throw noEmulator(
      `No embedded platform of yours runs on port ${port}.`,
      ports === '' ? START : `There are: ${ports}.`,
    );
  }
  const { CDPADM_BASE_URL: address, CDPADM_PROFILE: chosen } = ctx.io.env;
  const explicit = ctx.flags.profile ?? (lasting ? undefined : chosen);
  const goesByAddress = !lasting && ctx.flags.profile === undefined;
  const spokenTo = running.find(({ ready }) => goesByAddress && ready.base_url === address);
  const meant = spokenTo ?? (explicit === 'local' ? undefined : running[0]);
  if (meant) return meant.ready;
  if (lasting && explicit !== 'local') throw noEmulator('No embedded platform is running.', START);
  if (explicit === 'local' || (await ctx.settings()).profile?.value === 'local') return await openEmbedded(ctx);
  throw noEmulator('No embedded platform is running.', START);
}

/** Calls the control address; the answer as the platform gave it. Throws CliError for a refusal and for any other answer. */
export async function callControl(ctx: Context, ready: EmulatorReady, call: ControlCall): Promise<unknown> {
  const [{ createNodeEngine }, { readAnswer }] = await Promise.all([
    import('../../http/node-engine.ts'),
    import('../../http/answer.ts'),
  ]);
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
    const answer = await readAnswer(reply);
    if (reply.status >= 400) throw refused(reply.status, answer.text);
    if (reply.status >= 300) throw strange(origin, `is a redirect (${reply.status}), which is not followed`);
    if (answer.problem !== undefined) throw strange(origin, answer.problem);
    return readReply(call, origin, answer.text);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError({
      code: 'emulator.unreachable',
      message: `The embedded platform at ${origin} does not answer: ${(error as Error).message}.`,
      hint: wasThere(error) ? (call.method === 'GET' ? ASK_AGAIN : LOOK_FIRST) : START,
      exit: EXIT.network,
      cause: error,
    });
  } finally {
    await engine.close();
  }
}

function readReply({ reply }: ControlCall, origin: string, text: string): unknown {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw strange(origin, text.trim() === '' ? 'is empty' : `is no JSON: ${error.message}`);
  }
  if (!reply) return value;
  const entries = reply.list ? value : [value];
  const isSound =
    Array.isArray(entries) &&
    entries.every(
      (entry) => typeof entry === 'object' && entry !== null && reply.fields.every((name) => name in entry),
    );
  if (!isSound) throw strange(origin, 'has another shape than expected');
  return value;
}

/** A change by a control call: shown instead of made in a dry run. Undefined means that it was shown. */
export async function changeByControl(ctx: Context, ready: EmulatorReady, call: ControlCall): Promise<unknown> {
  if (!ctx.flags.dryRun) return await callControl(ctx, ready, call);
  const { method, path, body } = call;
  await ctx.out.emitDryRun([{ method, url: `${ready.control_url}${path}`, ...(body && { body }) }]);
  return undefined;
}

/** Somebody was connected: one is running, or was until just now. */
function wasThere(error: unknown): boolean {
  return error instanceof TransportError && error.phase === 'perhaps-delivered';
}

const ASK_AGAIN = 'It took the question and gave no answer: ask again.';
const LOOK_FIRST =
  'It took the call, and whether it was done is not known: `cdpadm emulator clock` and `cdpadm emulator log` show what is there. ' +
  'Then do it again where it is needed.';
const START = 'Start one with `cdpadm emulator start`, or use --profile local.';

function noEmulator(message: string, hint: string): CliError {
  return new CliError({ code: 'emulator.none', message, hint, exit: EXIT.notFound });
}

/** An answer that no control address gives; `problem` ends the sentence "what it answered …". */
function strange(origin: string, problem: string): CliError {
  return new CliError({
    code: 'emulator.unreadable',
    message: `The embedded platform at ${origin} was called, and what it answered ${problem}.`,
    hint: 'Something else may listen there by now: look with `cdpadm emulator clock`, or start another platform.',
    exit: EXIT.failed,
  });
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
    ...(status !== 404 && { hint: 'Look at what it was sent with `cdpadm emulator log`, or start another platform.' }),
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
