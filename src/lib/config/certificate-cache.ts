// The processor's certificate, kept for its lifetime, so that a callback can be checked without asking anybody.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readPrivateFile, removeFile, writePrivateFile } from '../kernel/durable.ts';

export interface CachedCertificate {
  /** Where discovery said it is. */
  url: string;
  pem: string;
}

export interface CertificateCache {
  read(): CachedCertificate | undefined;
  write(certificate: CachedCertificate): void;
}

/** `address` is the one of data subject requests, or `local` for the embedded platform, whose port changes. */
export function openCertificateCache(cacheFolder: string, address: string): CertificateCache {
  const name = createHash('sha256').update(address).digest('hex').slice(0, 24);
  const path = join(cacheFolder, 'certificates', `${name}.json`);
  return {
    read: () => {
      const text = readPrivateFile(path);
      if (text === undefined) return undefined;
      const cached = parse(text);
      // What cannot be read is fetched again.
      if (!cached) removeFile(path);
      return cached;
    },
    write: (certificate) => writePrivateFile(path, `${JSON.stringify(certificate)}\n`),
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
