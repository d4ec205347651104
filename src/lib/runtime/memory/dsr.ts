// Opens the processor's stored certificates.
import { join } from 'node:path';
import { readRecord } from '../../kernel/json.ts';
import type { Context } from '../context.ts';
import { lastingAddress } from '../target.ts';

/** The certificate chains of verified messages, by their first certificate's fingerprint. Evidence for signatures. */
export async function openChains(ctx: Context) {
  const { readPrivateFile, writePrivateFile } = await import('../../kernel/durable.ts');
  const pathOf = (fingerprint: string): string => join(ctx.paths.state, 'dsr', 'certificates', `${fingerprint}.pem`);
  const read = (fingerprint: string): string | undefined => readPrivateFile(pathOf(fingerprint));
  return {
    read,
    write: (fingerprint: string, pem: string): void => {
      const path = pathOf(fingerprint);
      void ctx.cacheFiles.attempt(() => {
        if (read(fingerprint) === undefined) writePrivateFile(path, pem);
        return Promise.resolve();
      });
    },
  };
}

/** Returns the certificate stored for the current DSR address, so that callbacks can be verified offline. */
export async function openCertificates(ctx: Context) {
  const { createHash } = await import('node:crypto');
  // The embedded platform's port changes, but its lasting address is always `local`.
  const address = lastingAddress(await ctx.settings(), 'dsr_base_url');
  const name = createHash('sha256').update(address).digest('hex').slice(0, 24);
  const path = join(ctx.paths.cache, 'certificates', `${name}.json`);
  return {
    // If the file is damaged, fetch the certificate again.
    read: () => {
      const { pem, url } = readRecord<{ url: string; pem: string }>(ctx.cacheFiles.read(path)) ?? {};
      return typeof url === 'string' && typeof pem === 'string' ? { url, pem } : undefined;
    },
    write: (certificate: { url: string; pem: string }): void =>
      ctx.cacheFiles.write(path, `${JSON.stringify(certificate)}\n`),
  };
}
