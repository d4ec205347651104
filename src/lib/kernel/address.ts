// Reads the platform's addresses, and recognizes addresses of this machine.

export interface BaseAddress {
  origin: string;
  /** Prefix of all request paths: an empty string, or `/prefix` without a trailing slash. */
  prefix: string;
}

/** `problem` completes the sentence "the address …". It never repeats `text`, which may contain a password. */
export function readBaseAddress(text: string): BaseAddress | { problem: string } {
  if (!URL.canParse(text)) return { problem: 'must be a full address such as https://api.example.com' };
  const { hash, hostname, origin, password, pathname, protocol, search, username } = new URL(text);
  if (username !== '' || password !== '') return { problem: 'must not contain a user name or password' };
  if (search !== '' || hash !== '') return { problem: 'must not contain a query or a fragment' };
  if (protocol === 'http:' && !isLoopback(hostname))
    return { problem: 'must start with https:// (http:// is allowed only for this machine)' };
  if (protocol !== 'https:' && protocol !== 'http:') return { problem: 'must start with https://' };
  return { origin, prefix: pathname.replace(/(?<!\/)\/+$/, '') };
}

export function isDomainName(text: string): boolean {
  const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
  return new RegExp(`^${label}(?:\\.${label})*$`).test(text);
}

/** True for a domain that fits into a certificate: RFC 5280 limits a common name to 64 characters. */
export const isCertifiable = (domain: string): boolean => domain.length <= 64 && isDomainName(domain);

/** `hostname` is a name or an address, as in `URL.hostname`. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
