// The four checks that a receiver makes of a callback, in the specification's order ("Events", 5), for the console.
// They share no code with the client's checks, so that the console shows it when the client's are wrong.
import { verify, X509Certificate } from 'node:crypto';
import { PROCESSOR_DOMAIN_HEADER, SIGNATURE_HEADER } from '../../contract/dsr.ts';

/** A callback as it is sent. */
export interface CallbackMessage {
  body: string;
  headers: Record<string, string>;
}

export interface CallbackCheck {
  name: 'domain' | 'certificate_fetched' | 'certificate' | 'signature';
  ok: boolean;
  detail: string;
}

/** `chain` is the PEM text that the platform serves: the processor's certificate and its authority's. */
export function checkMessage({ body, headers }: CallbackMessage, chain: string, domain: string): CallbackCheck[] {
  const sender = headers[PROCESSOR_DOMAIN_HEADER] ?? '';
  const second = chain.indexOf('-----BEGIN', 1);
  const certificate = new X509Certificate(chain.slice(0, second));
  const authority = new X509Certificate(chain.slice(second));
  const isValid = certificate.verify(authority.publicKey) && certificate.checkHost(domain) !== undefined;
  const signature = Buffer.from(headers[SIGNATURE_HEADER] ?? '', 'base64');
  const isSigned = verify('sha256', Buffer.from(body, 'utf8'), certificate.publicKey, signature);
  return [
    { name: 'domain', ok: sender === domain, detail: `the header names ${sender}` },
    { name: 'certificate_fetched', ok: second > 0, detail: 'served by this platform' },
    { name: 'certificate', ok: isValid, detail: `issued for ${domain}, valid until ${certificate.validTo}` },
    { name: 'signature', ok: isSigned, detail: `${isSigned ? 'valid' : 'not valid'} for the body` },
  ];
}
