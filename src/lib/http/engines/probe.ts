// Probes an address without sending credentials. Finds the status, the clock skew and the certificate's expiry time.
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../kernel/clock.ts';
import { trustedContext } from './engine.ts';

export interface ProbeOptions {
  /** Additional authorities as PEM text. */
  extraAuthorities?: string | undefined;
  timeoutMs: number;
  clock: Clock;
  signal: AbortSignal;
}

export interface Probe {
  status: number;
  /** How far our clock is ahead of the server's `Date`, in milliseconds; undefined if there is no `Date`. */
  clockAheadMs: number | undefined;
  /** Expiry time of the certificate, in milliseconds since the epoch; undefined without TLS. */
  certificateEnds: number | undefined;
}

/** Sends HEAD to the address. Rejects with an error that has a `code`: Node's own, or ETIMEDOUT. */
export async function probeAddress(address: string, options: ProbeOptions): Promise<Probe> {
  const { clock, timeoutMs, signal } = options;
  const secure = address.startsWith('https:');
  const [{ request }, secureContext] = await Promise.all([
    secure ? import('node:https') : import('node:http'),
    secure ? trustedContext(options.extraAuthorities) : undefined,
  ]);
  return await new Promise((resolve, reject) => {
    const call = request(address, {
      method: 'HEAD',
      agent: false,
      timeout: timeoutMs,
      signal,
      // Set explicitly, because an environment variable could otherwise turn off the certificate check.
      rejectUnauthorized: true,
      ...(secureContext && { secureContext }),
    });
    call.on('timeout', () => call.destroy(Object.assign(new Error('no response in time'), { code: 'ETIMEDOUT' })));
    call.on('error', reject);
    call.on('response', (response) => {
      const date = Date.parse(response.headers.date ?? '');
      const socket = response.socket as Partial<TLSSocket>;
      const certificate = secure ? socket.getPeerCertificate?.() : undefined;
      response.resume();
      resolve({
        status: response.statusCode ?? 0,
        clockAheadMs: Number.isNaN(date) ? undefined : clock.now() - date,
        certificateEnds: certificate?.valid_to === undefined ? undefined : Date.parse(certificate.valid_to),
      });
    });
    call.end();
  });
}
