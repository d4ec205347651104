// --keep: stores each message as two files that `dsr callbacks verify` reads.
import { join, resolve } from 'node:path';
import { hasIdentities } from '../../lib/domain/dsr/evidence.ts';
import { type KeptMessage, openMessageFolder } from '../../lib/files/kept-messages.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { Callback, Received } from '../../lib/workflows/receive-callback.ts';

/** Only an id of this form becomes part of a file name. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Anyone who can reach the port can post, so a run keeps at most this many unacknowledged messages. */
const REFUSED_AT_MOST = 1000;

/** Stores a message, and returns its paths as the user would type them. On failure, warns and returns undefined. */
function openFolder(ctx: Context, folder: string) {
  const messages = openMessageFolder(resolve(ctx.io.cwd, folder));
  return (what: string, ...message: Parameters<typeof messages.keep>): KeptMessage | undefined => {
    try {
      const kept = messages.keep(...message);
      return { headers: join(folder, kept.headers), body: join(folder, kept.body) };
    } catch (error) {
      ctx.out.warn(`The ${what} was not saved: ${(error as Error).message}`);
      return undefined;
    }
  };
}

/** Stores responses of the platform. Throws if the folder cannot be used. */
export function openReplyKeep(ctx: Context, folder: string | undefined) {
  if (folder === undefined) return () => undefined;
  const keepMessage = openFolder(ctx, folder);
  const last = new Map<string, string>();
  return (id: string, headers: Readonly<Record<string, string>>, body: string): void => {
    // `--watch` reads the same response many times.
    if (last.get(id) === body) return;
    last.set(id, body);
    const kept = keepMessage('response', id, Object.entries(headers), Buffer.from(body));
    const what = hasIdentities(Buffer.from(body)) ? 'response, which contains identities,' : 'response';
    if (kept) ctx.out.note(`Saved the ${what} as ${kept.headers} and ${kept.body}.`);
  };
}

/**
 * Stores callbacks. Returns paths as the user would type them; undefined for a message without a body. Throws if the
 * folder cannot be used. Later failures are only warnings and do not delay callbacks (decision: D203).
 */
export function openKeep(ctx: Context, folder: string | undefined) {
  if (folder === undefined) return () => undefined;
  const keepMessage = openFolder(ctx, folder);
  let refused = 0;
  return ({ body, headers, method }: Callback, { state, status }: Received): KeptMessage | undefined => {
    if (body === undefined || method !== 'POST') return undefined;
    if (status !== 202 && ++refused > REFUSED_AT_MOST) {
      if (refused === REFUSED_AT_MOST + 1)
        ctx.out.warn(`${REFUSED_AT_MOST} callbacks that were not acknowledged were saved; later ones are not saved.`);
      return undefined;
    }
    const id = state?.subject_request_id.toLowerCase() ?? '';
    return keepMessage('callback', status !== 202 ? 'refused' : UUID.test(id) ? id : 'other', headers, body);
  };
}
