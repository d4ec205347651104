// Fetches the processor's certificate from the address that discovery names, and stores it.
import type { DsrApi } from '../api/dsr.ts';
import { parseCertificates } from '../domain/callbacks/certificate.ts';
import { type Clock, steadyClock } from '../kernel/clock.ts';
import { KnownError } from '../kernel/errors.ts';
import { sizeText } from '../kernel/words.ts';
import { fail } from '../errors/fail.ts';

export interface ProcessorCertificate {
  url: string;
  pem: string;
  /** True for a stored certificate; false for one that was just fetched. */
  cached: boolean;
}

export type CertificateSource = ReturnType<typeof createCertificateSource>;

export interface CertificatePorts {
  api: DsrApi;
  cache: { read(): { url: string; pem: string } | undefined; write(certificate: { url: string; pem: string }): void };
  clock: Clock;
  signal: AbortSignal;
}

/** Twice the size of ten certificates with large keys. */
const MAX_BYTES = 64 * 1024;
/** Minimum time between refreshes. Without this minimum, every forged message would cause a request. */
const REFRESH_EVERY_MS = 60_000;
const HUNG_AFTER_MS = 5000;

export function createCertificateSource({ api, cache, clock, signal }: CertificatePorts) {
  const { now } = steadyClock(clock);
  let kept: { url: string; pem: string } | undefined;
  /** Expiry of the kept certificate: parsing it for every response would take longer than verifying the response. */
  let expiry: { of: string; at: number } | undefined;
  let fetching: Promise<ProcessorCertificate> | undefined;
  let fetchingSince = 0;
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let from = '';

  async function fetchCertificate(): Promise<ProcessorCertificate> {
    const discovery = (from = api.describeDiscovery().url);
    const { processor_certificate: url } = await api.discovery(signal).catch((error: unknown) => {
      throw named(error, `Discovery at ${discovery} failed`, signal);
    });
    from = url;
    const pem = await download(api, url, signal);
    cache.write((kept = { url, pem }));
    return { ...kept, cached: false };
  }

  /** Concurrent messages share one download. A later message does not join a download that hangs. */
  function fetchOnce(): Promise<ProcessorCertificate> {
    if (fetching && now() - fetchingSince < HUNG_AFTER_MS) return fetching;
    fetchingSince = now();
    const own = fetchCertificate().finally(() => {
      if (fetching === own) fetching = undefined;
    });
    return (fetching = own);
  }

  return {
    /** Returns the stored certificate if it has not expired, otherwise a new one. Throws KnownError if fetching fails. */
    get: async (): Promise<ProcessorCertificate> => {
      kept ??= cache.read();
      if (!kept) return await fetchOnce();
      if (expiry?.of !== kept.pem)
        expiry = { of: kept.pem, at: Date.parse(parseCertificates(kept.pem)?.[0]?.validTo ?? '') };
      return expiry.at >= clock.now() ? { ...kept, cached: true } : await fetchOnce();
    },
    /** Returns a replacement for the failed certificate; undefined if there is none, or after a recent refresh. */
    refresh: async ({ pem }: ProcessorCertificate): Promise<ProcessorCertificate | undefined> => {
      if (fetching) return await fetching;
      if (kept && kept.pem !== pem) return { ...kept, cached: true };
      if (now() - refreshedAt < REFRESH_EVERY_MS) return undefined;
      refreshedAt = now();
      return await fetchOnce();
    },
    /** Returns the address that the certificate was last requested from. */
    from: () => from,
  };
}

/** Returns a source for a certificate that the user provided as a file's text or an address. */
export function givenCertificate(
  name: string,
  from: { text: string } | DsrApi,
  signal: AbortSignal,
): CertificateSource {
  return {
    get: async () => {
      const pem = 'text' in from ? from.text : await download(from, name, signal);
      return { url: name, pem, cached: false };
    },
    refresh: () => Promise.resolve(undefined),
    from: () => name,
  };
}

async function download(api: DsrApi, url: string, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const begin = (): void => {
    chunks.length = 0;
    size = 0;
  };
  const write = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > MAX_BYTES) throw unusable(url, `is larger than ${sizeText(MAX_BYTES)}`);
    chunks.push(chunk);
  };
  try {
    await api.certificate(url, { begin, write }, signal);
  } catch (error) {
    throw named(error, `Cannot fetch the processor's certificate from ${url}`, signal);
  }
  const pem = Buffer.concat(chunks).toString('utf8');
  if (!parseCertificates(pem)) throw unusable(url, 'is not a PEM certificate');
  return pem;
}

/** Adds `what` to the error of a request. Keeps the code and exit code, which show whether a retry may succeed. */
function named(error: unknown, what: string, signal: AbortSignal): unknown {
  if (!(error instanceof KnownError) || error.request === undefined || signal.aborted) return error;
  return error.with({ message: `${what}. ${error.message}` });
}

function unusable(url: string, what: string): KnownError {
  return fail('dsr.certificate', {
    message: `The processor's certificate at ${url} ${what}.`,
    hint: {
      text: 'Pass the certificate with --certificate, or its authority with --ca-file. To see what discovery finds:',
      command: 'cdpadm dsr discovery',
    },
  });
}
