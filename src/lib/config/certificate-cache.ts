// Caches the processor's certificate, so that callbacks can be verified offline.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { CacheFiles } from '../kernel/cache-files.ts';
import { readRecord } from '../kernel/json.ts';

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
  const { pem, url } = readRecord<CachedCertificate>(text) ?? {};
  return typeof url === 'string' && typeof pem === 'string' ? { url, pem } : undefined;
}
