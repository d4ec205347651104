// The four checks of a message signed by the processor (specification, "Events", 5), in order.
import { constants, type KeyObject, verify } from 'node:crypto';
import * as z from 'zod/mini';
import { PROCESSOR_DOMAIN_HEADER, SIGNATURE_HEADER } from '../../contract/dsr.ts';

/** Header names and values as received, one pair per line, so that duplicate headers are detected. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

export const CHECK_NAMES = ['domain', 'certificate_fetched', 'certificate', 'signature'] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

export function checkResult() {
  return z.object({ name: z.enum(CHECK_NAMES), ok: z.boolean(), detail: z.string() });
}
export type Check = z.infer<ReturnType<typeof checkResult>>;

/** Facts about a signed message that the ledger records. */
export const SignatureFacts = z.object({
  valid: z.boolean(),
  /** SHA-256 of the certificate, in hex; null if no certificate was accepted. */
  certificate: z.nullable(z.string()),
  body_sha256: z.string(),
  failed: z.exactOptional(z.enum(CHECK_NAMES)),
});
export type SignatureFacts = z.infer<typeof SignatureFacts>;

export interface Verdict {
  valid: boolean;
  checks: Check[];
}

const MAX_DOMAIN = 253;
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;

/** Runs the first check: the header's domain must be in the allow list, if there is one. Sets `domain` on success. */
export function checkDomain(headers: HeaderLines, allow: readonly string[] | undefined): Check & { domain?: string } {
  const name = 'domain';
  const value = onlyHeader(headers, PROCESSOR_DOMAIN_HEADER);
  if ('issue' in value) return { name, ok: false, detail: value.issue };
  const domain = value.text.toLowerCase();
  if (domain.length > MAX_DOMAIN || !DOMAIN.test(domain))
    return { name, ok: false, detail: 'the header does not contain a domain' };
  if (!allow) return { name, ok: true, detail: `${domain}, which must match the certificate`, domain };
  if (!allow.some((item) => item.toLowerCase() === domain))
    return { name, ok: false, detail: `${domain} is not allowed; allowed: ${allow.join(', ') || 'nothing'}` };
  return { name, ok: true, detail: `${domain} is allowed`, domain };
}

/** Runs the fourth check: verifies the signature over the raw body with the certificate's key. */
export function checkSignature(headers: HeaderLines, body: Buffer, key: KeyObject): Check {
  const name = 'signature';
  const value = onlyHeader(headers, SIGNATURE_HEADER);
  if ('issue' in value) return { name, ok: false, detail: value.issue };
  const signature = strictBase64(value.text);
  if (!signature) return { name, ok: false, detail: 'the signature is not Base64' };
  const ok = verify('sha256', body, { key, padding: constants.RSA_PKCS1_PADDING }, signature);
  return { name, ok, detail: ok ? 'valid for the body' : 'not valid for the body' };
}

/** Returns all checks in order; those after a failed check are marked as skipped. */
export function verdictOf(done: readonly Check[]): Verdict {
  const checks = CHECK_NAMES.map((name): Check => {
    const found = done.find((check) => check.name === name);
    if (found) return { name, ok: found.ok, detail: found.detail };
    return { name, ok: false, detail: 'skipped, because an earlier check failed' };
  });
  return { valid: [...done, ...checks].every(({ ok }) => ok), checks };
}

function onlyHeader(headers: HeaderLines, wanted: string): { text: string } | { issue: string } {
  const found = headers.filter(([name]) => name.toLowerCase() === wanted);
  const [only] = found;
  if (!only) return { issue: `the header ${wanted} is missing` };
  if (found.length > 1) return { issue: `the header ${wanted} occurs ${found.length} times` };
  const text = only[1].trim();
  return text === '' ? { issue: `the header ${wanted} is empty` } : { text };
}

/** Accepts only canonical Base64, because Node's decoder skips unknown characters. */
function strictBase64(text: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
