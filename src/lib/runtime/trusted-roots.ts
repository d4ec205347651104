// The authorities that this machine trusts: Node's own, `--ca-file`, and what NODE_EXTRA_CA_CERTS adds.
import { existsSync, readFileSync } from 'node:fs';
import { systemErrorCode, usageError } from '../kernel/errors.ts';
import type { Context, Io } from './context.ts';

/** Their certificates; PEM texts that cannot be read are refused with a usage error (2). */
export async function loadTrustedRoots(ctx: Context) {
  const [{ X509Certificate }, { rootCertificates }, settings] = await Promise.all([
    import('node:crypto'),
    import('node:tls'),
    ctx.settings(),
  ]);
  const files = [settings.get('ca_file')?.value, ctx.io.env.NODE_EXTRA_CA_CERTS].filter((path) => path !== undefined);
  const extra = files.filter((path) => path !== '').flatMap((path) => blocksOf(path));
  return [...extra, ...rootCertificates].map((pem) => new X509Certificate(pem));
}

/**
 * The text of the file `caFile`, and of the one that NODE_EXTRA_CA_CERTS adds: Node forgets that one as soon as it is
 * given authorities. As with Node itself it may be missing.
 */
export function furtherAuthorities(caFile: string, env: Io['env']): string {
  const extra = env.NODE_EXTRA_CA_CERTS;
  return readAuthorities(caFile) + (extra && existsSync(extra) ? `\n${readAuthorities(extra)}` : '');
}

function readAuthorities(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isMissing = systemErrorCode(error) === 'ENOENT';
    throw usageError(
      `The file of certificate authorities ${path} ${isMissing ? 'is not there' : `cannot be read: ${(error as Error).message}`}.`,
      'It comes from --ca-file, CDPADM_CA_FILE or the profile (cdpadm profile show --origin): correct the path there.',
    );
  }
}

function blocksOf(path: string): string[] {
  return readAuthorities(path).match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
}
