// --keep: stores each message as two files, which `dsr callbacks verify` reads.
import { join, resolve } from 'node:path';
import { mayHaveIdentities } from '../../lib/domain/dsr/evidence.ts';
import { openMessageFolder } from '../../lib/files/kept-messages.ts';
import { isoMillis } from '../../lib/kernel/timestamps.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { LedgerPort } from '../../lib/workflows/dsr-ports.ts';
import type { Callback, Received } from '../../lib/workflows/receive-callback.ts';

/** Anyone who can reach the port can post, so a run keeps at most this many unacknowledged messages. */
const MAX_REJECTED = 1000;

/**
 * Returns a function that stores a message and, given a ledger, records it there for `dsr evidence`. The function
 * returns the paths as the user would type them. On failure, it warns and returns undefined.
 */
function openFolder(ctx: Context, folder: string) {
  const place = resolve(ctx.io.cwd, folder);
  const messages = openMessageFolder(place);
  return (what: string, ledger: LedgerPort | undefined, ...message: Parameters<typeof messages.keep>) => {
    try {
      const { body, headers, ...digests } = messages.keep(...message);
      const file = join(place, headers.replace(/\.headers\.json$/, ''));
      const event = { event: 'kept', id: message[0], at: isoMillis(ctx.clock.now()), file, ...digests } as const;
      const recorded = ledger?.record([event]).catch((error: unknown) => {
        ctx.out.warn(`The saved ${what} was not recorded in the ledger: ${(error as Error).message}`);
      });
      return { headers: join(folder, headers), body: join(folder, body), recorded };
    } catch (error) {
      ctx.out.warn(`The ${what} was not saved: ${(error as Error).message}`);
      return undefined;
    }
  };
}

/** Returns a function that stores platform responses. Throws if the folder is unusable. */
export function openReplyKeep(ctx: Context, folder: string | undefined, ledger: LedgerPort) {
  if (folder === undefined) return () => Promise.resolve();
  const keepMessage = openFolder(ctx, folder);
  const last = new Map<string, string>();
  return async (id: string, headers: Readonly<Record<string, string>>, body: string): Promise<void> => {
    // `--watch` reads the same response many times.
    if (last.get(id) === body) return;
    last.set(id, body);
    const kept = keepMessage('response', ledger, id, Object.entries(headers), Buffer.from(body));
    const what = mayHaveIdentities(Buffer.from(body)) ? 'response, which may contain identities,' : 'response';
    if (kept) ctx.out.note(`Saved the ${what} as ${kept.headers} and ${kept.body}.`);
    await kept?.recorded;
  };
}

/** Stores callbacks. Throws if the folder is unusable; later failures only warn (decision: D203). */
export function openKeep(ctx: Context, folder: string | undefined, ledgerOf: (workspace: string) => LedgerPort) {
  if (folder === undefined) return () => undefined;
  const keepMessage = openFolder(ctx, folder);
  let rejected = 0;
  return ({ body, headers, method }: Callback, { state, status, workspace }: Received) => {
    if (body === undefined || method !== 'POST') return undefined;
    if (status !== 202 && ++rejected > MAX_REJECTED) {
      if (rejected === MAX_REJECTED + 1)
        ctx.out.warn(`Saved ${MAX_REJECTED} callbacks that were not acknowledged; later ones will not be saved.`);
      return undefined;
    }
    const id = state?.subject_request_id;
    if (status !== 202 || id === undefined)
      return keepMessage('callback', undefined, status === 202 ? 'other' : 'refused', headers, body);
    return keepMessage('callback', workspace === undefined ? undefined : ledgerOf(workspace), id, headers, body);
  };
}
