// The checks of `doctor` that look at this machine and at the addresses: files, modes, keychain, clock, TLS, proxy.
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import type { SecretName, SettingName, Settings } from '../../config/settings.ts';
import { answeredPlainly, plainAnswer } from '../../http/answer/plain-answer.ts';
import { probeAddress } from '../../http/engines/probe.ts';
import { isExposed } from '../../kernel/durable.ts';
import { KnownError, systemErrorCode } from '../../kernel/errors.ts';
import { host } from '../../kernel/host.ts';
import { formatDuration } from '../../kernel/timestamps.ts';
import { VERSION } from '../../kernel/version.ts';
import type { Context } from '../context.ts';
import { furtherAuthorities } from './trusted-roots.ts';

export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'failed' | 'skipped';
  detail: string;
  /** What to do; only where something is wrong. */
  fix?: string;
}

/** A token is refused when the clocks differ by minutes; signatures and deadlines suffer earlier. */
const MAX_CLOCK_DIFFERENCE_MS = 60_000;
const CERTIFICATE_WARNING_MS = 14 * 86_400_000;

export function checkProgram(): Finding {
  return { check: 'program', status: 'ok', detail: `cdpadm ${VERSION} on Node ${host.nodeVersion}, ${host.platform}` };
}

/** The four folders: private and writable where they exist. */
export function checkFolders({ paths }: Context): Finding[] {
  const folders = Object.entries(paths) as [name: string, path: string][];
  return folders.map(([name, path]): Finding => {
    const check = `folder ${name}`;
    if (!existsSync(path)) return { check, status: 'ok', detail: `${path} (not there yet)` };
    if (isExposed(path)) {
      return { check, status: 'warning', detail: `${path} can be entered by others`, fix: `chmod 700 "${path}"` };
    }
    return isWritable(path)
      ? { check, status: 'ok', detail: path }
      : { check, status: 'warning', detail: `${path} is read-only or full`, fix: 'free space, or make it writable' };
  });
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return statfsSync(path).bavail > 0;
  } catch {
    return false;
  }
}

export async function checkSettingsFile(ctx: Context): Promise<Finding> {
  const check = 'settings file';
  try {
    const profiles = await ctx.profiles();
    const { profiles: known, warnings } = await profiles.read();
    if (existsSync(profiles.file) && isExposed(profiles.file)) {
      return {
        check,
        status: 'warning',
        detail: `${profiles.file} can be read by others`,
        fix: `chmod 600 "${profiles.file}"`,
      };
    }
    const detail = `${profiles.file}: ${known.size} profile${known.size === 1 ? '' : 's'}`;
    return warnings.length > 0
      ? { check, status: 'warning', detail: warnings.join(' ') }
      : { check, status: 'ok', detail };
  } catch (error) {
    return failed(check, error);
  }
}

export async function checkKeychain(ctx: Context): Promise<Finding> {
  const check = 'keychain';
  try {
    await (await ctx.profiles()).checkStorage('keychain');
    return { check, status: 'ok', detail: 'answers' };
  } catch (error) {
    const finding = failed(check, error);
    // Nothing needs it as long as no profile refers to it.
    return { ...finding, status: 'warning' };
  }
}

/** Which profile there is, or that nothing is set up at all. */
export function checkProfile(settings: Settings): Finding {
  const check = 'profile';
  const { profile } = settings;
  if (profile) return { check, status: 'ok', detail: `${profile.value} (${profile.origin.kind})` };
  if (isSetUp(settings)) return { check, status: 'ok', detail: 'none, from the environment' };
  return {
    check,
    status: 'warning',
    detail: 'none, and no CDPADM_* variable is set: cdpadm does not know your platform yet',
    fix: 'Create one with `cdpadm profile create NAME`, or try everything with --profile local.',
  };
}

/** Whether there is anything at all: the first setting that is needed tells. */
function isSetUp(settings: Settings): boolean {
  try {
    settings.need('base_url');
    return true;
  } catch (error) {
    return !(error instanceof KnownError && error.code === 'setup.none');
  }
}

/** Each secret that the settings name can be had now. */
export async function checkSecrets(ctx: Context): Promise<Finding[]> {
  const settings = await ctx.settings();
  const names: SecretName[] = ['client_id', 'client_secret', 'workspace_key', 'workspace_secret', 'access_token'];
  const findings: Finding[] = [];
  for (const name of names) {
    const origin = settings.secretOrigin(name);
    if (!origin) continue;
    try {
      await settings.secret(name);
      findings.push({ check: `secret ${name}`, status: 'ok', detail: `${origin.kind}: ${origin.detail}` });
    } catch (error) {
      findings.push(failed(`secret ${name}`, error));
    }
  }
  return findings;
}

