// Detects a port that answers TLS with plain HTTP.
import { systemErrorCode } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/address.ts';

/** The code EPROTO alone is ambiguous; the message and newer codes are not. */
const PLAIN_ANSWER = /wrong version number|packet length too long|WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/;

export function answeredPlainly(error: unknown): boolean {
  return error instanceof Error && PLAIN_ANSWER.test(`${systemErrorCode(error) ?? ''} ${error.message}`);
}

/** Plain http is allowed to this machine only, so the hint for any other host is to check the port. */
export function plainAnswer(address: string): { message: string; hint: string } {
  const { host, hostname } = new URL(address);
  return {
    message: `${host} does not use TLS, but the address starts with https://.`,
    hint: isLoopback(hostname)
      ? `Write the address with http:// (${address.replace(/^https:/, 'http:')}).`
      : 'Check the port. Connections without TLS are allowed to this machine only.',
  };
}
