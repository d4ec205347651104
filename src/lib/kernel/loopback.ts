// Which hosts are this very machine: only to them may anything be sent without TLS.

/** Whether a host name or address, as `URL.hostname` gives it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
