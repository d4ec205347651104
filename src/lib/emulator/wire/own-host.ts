// Which `Host` means this platform. A web page whose own name points here sends that name.
import { isIP } from 'node:net';
import { isLoopback } from '../../kernel/address.ts';

/** A platform that listens on one of these is called by any address of its machine. */
const EVERYWHERE = ['0.0.0.0', '::'];

/** The host of a `Host` header without its port, in lower case; empty for one that is malformed. */
export function hostName(header: string | undefined): string {
  return /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(header ?? '')?.[1]?.toLowerCase() ?? '';
}

/** Whether the header names this machine or the address that the platform listens on. */
export function isOwnHost(header: string | undefined, listensOn: string): boolean {
  const name = hostName(header);
  const address = name.startsWith('[') ? name.slice(1, -1) : name;
  if (isLoopback(name) || address === listensOn.toLowerCase()) return true;
  return EVERYWHERE.includes(listensOn) && isIP(address) !== 0;
}
