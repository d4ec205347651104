// Opens the processor's stored certificates.
import { join } from 'node:path';
import { readRecord } from '../../kernel/json.ts';
import type { Context } from '../context.ts';
import { lastingAddress } from '../target.ts';

/** Opens the store of certificate chains of verified messages, keyed by the first certificate's fingerprint. */
export async function openChains(ctx: Context) {
  const { X509Certificate } = await import('node:crypto');
  const { readPrivateFile, writePrivateFile } = await import('../../kernel/durable.ts');
  const pathOf = (fingerprint: string): string => join(ctx.paths.state, 'dsr', 'certificates', `${fingerprint}.pem`);
  /** Checks only the fingerprint of the first certificate: `openssl verify` checks the chain. */
  const read = (fingerprint: string): { pem: string; problem?: undefined } | { pem?: undefined; problem: string } => {
    const pem = readPrivateFile(pathOf(fingerprint));
    try {
      if (pem === undefined) return { problem: 'missing' };
      if (new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase() === fingerprint) return { pem };
    } catch {
      // The file is not a certificate.
    }
    return { problem: 'changed: its fingerprint differs' };
  };
  return {
    read,
    /** Writes a missing or changed file. If that fails, warns and resolves to false. */
    write: async (fingerprint: string, pem: string): Promise<boolean> => {
      const stored = ctx.cacheFiles.attempt(() => {
        if (read(fingerprint).pem === undefined) writePrivateFile(pathOf(fingerprint), pem);
        return true;
      });
      return (await stored.catch(() => false)) === true;
    },
  };
}

/** Opens the stored certificate of the current DSR address, so that callbacks can be verified offline. */
export async function openCertificates(ctx: Context) {
  const { createHash } = await import('node:crypto');
  // The embedded platform's port changes, but its lasting address is always `local`.
  const address = lastingAddress(await ctx.settings(), 'dsr_base_url');
  const name = createHash('sha256').update(address).digest('hex').slice(0, 24);
  const path = join(ctx.paths.cache, 'certificates', `${name}.json`);
  return {
    // A damaged file counts as missing, so that the certificate is fetched again.
    read: () => {
      const { pem, url } = readRecord<{ url: string; pem: string }>(ctx.cacheFiles.read(path)) ?? {};
      return typeof url === 'string' && typeof pem === 'string' ? { url, pem } : undefined;
    },
    write: (certificate: { url: string; pem: string }): void =>
      ctx.cacheFiles.write(path, `${JSON.stringify(certificate)}\n`),
  };
}
