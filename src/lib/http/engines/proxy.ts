// Chooses the proxy for a request from HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as other command-line tools do.
import { BlockList, isIP } from 'node:net';
import { usageError } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/address.ts';

export interface ProxySettings {
  https?: string | undefined;
  http?: string | undefined;
  none?: string | undefined;
}

/** Reads the standard variables. Unlike in a web server, no request header can set HTTP_PROXY here. */
export function readProxySettings(env: Readonly<Record<string, string | undefined>>): ProxySettings {
  return {
    https: env['https_proxy'] || env['HTTPS_PROXY'],
    http: env['http_proxy'] || env['HTTP_PROXY'],
    none: env['no_proxy'] || env['NO_PROXY'],
  };
}

/** Throws usage (2) for an invalid variable. Calls to this machine use only a local proxy, to keep plain http local. */
export function proxyFor(origin: string, settings: ProxySettings): URL | undefined {
  const target = new URL(origin);
  const variable = target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const address = target.protocol === 'https:' ? settings.https : settings.http;
  if (!address || isExcluded(target, settings.none ?? '')) return undefined;
  const proxy = parseProxy(address, variable);
  return isLoopback(target.hostname) && !isLoopback(proxy.hostname) ? undefined : proxy;
}

function parseProxy(address: string, variable: string): URL {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.hostname && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  // Do not show the value, because it may contain a password.
  throw usageError(
    `${variable} is not the address of an http or https proxy.`,
    'Write it as http://host:port, or http://user:password@host:port.',
  );
}

export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === '') return undefined;
  const text = `${decode(proxy.username)}:${decode(proxy.password)}`;
  return `Basic ${Buffer.from(text, 'utf8').toString('base64')}`;
}

export function proxySecrets(settings: ProxySettings): string[] {
  return [settings.https, settings.http].flatMap((address) => {
    const userinfo = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/@:]*):([^/]*)@/i.exec(address ?? '');
    if (!userinfo) return [];
    const [, user = '', password = ''] = userinfo;
    return [password, decode(password), `${decode(user)}:${decode(password)}`];
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The text is not percent-encoded: use it unchanged.
    return text;
  }
}

/**
 * Applies NO_PROXY (entries separated by commas or spaces). `*` matches every host; `host` matches the host and its
 * subdomains; `.suffix` and `*.suffix` match only subdomains. A CIDR block (`10.0.0.0/8`) matches its addresses.
 * Entries may end in `:port`.
 */
function isExcluded(target: URL, none: string): boolean {
  const host = target.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  return none
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true;
      const [name, wantedPort] = splitPort(entry);
      return (wantedPort === undefined || wantedPort === port) && matchesHost(host, name);
    });
}

function splitPort(entry: string): [string, string | undefined] {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(entry);
  if (bracketed) return [bracketed[1] ?? '', bracketed[2]];
  const single = /^([^:]+):(\d+)$/.exec(entry);
  return single ? [single[1] ?? '', single[2]] : [entry, undefined];
}

function matchesHost(host: string, entry: string): boolean {
  const family = isIP(host);
  if (family !== 0) return matchesAddress(host, family === 6 ? 'ipv6' : 'ipv4', entry);
  const suffix = entry.replace(/^\*?\./, '');
  if (suffix === '') return false;
  return host.endsWith(`.${suffix}`) || host === entry;
}

function matchesAddress(host: string, family: 'ipv4' | 'ipv6', entry: string): boolean {
  const [network = '', prefix] = entry.split('/');
  const version = isIP(network);
  if (version === 0) return false;
  const bits = prefix === undefined ? (version === 6 ? 128 : 32) : Number(prefix);
  if (!Number.isInteger(bits) || bits < 0 || bits > (version === 6 ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(network, bits, version === 6 ? 'ipv6' : 'ipv4');
  return list.check(host, family);
}
