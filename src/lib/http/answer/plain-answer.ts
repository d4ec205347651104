// A port that answers TLS with plain HTTP: known by OpenSSL's words, and told with what to write instead.
import { systemErrorCode } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/address.ts';

/** EPROTO alone says no more than that something was odd; the words and the later codes say what. */
const PLAIN_ANSWER = /wrong version number|packet length too long|WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/;

/** Whether who was spoken to in TLS answered without it. */
export function answeredPlainly(error: unknown): boolean {
  return error instanceof Error && PLAIN_ANSWER.test(`${systemErrorCode(error) ?? ''} ${error.message}`);
}

/** Without TLS only this machine may be spoken to: elsewhere another port is meant, or none. */
export function plainAnswer(address: string): { message: string; hint: string } {
  const { host, hostname } = new URL(address);
  return {
    message: `${host} answers without TLS, and https:// was asked for.`,
    hint: isLoopback(hostname)
      ? `Write the address with http:// (${address.replace(/^https:/, 'http:')}).`
      : 'Check the port: only a platform on this very machine is spoken to without TLS.',
  };
}