export function checkProxy({ io }: Context): Finding {
  const proxy = io.env.https_proxy || io.env.HTTPS_PROXY || io.env.http_proxy || io.env.HTTP_PROXY;
  if (!proxy) return { check: 'proxy', status: 'ok', detail: 'none' };
  try {
    return { check: 'proxy', status: 'ok', detail: new URL(proxy).host };
  } catch {
    return {
      check: 'proxy',
      status: 'failed',
      detail: 'the proxy variable holds no address',
      fix: 'Write it as http://host:port.',
    };
  }
}

const ADDRESSES: SettingName[] = ['base_url', 'auth_url', 'dsr_base_url', 'seeding_url', 'identity_url'];

/** Each address: reachable, certificate good for a while, clock near ours. Skipped behind a proxy. */
export async function checkAddresses(ctx: Context): Promise<Finding[]> {
  const settings = await ctx.settings();
  const caFile = settings.get('ca_file')?.value;
  const findings: Finding[] = [];
  for (const name of ADDRESSES) {
    const setting = settings.get(name);
    if (setting) findings.push(await checkAddress(ctx, setting.value, { check: name, caFile, limitMs: 10_000 }));
    else findings.push({ check: name, status: 'skipped', detail: 'not configured' });
  }
  return findings;
}

/** The look at one address without credentials, for at most `limitMs`. `caFile` holds further authorities. */
export async function checkAddress(
  ctx: Context,
  address: string,
  { check, caFile, limitMs }: { check: string; caFile: string | undefined; limitMs: number },
): Promise<Finding> {
  if (checkProxy(ctx).detail !== 'none' && address.startsWith('https:')) {
    return { check, status: 'skipped', detail: `${address} is reached through a proxy` };
  }
  try {
    const { clockAheadMs, certificateEnds, status } = await probeAddress(address, {
      extraAuthorities: caFile === undefined ? undefined : furtherAuthorities(caFile, ctx.io.env),
      timeoutMs: Math.min(ctx.flags.requestTimeoutMs, limitMs),
      clock: ctx.clock,
      signal: ctx.signal,
    });
    // Which one says little: an address that knows nothing at its root answers 404.
    ctx.out.verbose(`${address} answered with ${status}.`);
    if (certificateEnds !== undefined && certificateEnds - ctx.clock.now() < CERTIFICATE_WARNING_MS) {
      const left = formatDuration(Math.max(0, certificateEnds - ctx.clock.now()));
      return {
        check,
        status: 'warning',
        detail: `the certificate of ${address} ends in ${left}`,
        fix: 'Tell whoever runs that address.',
      };
    }
    if (clockAheadMs !== undefined && Math.abs(clockAheadMs) > MAX_CLOCK_DIFFERENCE_MS) {
      const direction = clockAheadMs > 0 ? 'ahead of' : 'behind';
      return {
        check,
        status: 'warning',
        detail: `this machine's clock is ${formatDuration(Math.abs(clockAheadMs))} ${direction} ${address}`,
        fix: 'Set the clock by a time server.',
      };
    }
    return { check, status: 'ok', detail: `${address} answers` };
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof KnownError) return failed(check, error);
    if (answeredPlainly(error)) {
      const { message, hint } = plainAnswer(address);
      return { check, status: 'failed', detail: message.replace(/\.$/, ''), fix: hint };
    }
    const code = systemErrorCode(error) ?? (error as Error).message;
    return { check, status: 'failed', detail: `${address} cannot be reached: ${code}`, fix: fixFor(code) };
  }
}

function fixFor(code: string): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'Check the address, and the name server of this machine.';
  if (code === 'ECONNREFUSED') return 'Nothing listens there: check the port, or start the service.';
  if (/CERT|SELF_SIGNED|VERIFY/.test(code)) return 'Trust its authority with --ca-file FILE.';
  return 'Check the network, a firewall, and HTTPS_PROXY.';
}

/** A failure as a line, its hint as the fix. */
export function failed(check: string, error: unknown): Finding {
  if (!(error instanceof KnownError)) throw error;
  return { check, status: 'failed', detail: inFull(error), ...(error.hint !== undefined && { fix: error.hint }) };
}

/** One line of an error and of everything that is wrong in the file it is about. */
function inFull({ message, issues }: KnownError): string {
  const places = issues.map((issue) => [issue.path, issue.message].filter(Boolean).join(' '));
  return places.length === 0 ? message : `${message.replace(/\.$/, '')}: ${places.join('; ')}.`;
}
