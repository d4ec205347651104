// The installed openssl.
import { execFileSync } from 'node:child_process';

/** Runs openssl and returns its output; throws if it fails. */
export function openssl(...args: string[]): string {
  return execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe' });
}

export function hasOpenssl(): boolean {
  try {
    openssl('version');
    return true;
  } catch {
    return false;
  }
}
