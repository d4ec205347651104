// Verifies a signed message from the processor, with a new certificate if the stored one fails.
import { hash } from 'node:crypto';
import { type CertificateCheck, checkCertificate, type TrustedRoots } from '../domain/callbacks/certificate.ts';
import {
  type Check,
  checkDomain,
  checkSignature,
  type HeaderLines,
  type SignatureFacts,
  type Verdict,
  verdictOf,
} from '../domain/callbacks/verify.ts';
import { fail } from '../errors/fail.ts';
import { type Clock, withTimeLimit } from '../kernel/clock.ts';
import { KnownError } from '../kernel/errors.ts';
import { formatDuration } from '../kernel/timestamps.ts';
import type { CertificateSource, ProcessorCertificate } from './processor-certificate.ts';

export interface VerifyPorts {
  /** Processor domains that may sign. If undefined, any domain that the certificate names may sign. */
  allow: readonly string[] | undefined;
  certificates: CertificateSource;
  roots(): Promise<TrustedRoots>;
  /** Stores the chain of an accepted certificate as evidence. If it resolves to false, the next message tries again. */
  storeChain?(fingerprint: string, pem: string): Promise<boolean>;
  clock: Clock;
  /** Maximum time (ms) that a message waits for a certificate. By default, it waits until the requests time out. */
  patienceMs?: number | undefined;
}

export interface VerifiedMessage extends Verdict {
  /** Absent if the message could not be checked. */
  signature?: SignatureFacts;
  /** Why the certificate was unavailable. The message is then neither valid nor invalid. */
  unreachable?: KnownError;
}

/** Checks one message. Never throws for an invalid message. Sets `unreachable` if the message cannot be checked. */
export type MessageVerifier = (headers: HeaderLines, body: Buffer) => Promise<VerifiedMessage>;

/** How long a valid chain is trusted before it is checked again. */
const TRUST_MS = 60_000;

export function createMessageVerifier(ports: VerifyPorts): MessageVerifier {
  let last: { of: string; found: CertificateCheck; at: number; isStored: boolean } | undefined;

  async function trusted(pem: string, domain: string): Promise<CertificateCheck> {
    const of = `${domain}\n${pem}`;
    const now = ports.clock.now();
    const isTrusted = last?.of === of && now >= last.at && now - last.at < TRUST_MS;
    const check = async () => checkCertificate(pem, domain, await ports.roots(), now);
    const checked = isTrusted && last ? last : { of, found: await check(), at: now, isStored: false };
    const { found } = checked;
    if ('key' in found) {
      last = checked;
      if (!checked.isStored) checked.isStored = (await ports.storeChain?.(found.fingerprint, pem)) ?? true;
    }
    return found;
  }

  return async (headers, body) => {
    const { domain, ...first } = checkDomain(headers, ports.allow);
    if (domain === undefined) return signed(verdictOf([first]), null);
    try {
      const certificate = await inTime(ports.certificates.get(), ports);
      const verdict = await judge(certificate, domain);
      if (verdict.valid || !certificate.cached) return verdict;
      // The processor may have a new certificate by now. If it is unreachable, the verdict based on the stored one counts.
      const fresh = await inTime(ports.certificates.refresh(certificate), ports).catch((error: unknown) => {
        if (!(error instanceof KnownError)) throw error;
      });
      return fresh ? await judge(fresh, domain) : verdict;
    } catch (error) {
      if (!(error instanceof KnownError)) throw error;
      const failed: Check = { name: 'certificate_fetched', ok: false, detail: error.message };
      return { ...verdictOf([first, failed]), unreachable: error };
    }

    async function judge({ cached, pem, url }: ProcessorCertificate, domain: string): Promise<VerifiedMessage> {
      const checks: Check[] = [
        first,
        { name: 'certificate_fetched', ok: true, detail: `${cached ? 'cached, ' : ''}from ${url}` },
      ];
      const found = await trusted(pem, domain);
      const name = 'certificate';
      if ('issue' in found)
        return signed(verdictOf([...checks, { name, ok: false, detail: `it ${found.issue}` }]), null);
      const until = new Date(found.validTo).toISOString();
      checks.push({ name, ok: true, detail: `for ${domain}, trusted, valid until ${until}` });
      return signed(verdictOf([...checks, checkSignature(headers, body, found.key)]), found.fingerprint);
    }

    function signed(verdict: Verdict, certificate: string | null): VerifiedMessage {
      const failed = verdict.checks.find(({ ok }) => !ok)?.name;
      const facts = { valid: verdict.valid, certificate, body_sha256: hash('sha256', body) };
      return { ...verdict, signature: { ...facts, ...(failed && { failed }) } };
    }
  };
}

/** Waits for `work` up to the time limit. The work continues, so that the next message can use the result. */
export async function inTime<T>(work: Promise<T>, { certificates, clock, patienceMs }: VerifyPorts): Promise<T> {
  if (patienceMs === undefined) return await work;
  return await withTimeLimit(work, patienceMs, clock, () => {
    throw fail('network.timeout', {
      message: `The processor's certificate did not arrive: ${certificates.from()} did not respond within ${formatDuration(patienceMs)}.`,
    });
  });
}
