// Checks this machine and the addresses for `doctor`: files, modes, keychain, clock, TLS, proxy.
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import type { Settings } from '../../config/resolve-settings.ts';
import { answeredPlainly, plainAnswer } from '../../http/answer/failure.ts';
import { proxyFor, readProxySettings } from '../../http/engines/proxy.ts';
import { probeAddress } from '../../http/engines/node-engine.ts';
import { isExposed } from '../../kernel/durable.ts';
import { KnownError, systemErrorCode } from '../../kernel/errors.ts';
import { host } from '../../kernel/host.ts';
import { formatDuration } from '../../kernel/timestamps.ts';
import { VERSION } from '../../kernel/version.ts';
import { counted } from '../../kernel/words.ts';
import type { Context } from '../context.ts';
import { ADDRESS_OF } from '../target.ts';
import { furtherAuthorities } from './trusted-roots.ts';

export function finding() {
  return z.object({
    check: z.string(),
    status: z.enum(['ok', 'warning', 'failed', 'skipped']),
    detail: z.string(),
    fix: z.optional(z.string()),
  });
}
export type Finding = z.infer<ReturnType<typeof finding>>;

/** The platform rejects tokens if the clock is off by several minutes. Signatures and deadlines tolerate less. */
const MAX_CLOCK_DIFFERENCE_MS = 60_000;
const CERTIFICATE_WARNING_MS = 14 * 86_400_000;

const ok = (check: string, detail: string): Finding => ({ check, status: 'ok', detail });
const warning = (check: string, detail: string, fix: string): Finding => ({ check, status: 'warning', detail, fix });

export async function checkMachine(ctx: Context): Promise<Finding[]> {
  const program = ok('program', `cdpadm ${VERSION} on Node ${host.nodeVersion}, ${host.platform}`);
  return [program, ...checkFolders(ctx), await checkSettingsFile(ctx), await checkKeychain(ctx), await checkProxy(ctx)];
}

function checkFolders({ paths }: Context): Finding[] {
  const folders = Object.entries(paths) as [name: string, path: string][];
  return folders.map(([name, path]): Finding => {
    const check = `folder ${name}`;
    const existing = nearestExisting(path);
    if (existing === path && isExposed(path)) {
      return warning(check, `other users can open ${path}`, `chmod 700 "${path}"`);
    }
    if (isWritable(existing)) return ok(check, existing === path ? path : `${path} (not created yet)`);
    const what = existing === path ? path : `${path} cannot be created: ${existing}`;
    return warning(
      check,
      `${what} is read-only, full or not a folder`,
      'Free some space, or make the folder writable.',
    );
  });
}

function nearestExisting(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestExisting(dirname(path));
}

function isWritable(path: string): boolean {
  try {
    // A file is not writable as a folder.
    accessSync(`${path}/.`, constants.W_OK);
    return statfsSync(path).bavail > 0;
  } catch {
    return false;
  }
}

/** Runs a check. An error becomes a failed finding. */
async function attempt(check: string, work: () => Finding | Promise<Finding>): Promise<Finding> {
  try {
    return await work();
  } catch (error) {
    return failed(check, error);
  }
}

function checkSettingsFile(ctx: Context): Promise<Finding> {
  const check = 'settings file';
  return attempt(check, async () => {
    const { file, read, strayFiles } = await ctx.profiles();
    const { profiles, warnings } = await read();
    if (existsSync(file) && isExposed(file)) {
      return warning(check, `other users can read ${file}`, `chmod 600 "${file}"`);
    }
    const [stray] = await strayFiles();
    if (stray !== undefined) return warning(check, `no profile uses the secrets in ${stray}`, `rm "${stray}"`);
    const detail = `${file}: ${counted(profiles.size, 'profile')}`;
    return warnings.length > 0 ? { check, status: 'warning', detail: warnings.join(' ') } : ok(check, detail);
  });
}

async function checkKeychain(ctx: Context): Promise<Finding> {
  const finding = await attempt('keychain', async () => {
    await (await ctx.profiles()).checkKeychain();
    return ok('keychain', 'responds');
  });
  // Only a warning, because perhaps no profile uses the keychain.
  return finding.status === 'failed' ? { ...finding, status: 'warning' } : finding;
}

export function checkProfile(settings: Settings): Finding {
  const check = 'profile';
  const { profile } = settings;
  if (profile) return ok(check, `${profile.value} (${profile.origin.kind})`);
  try {
    settings.need('base_url');
  } catch (error) {
    if (error instanceof KnownError && error.code === 'setup.none') {
      return warning(
        check,
        'none, and no CDPADM_* variable is set: no platform is configured',
        'Create one with `cdpadm profile create NAME`, or try everything with --profile local.',
      );
    }
  }
  return ok(check, 'none; the settings come from the environment, flags or a project file');
}

