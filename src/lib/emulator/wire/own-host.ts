// Checks `Host`: a web page whose own domain points to this machine sends that domain.
import { isIP } from 'node:net';
import { isLoopback } from '../../kernel/address.ts';

/** Listening addresses that accept any address of the machine. */
const EVERYWHERE = ['0.0.0.0', '::'];

/** The host of a `Host` header without its port, in lower case; empty for one that is malformed. */
export function hostName(header: string | undefined): string {
  return /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(header ?? '')?.[1]?.toLowerCase() ?? '';
}

/** True if the header has a name of this machine or the listening address. */
export function isOwnHost(header: string | undefined, listensOn: string): boolean {
  const name = hostName(header);
  const address = name.startsWith('[') ? name.slice(1, -1) : name;
  if (isLoopback(name) || address === listensOn.toLowerCase()) return true;
  return EVERYWHERE.includes(listensOn) && isIP(address) !== 0;
}
