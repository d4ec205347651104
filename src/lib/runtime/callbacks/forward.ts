// Hands a callback on, byte for byte, to whoever else wants it.
import { usageError } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/loopback.ts';
import type { Context } from '../context.ts';
import { furtherAuthorities } from '../checks/trusted-roots.ts';

/** True when the other side took it (2xx). */
export type Forward = (headers: readonly (readonly [string, string])[], body: Buffer) => Promise<boolean>;

/** The platform waits for us while we wait. */
const TIMEOUT_MS = 10_000;

/** What belongs to the connection and not to the message. */
const OF_THE_CONNECTION = new Set([
  'host',
  'connection',
  'content-length',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

/** Throws usage (2) for an address that is neither https nor http to this machine. Redirects are not followed. */
export async function openForward(ctx: Context, address: string): Promise<Forward> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isPrivate = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!url || !isPrivate || url.username !== '') {
    throw usageError(`--forward-to takes an https address (http to this machine only), not \`${address}\`.`);
  }
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const ca = await authorities(ctx);
  return (headers, body) =>
    new Promise((resolve) => {
      const failed = (why: string): void => {
        ctx.out.warn(`A callback could not be handed on to ${url.origin}: ${why}.`);
        resolve(false);
      };
      const kept = headers.filter(([name]) => !OF_THE_CONNECTION.has(name.toLowerCase()));
      const sent = request(url, {
        method: 'POST',
        headers: { ...Object.fromEntries(kept), 'content-length': String(body.length) },
        timeout: TIMEOUT_MS,
        agent: false,
        ...ca,
      });
      sent.on('timeout', () => sent.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} seconds`)));
      sent.on('error', (error) => failed(error.message));
      sent.on('response', (response) => {
        response.resume();
        const { statusCode: status = 0 } = response;
        if (status >= 200 && status < 300) resolve(true);
        else failed(`it answered ${status}`);
      });
      sent.end(body);
    });
}

/** Node's own, and with `--ca-file` those besides. */
async function authorities(ctx: Context): Promise<{ ca?: string[] }> {
  const file = (await ctx.settings()).get('ca_file')?.value;
  if (file === undefined) return {};
  const { rootCertificates } = await import('node:tls');
  return { ca: [...rootCertificates, furtherAuthorities(file, ctx.io.env)] };
}