export async function checkSecrets(ctx: Context): Promise<Finding[]> {
  const settings = await ctx.settings();
  const findings: Finding[] = [];
  for (const [name, origin] of settings.secretOrigins()) {
    const check = `secret ${name}`;
    const read = async (): Promise<Finding> => {
      await settings.secret(name);
      return ok(check, `${origin.kind}: ${origin.detail}`);
    };
    findings.push(await attempt(check, read));
  }
  return findings;
}

function checkProxy({ io }: Context): Promise<Finding> {
  const { http, https } = readProxySettings(io.env);
  return attempt('proxy', () => {
    // Plain http is used only for this machine.
    const proxy = proxyFor('https://platform.example', { https }) ?? proxyFor('http://localhost', { http });
    return ok('proxy', proxy?.host ?? 'none');
  });
}

export async function checkAddresses(ctx: Context): Promise<Finding[]> {
  const settings = await ctx.settings();
  const caFile = settings.get('ca_file')?.value;
  const findings: Finding[] = [];
  for (const name of Object.values(ADDRESS_OF)) {
    const setting = settings.get(name);
    if (setting) findings.push(await checkAddress(ctx, name, setting.value, { caFile, limitMs: 10_000 }));
    else findings.push({ check: name, status: 'skipped', detail: 'not configured' });
  }
  return findings;
}

/** Probes an address without credentials, for at most `limitMs`. Skips an address that needs a proxy. */
export async function checkAddress(
  ctx: Context,
  check: string,
  address: string,
  { caFile, limitMs }: { caFile: string | undefined; limitMs: number },
): Promise<Finding> {
  try {
    if (proxyFor(address, readProxySettings(ctx.io.env)))
      return { check, status: 'skipped', detail: `${address} is reached through a proxy` };
    const { clockAheadMs, certificateEnds, status } = await probeAddress(address, {
      extraAuthorities: caFile === undefined ? undefined : furtherAuthorities(caFile, ctx.io.env),
      timeoutMs: Math.min(ctx.flags.requestTimeoutMs, limitMs),
      clock: ctx.clock,
      signal: ctx.signal,
    });
    // Accept any status: a valid address with no resource at its root returns 404.
    ctx.out.verbose(`${address} responded with ${status}.`);
    const validMs = certificateEnds === undefined ? Infinity : certificateEnds - ctx.clock.now();
    if (validMs < CERTIFICATE_WARNING_MS) {
      const left = formatDuration(Math.max(0, validMs));
      return warning(check, `the certificate of ${address} expires in ${left}`, "Notify the server's operator.");
    }
    if (clockAheadMs !== undefined && Math.abs(clockAheadMs) > MAX_CLOCK_DIFFERENCE_MS) {
      const direction = clockAheadMs > 0 ? 'ahead of' : 'behind';
      return warning(
        check,
        `this machine's clock is ${formatDuration(Math.abs(clockAheadMs))} ${direction} ${address}`,
        'Synchronize the clock with a time server.',
      );
    }
    return ok(check, `${address} responds`);
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof KnownError) return failed(check, error);
    if (answeredPlainly(error)) {
      const { message, hint } = plainAnswer(address);
      return { check, status: 'failed', detail: message.replace(/\.$/, ''), fix: hint };
    }
    const code = systemErrorCode(error) ?? (error as Error).message;
    return { check, status: 'failed', detail: `cannot reach ${address}: ${code}`, fix: fixFor(code) };
  }
}

function fixFor(code: string): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return "Check the address and this machine's DNS server.";
  if (code === 'ECONNREFUSED') return 'Check the port, or start the service.';
  if (/CERT|SELF_SIGNED|VERIFY/.test(code)) return "Pass the server's certificate authority with --ca-file FILE.";
  return 'Check the network, the firewall and HTTPS_PROXY.';
}

/** Converts an error to a finding: its message and issues become the detail, and its hint becomes the fix. */
export function failed(check: string, error: unknown): Finding {
  if (!(error instanceof KnownError)) throw error;
  const { message, issues, hint } = error;
  const places = issues.map((issue) => [issue.path, issue.message].filter(Boolean).join(' '));
  const detail = places.length === 0 ? message : `${message.replace(/\.$/, '')}: ${places.join('; ')}.`;
  return { check, status: 'failed', detail, ...(hint !== undefined && { fix: hint }) };
}
