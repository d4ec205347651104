// A stored certificate of the processor is used only while it is valid.
import { expect, it } from 'vitest';
import type { DsrApi } from '../../../../src/lib/api/dsr.ts';
import { createCertificateSource } from '../../../../src/lib/workflows/processor-certificate.ts';
import { makeCertificate } from '../../../helpers/certificate.ts';
import { createTestClock } from '../../../helpers/clock.ts';

const URL = 'https://opendsr.platform.example/cert.pem';
const NOW = Date.now();

it.each([
  ['uses a stored certificate while it is valid', NOW + 60_000, true],
  ['fetches a new certificate once the stored one has expired', NOW - 60_000, false],
])('%s', async (_what, until, cached) => {
  const stored = makeCertificate({ from: NOW - 3_600_000, until }).cert;
  const served = makeCertificate().cert;
  const written: string[] = [];
  const api = {
    discovery: () => Promise.resolve({ processor_certificate: URL }),
    describeDiscovery: () => ({ url: URL }),
    certificate: (_url: string, sink: { begin(): void; write(chunk: Buffer): void }) => {
      sink.begin();
      sink.write(Buffer.from(served));
      return Promise.resolve();
    },
  } as unknown as DsrApi;
  const cache = {
    read: () => ({ url: URL, pem: stored }),
    write: ({ pem }: { pem: string }) => void written.push(pem),
  };
  const { signal } = new AbortController();
  const source = createCertificateSource({ api, cache, clock: createTestClock(NOW), signal });
  expect(await source.get()).toEqual({ url: URL, pem: cached ? stored : served, cached });
  expect(written).toEqual(cached ? [] : [served]);
});
