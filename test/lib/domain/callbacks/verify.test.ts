// The four checks against every forgery that we could think of: none passes, and the genuine one does.
import { createSign, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkCertificate, indexRoots } from '../../../../src/lib/domain/callbacks/certificate.ts';
import { checkDomain, checkSignature, type HeaderLines } from '../../../../src/lib/domain/callbacks/verify.ts';
import { AUTHORITY, type Forge, type Forged, newKey, openForge, type Wanted } from './forge.ts';

const DOMAIN = 'opendsr.platform.example';
const SAN = `subjectAltName=DNS:${DOMAIN}`;
// Certificates begin the moment they are made.
const NOW = Date.now() + 3_600_000;
const DAY = 86_400_000;

let forge: Forge;
let root: Forged;
let other: Forged;
beforeAll(() => {
  forge = openForge();
  root = forge.issue({ subject: '/CN=Root', key: newKey('rsa'), extensions: AUTHORITY });
  // Of the same name, with another key.
  other = forge.issue({ subject: '/CN=Root', key: newKey('rsa'), extensions: AUTHORITY });
});
afterAll(() => forge.close());

const trust = (now = NOW) => ({ roots: indexRoots([new X509Certificate(root.pem)]), now });
const issue = (wanted: Partial<Wanted>): Forged =>
  forge.issue({ subject: '/CN=processor', by: root, extensions: [SAN], ...wanted });
const authority = (wanted: Partial<Wanted>): Forged =>
  issue({ subject: '/CN=Middle', key: newKey('rsa'), extensions: AUTHORITY, ...wanted });
const verdict = (pem: string, now?: number, domain = DOMAIN) => checkCertificate(pem, domain, trust(now));

describe('a certificate that holds', () => {
  it.each<[string, () => string]>([
    ['signed by the root', () => issue({}).pem],
    ['for several names', () => issue({ extensions: [`subjectAltName=DNS:a.example,DNS:${DOMAIN}`] }).pem],
    ['by its common name, without other names', () => issue({ subject: `/CN=${DOMAIN}`, extensions: [] }).pem],
    ['for servers', () => issue({ extensions: [SAN, 'extendedKeyUsage=serverAuth', 'keyUsage=digitalSignature'] }).pem],
    [
      'signed by an authority between',
      () => {
        const middle = authority({});
        return issue({ by: middle }).pem + middle.pem;
      },
    ],
    [
      'signed by one that is limited to its domain',
      () => {
        const middle = authority({
          extensions: [...AUTHORITY, 'nameConstraints=critical,permitted;DNS:platform.example'],
        });
        return issue({ by: middle }).pem + middle.pem;
      },
    ],
  ])('%s', (_what, pem) => {
    expect(verdict(pem())).toHaveProperty('key');
  });

  it('is the trusted one itself', () => {
    const own = forge.issue({ subject: '/CN=pinned', extensions: [SAN] });
    const roots = indexRoots([new X509Certificate(own.pem)]);
    expect(checkCertificate(own.pem, DOMAIN, { roots, now: NOW })).toHaveProperty('key');
  });
});

