// The authorities that this machine trusts: Node's own, `--ca-file`, and what NODE_EXTRA_CA_CERTS adds.
import { existsSync, readFileSync } from 'node:fs';
import { type KnownError, systemErrorCode, usageError } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/address.ts';
import type { Context, Io } from '../context.ts';
import { authorityFile } from '../emulator/local-folder.ts';

/** Their certificates; PEM texts that cannot be read are refused with a usage error (2). */
export async function loadTrustedRoots(ctx: Context) {
  const [{ X509Certificate }, { rootCertificates }, settings] = await Promise.all([
    import('node:crypto'),
    import('node:tls'),
    ctx.settings(),
  ]);
  const [own, extra] = [settings.get('ca_file')?.value, ctx.io.env.NODE_EXTRA_CA_CERTS];
  const others = [extra, await embeddedAuthority(ctx)].filter((path) => path !== undefined && existsSync(path));
  const files = [own, ...others].flatMap((path) => (path ? [path] : []));
  const further = files.flatMap((path) =>
    blocksOf(path).map((pem, index) => {
      try {
        return new X509Certificate(pem);
      } catch (error) {
        throw unusable(path, `holds what is no certificate (number ${index + 1}): ${(error as Error).message}`);
      }
    }),
  );
  return [...further, ...rootCertificates.map((pem) => new X509Certificate(pem))];
}

/**
 * A copy of a profile may have an embedded platform in place of the real one. It signs with this user's own authority, which
 * is trusted for an address of this machine and no other.
 */
async function embeddedAuthority(ctx: Context): Promise<string | undefined> {
  const address = (await ctx.settings()).get('dsr_base_url')?.value;
  return address !== undefined && isLoopback(new URL(address).hostname) ? authorityFile(ctx.paths) : undefined;
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
    throw unusable(path, isMissing ? 'is not there' : `cannot be read: ${(error as Error).message}`);
  }
}

function unusable(path: string, why: string): KnownError {
  return usageError(`The file of certificate authorities ${path} ${why}.`, {
    text: 'Correct the path in --ca-file, CDPADM_CA_FILE or the profile. To see where it comes from:',
    command: 'cdpadm profile show --origin',
  });
}

function blocksOf(path: string): string[] {
  return readAuthorities(path).match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
}
