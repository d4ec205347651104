// What may be an address of the platform, or of this machine. Settings and the wire ask here alike.

/** Why a text is none: no URL, one that would carry more than an address, without TLS, or of another scheme. */
export type AddressFault = 'no-url' | 'credentials' | 'query' | 'plain' | 'scheme';

export interface BaseAddress {
  /** Scheme, host and port. */
  origin: string;
  /** The path in front of every call's path; empty or `/prefix`, never with a slash at its end. */
  prefix: string;
}

/** https, or http to this machine only; without user, query and fragment. */
export function readBaseAddress(text: string): BaseAddress | { fault: AddressFault } {
  if (!URL.canParse(text)) return { fault: 'no-url' };
  const { hash, hostname, origin, password, pathname, protocol, search, username } = new URL(text);
  if (username !== '' || password !== '') return { fault: 'credentials' };
  if (search !== '' || hash !== '') return { fault: 'query' };
  if (protocol === 'http:' && !isLoopback(hostname)) return { fault: 'plain' };
  if (protocol !== 'https:' && protocol !== 'http:') return { fault: 'scheme' };
  return { origin, prefix: pathname.replace(/(?<!\/)\/+$/, '') };
}

/** Whether a host name or address, as `URL.hostname` gives it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