describe('a certificate that does not hold', () => {
  it.each<[string, () => string, RegExp]>([
    ['signs itself', () => forge.issue({ subject: '/CN=x', extensions: [SAN] }).pem, /not trusted/],
    ['is from an authority of the same name', () => issue({ by: other }).pem, /not trusted/],
    ['brings its own root along', () => issue({ by: other }).pem + other.pem, /not trusted/],
    ['is for another domain', () => issue({ extensions: ['subjectAltName=DNS:opendsr.evil.example'] }).pem, /not for/],
    ['is for the parent domain', () => issue({ extensions: ['subjectAltName=DNS:platform.example'] }).pem, /not for/],
    ['is for every name below', () => issue({ extensions: ['subjectAltName=DNS:*.platform.example'] }).pem, /not for/],
    [
      'has the domain as common name only, besides other names',
      () => issue({ subject: `/CN=${DOMAIN}`, extensions: ['subjectAltName=DNS:a.example'] }).pem,
      /not for/,
    ],
    [
      'has the domain as common name only, besides an address',
      () => issue({ subject: `/CN=${DOMAIN}`, extensions: ['subjectAltName=IP:127.0.0.1'] }).pem,
      /not for/,
    ],
    ['has the domain as a mail name', () => issue({ extensions: [`subjectAltName=email:a@${DOMAIN}`] }).pem, /not for/],
    [
      'has the domain as an address of the web',
      () => issue({ extensions: [`subjectAltName=URI:https://${DOMAIN}/`] }).pem,
      /not for/,
    ],
    ['has a key on a curve', () => issue({ key: newKey('ec') }).pem, /RSA/],
    ['has a short key', () => issue({ key: newKey('weak') }).pem, /2048/],
    ['was signed by SHA-1', () => issue({ digest: 'sha1' }).pem, /no longer safe/],
    ['is for clients', () => issue({ extensions: [SAN, 'extendedKeyUsage=clientAuth'] }).pem, /another purpose/],
    ['may not sign', () => issue({ extensions: [SAN, 'keyUsage=keyEncipherment'] }).pem, /not meant for signatures/],
    ['makes an unknown condition', () => issue({ extensions: [SAN, '1.2.3.4=critical,DER:0500'] }).pem, /critical/],
    [
      'is from one that is no authority',
      () => {
        const middle = authority({ extensions: ['basicConstraints=CA:FALSE'] });
        return issue({ by: middle }).pem + middle.pem;
      },
      /authority|not trusted/,
    ],
    [
      'is from one that says nothing of being an authority',
      () => {
        const middle = authority({ extensions: [SAN] });
        return issue({ by: middle }).pem + middle.pem;
      },
      /authority|not trusted/,
    ],
    [
      'is from an authority that may not sign certificates',
      () => {
        const middle = authority({ extensions: ['basicConstraints=critical,CA:TRUE', 'keyUsage=digitalSignature'] });
        return issue({ by: middle }).pem + middle.pem;
      },
      /authority|not trusted/,
    ],
    [
      'is below too many authorities',
      () => {
        const upper = authority({
          subject: '/CN=Upper',
          extensions: ['basicConstraints=critical,CA:TRUE,pathlen:0', 'keyUsage=keyCertSign'],
        });
        const lower = authority({ subject: '/CN=Lower', by: upper });
        return issue({ by: lower }).pem + lower.pem + upper.pem;
      },
      /above so many/,
    ],
    [
      'is from an authority for other domains',
      () => {
        const middle = authority({
          extensions: [...AUTHORITY, 'nameConstraints=critical,permitted;DNS:other.example'],
        });
        return issue({ by: middle }).pem + middle.pem;
      },
      /vouch/,
    ],
    [
      'is from an authority that excludes the domain',
      () => {
        const middle = authority({
          extensions: [...AUTHORITY, 'nameConstraints=critical,excluded;DNS:platform.example'],
        });
        return issue({ by: middle }).pem + middle.pem;
      },
      /vouch/,
    ],
    ['lacks the authority between', () => issue({ by: authority({}) }).pem, /not trusted/],
    ['is no certificate', () => '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', /PEM/],
    ['is a key', () => newKey('rsa'), /PEM/],
    ['is nothing', () => '', /PEM/],
    ['is one of too many', () => issue({}).pem.repeat(11), /PEM/],
  ])('%s', (_what, pem, why) => {
    const found = verdict(pem());
    expect(found).not.toHaveProperty('key');
    expect((found as { issue: string }).issue).toMatch(why);
  });

  it('is not yet, or no longer, in force', () => {
    const { pem } = issue({ days: 10 });
    expect(verdict(pem, NOW - DAY)).toHaveProperty('issue', expect.stringContaining('valid only from'));
    expect(verdict(pem, NOW + 11 * DAY)).toHaveProperty('issue', expect.stringContaining('expired'));
    const middle = authority({ days: 5 });
    expect(verdict(issue({ by: middle }).pem + middle.pem, NOW + 6 * DAY)).toHaveProperty('issue');
  });
});

describe('the header of the domain', () => {
  const lines = (...values: string[]): HeaderLines => values.map((value) => ['X-OpenDSR-Processor-Domain', value]);
  it.each<[HeaderLines, boolean]>([
    [lines(DOMAIN), true],
    [lines(` ${DOMAIN.toUpperCase()} `), true],
    [lines(), false],
    [lines(''), false],
    [lines(DOMAIN, DOMAIN), false],
    [lines(DOMAIN, 'evil.example'), false],
    [lines(`${DOMAIN}, evil.example`), false],
    [lines(`${DOMAIN}.`), false],
    [lines(`${DOMAIN}.evil.example`), false],
    [lines(`evil.example/${DOMAIN}`), false],
    [lines(`${DOMAIN}\u0000.evil.example`), false],
    [lines('*.platform.example'), false],
    [lines(`ｏpendsr.platform.example`), false],
  ])('%j', (headers, ok) => {
    expect(checkDomain(headers, [DOMAIN]).ok).toBe(ok);
  });
});

describe('the signature', () => {
  const body = Buffer.from('{"request_status":"completed"}');
  const signed = (bytes: Buffer, algorithm = 'sha256', key = root.key): string =>
    createSign(algorithm).update(bytes).sign(key, 'base64');
  const check = (values: string[], over: Buffer = body) => {
    const key = new X509Certificate(root.pem).publicKey;
    return checkSignature(
      values.map((value) => ['x-opendsr-signature', value]),
      over,
      key,
    ).ok;
  };

  it('holds over the very bytes', () => {
    expect(check([signed(body)])).toBe(true);
  });

  it.each<[string, () => string[], Buffer?]>([
    ['is missing', () => []],
    ['is empty', () => ['']],
    ['stands twice', () => [signed(body), signed(body)]],
    ['is of another key', () => [signed(body, 'sha256', other.key)]],
    ['is by SHA-1', () => [signed(body, 'sha1')]],
    ['is of other bytes', () => [signed(Buffer.from('{}'))]],
    ['is of the same JSON with other spaces', () => [signed(body)], Buffer.from('{"request_status": "completed"}')],
    ['is of the body and a line feed', () => [signed(body)], Buffer.concat([body, Buffer.from('\n')])],
    ['has a character of another alphabet', () => [signed(body).replace(/.$/, '-')]],
    ['has spaces within', () => [`${signed(body).slice(0, 8)} ${signed(body).slice(8)}`]],
    ['has text behind it', () => [`${signed(body)}====`]],
    ['is hex', () => [Buffer.from(signed(body), 'base64').toString('hex')]],
    ['is cut short', () => [signed(body).slice(0, 200)]],
  ])('does not when it %s', (_what, values, over) => {
    expect(check(values(), over)).toBe(false);
  });
});
