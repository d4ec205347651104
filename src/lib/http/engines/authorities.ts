// Extra trusted certificates (`--ca-file`).
import type { SecureContext } from 'node:tls';
import { usageError } from '../../kernel/errors.ts';

/**
 * A TLS context that trusts Node's roots and `pem`; undefined when there is nothing to add. Throws KnownError (usage)
 * for text without a certificate, which Node would ignore.
 */
export async function trustedContext(pem: string | undefined): Promise<SecureContext | undefined> {
  if (pem === undefined) return undefined;
  const [{ X509Certificate }, { createSecureContext, rootCertificates }] = await Promise.all([
    import('node:crypto'),
    import('node:tls'),
  ]);
  try {
    new X509Certificate(pem);
  } catch (error) {
    throw usageError(
      `The certificate authority file contains no PEM certificate (${(error as Error).message}).`,
      'Pass a file with one or more "-----BEGIN CERTIFICATE-----" blocks with --ca-file or CDPADM_CA_FILE.',
    );
  }
  return createSecureContext({ ca: [...rootCertificates, pem] });
}
