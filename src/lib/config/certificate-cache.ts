// Caches the processor's certificate, so that callbacks can be verified offline.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { CacheFiles } from '../kernel/cache-files.ts';

export interface CachedCertificate {
  /** The address from discovery. */
  url: string;
  pem: string;
}

export type CertificateCache = ReturnType<typeof openCertificateCache>;

/** `address` is the DSR base address, or `local` for the embedded platform, whose port changes. */
export function openCertificateCache(cacheFolder: string, address: string, files: CacheFiles) {
  const name = createHash('sha256').update(address).digest('hex').slice(0, 24);
  const path = join(cacheFolder, 'certificates', `${name}.json`);
  return {
    // If the file is damaged, the certificate is fetched again.
    read: (): CachedCertificate | undefined => parse(files.read(path) ?? ''),
    write: (certificate: CachedCertificate): void => files.write(path, `${JSON.stringify(certificate)}\n`),
  };
}

function parse(text: string): CachedCertificate | undefined {
  try {
    const value = JSON.parse(text) as Partial<CachedCertificate>;
    return typeof value.url === 'string' && typeof value.pem === 'string'
      ? { url: value.url, pem: value.pem }
      : undefined;
  } catch {
    return undefined;
  }
}
