// The trusted certificate authorities: those from Node, `--ca-file`, NODE_EXTRA_CA_CERTS and the embedded platform.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KnownError, reasonOf, systemErrorCode, usageError } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/address.ts';
import type { Context, Io } from '../context.ts';
import { authorityFolder } from '../emulator/running.ts';

let nodeRoots: import('node:crypto').X509Certificate[] | undefined;

/** Throws KnownError usage (2) for an invalid certificate. Parses Node's own roots only once: parsing is slow. */
export async function loadTrustedRoots(ctx: Context) {
  const [{ X509Certificate }, { rootCertificates }, settings] = await Promise.all([
    import('node:crypto'),
    import('node:tls'),
    ctx.settings(),
  ]);
  const [own, extra] = [settings.get('ca_file')?.value, ctx.io.env.NODE_EXTRA_CA_CERTS];
  const address = settings.get('dsr_base_url')?.value;
  // The embedded platform's authority, for any loopback address, regardless of the profile's name.
  const isLocal = address !== undefined && isLoopback(new URL(address).hostname);
  const embedded = isLocal ? join(authorityFolder(ctx.paths), 'ca.pem') : undefined;
  const others = [extra, embedded].filter((path) => path !== undefined && existsSync(path));
  const files = [own, ...others].flatMap((path) => (path ? [path] : []));
  const further = files.flatMap((path) =>
    (readAuthorities(path).match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []).map(
      (pem, index) => {
        try {
          return new X509Certificate(pem);
        } catch (error) {
          throw unusable(path, `contains an invalid certificate (number ${index + 1}): ${(error as Error).message}`);
        }
      },
    ),
  );
  return [...further, ...(nodeRoots ??= rootCertificates.map((pem) => new X509Certificate(pem)))];
}

/** Returns the text of `caFile` and of NODE_EXTRA_CA_CERTS, which Node ignores when it gets explicit authorities. */
export function furtherAuthorities(caFile: string, env: Io['env']): string {
  const extra = env.NODE_EXTRA_CA_CERTS;
  return readAuthorities(caFile) + (extra && existsSync(extra) ? `\n${readAuthorities(extra)}` : '');
}

function readAuthorities(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isMissing = systemErrorCode(error) === 'ENOENT';
    throw unusable(path, isMissing ? 'does not exist' : `cannot be read: ${reasonOf(error)}`);
  }
}

function unusable(path: string, why: string): KnownError {
  return usageError(`The certificate authority file ${path} ${why}.`, {
    text: 'Correct the path in --ca-file, CDPADM_CA_FILE or the profile. To see where it comes from:',
    command: 'cdpadm profile show --origin',
  });
}
