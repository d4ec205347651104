// Opens the stored certificates of the processor.
import type { CertificateCache } from '../../config/certificate-cache.ts';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { lastingAddress } from '../target.ts';

/** The certificate chains of verified messages, by the fingerprint of their first certificate: evidence of signatures. */
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

/** The certificate kept for the DSR address in use. */
export async function openCertificates(ctx: Context): Promise<CertificateCache> {
  const { openCertificateCache } = await import('../../config/certificate-cache.ts');
  return openCertificateCache(ctx.paths.cache, lastingAddress(await ctx.settings(), 'dsr_base_url'), ctx.cacheFiles);
}
