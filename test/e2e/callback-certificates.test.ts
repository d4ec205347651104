// Checks a callback's certificate: valid certificates are accepted, and forged or otherwise invalid ones are rejected.
import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkCertificate, indexRoots, parseCertificates } from '../../src/lib/domain/callbacks/certificate.ts';
import type { HeaderLines } from '../../src/lib/domain/callbacks/verify.ts';
import { createMessageVerifier, type VerifyPorts } from '../../src/lib/workflows/verify-message.ts';
import { createTestClock } from '../helpers/clock.ts';
import { AUTHORITY, type Forge, type Forged, openForge, type Wanted } from '../helpers/forge.ts';
import { newKey } from '../helpers/keys.ts';

const DOMAIN = 'opendsr.platform.example';
const SAN = `subjectAltName=DNS:${DOMAIN}`;
// The tests' time is an hour ahead, because certificates are not valid before they are created.
const NOW = Date.now() + 3_600_000;
const DAY = 86_400_000;
const PSS = ['rsa_padding_mode:pss'];

let forge: Forge;
let root: Forged;
/** A root with the same name as `root` but a different key. */
let other: Forged;
beforeAll(() => {
  forge = openForge();
  root = forge.issue({ subject: '/CN=Root', key: newKey('ec'), extensions: AUTHORITY });
  other = forge.issue({ subject: '/CN=Root', key: newKey('ec'), extensions: AUTHORITY });
});
afterAll(() => forge.close());

const trust = () => indexRoots([new X509Certificate(root.pem)]);
const issue = (wanted: Partial<Wanted>): Forged =>
  forge.issue({ subject: '/CN=processor', by: root, extensions: [SAN], ...wanted });
const authority = (wanted: Partial<Wanted>): Forged =>
  issue({ subject: '/CN=Middle', key: newKey('ec'), extensions: AUTHORITY, ...wanted });
/** Issues a root with this key, so that tests can use any type of key. */
const anchor = (key: string, digest: string | undefined = 'sha256'): Forged =>
  forge.issue({ subject: '/CN=Anchor', key, digest, extensions: AUTHORITY });
const rsa = (): Forged => forge.issue({ subject: '/CN=Anchor', extensions: AUTHORITY });
const NOT_TRUSTED = 'was signed by an untrusted authority';
const verdict = (pem: string, now = NOW, domain = DOMAIN) => checkCertificate(pem, domain, trust(), now);

describe('a valid certificate', () => {
  it.each<[string, () => string]>([
    ['signed by the root', () => issue({}).pem],
    ['valid for several names', () => issue({ extensions: [`subjectAltName=DNS:a.example,DNS:${DOMAIN}`] }).pem],
    ['valid for its common name, without other names', () => issue({ subject: `/CN=${DOMAIN}`, extensions: [] }).pem],
    [
      'restricted to servers',
      () => issue({ extensions: [SAN, 'extendedKeyUsage=serverAuth', 'keyUsage=digitalSignature'] }).pem,
    ],
    [
      'signed by an intermediate authority',
      () => {
        const middle = authority({});
        return issue({ by: middle }).pem + middle.pem;
      },
    ],
    [
      'signed by an authority that may sign only for the parent domain',
      () => {
        const middle = authority({
          extensions: [...AUTHORITY, 'nameConstraints=critical,permitted;DNS:platform.example'],
        });
        return issue({ by: middle }).pem + middle.pem;
      },
    ],
  ])('is accepted if it is %s', (_what, pem) => {
    expect(verdict(pem())).toHaveProperty('key');
  });

  it.each<[string, () => Forged, Partial<Wanted>?]>([
    ['RSA', () => anchor(newKey('rsa'))],
    ['RSA with SHA-384', () => rsa(), { digest: 'sha384' }],
    ['RSA with SHA-512', () => rsa(), { digest: 'sha512' }],
    ['RSA-PSS with SHA-256', () => rsa(), { options: PSS }],
    ['RSA-PSS with SHA-384', () => rsa(), { options: PSS, digest: 'sha384' }],
    ['RSA-PSS with SHA-512', () => rsa(), { options: PSS, digest: 'sha512' }],
    ['ECDSA with SHA-384', () => root, { digest: 'sha384' }],
    ['ECDSA with SHA-512', () => root, { digest: 'sha512' }],
    ['Ed25519', () => anchor(newKey('ed25519'), undefined), { digest: undefined }],
    ['Ed448', () => anchor(newKey('ed448'), undefined), { digest: undefined }],
  ])('is accepted if its signature algorithm is %s', (_what, by, wanted) => {
    const above = by();
    const roots = indexRoots([new X509Certificate(above.pem)]);
    expect(checkCertificate(issue({ by: above, ...wanted }).pem, DOMAIN, roots, NOW)).toHaveProperty('key');
  });

  it("is reported with its own key and expiry date, not its authority's", () => {
    const middle = authority({});
    const own = issue({ by: middle, days: 10 });
    const { publicKey, validTo } = new X509Certificate(own.pem);
    const found = verdict(own.pem + middle.pem) as { key: typeof publicKey; validTo: number };
    expect(found.key.equals(publicKey)).toBe(true);
    expect(found.validTo).toBe(Date.parse(validTo));
  });

  it('is accepted from the first to the last second of its validity', () => {
    const { pem } = issue({ days: 10 });
    const { validFrom, validTo } = new X509Certificate(pem);
    const [first, last] = [Date.parse(validFrom), Date.parse(validTo)];
    // The root became valid in the same second or earlier.
    expect(verdict(pem, first)).toHaveProperty('key');
    expect(verdict(pem, last)).toHaveProperty('key');
    expect(verdict(pem, first - 1)).toHaveProperty('issue', `is not valid until ${validFrom}`);
    expect(verdict(pem, last + 1)).toHaveProperty('issue', `expired on ${validTo}`);
  });

  it('is accepted with its authorities in any order, even mixed with unrelated ones', () => {
    const upper = authority({ subject: '/CN=Upper' });
    const lower = authority({ subject: '/CN=Lower', by: upper });
    const stranger = forge.issue({ subject: '/CN=Stranger', extensions: AUTHORITY });
    const { pem } = issue({ by: lower });
    for (const between of [
      [lower, upper],
      [upper, lower],
      [stranger, upper, stranger, lower],
    ]) {
      expect(verdict(pem + between.map((one) => one.pem).join(''))).toHaveProperty('key');
    }
  });

  it('is accepted if any of several roots with the same name signed it', () => {
    const [one, two] = [root, other].map(({ pem }) => new X509Certificate(pem)) as [X509Certificate, X509Certificate];
    const roots = [indexRoots([one, two]), indexRoots([two, one])];
    for (const of of roots) {
      expect(checkCertificate(issue({}).pem, DOMAIN, of, NOW)).toHaveProperty('key');
      expect(checkCertificate(issue({ by: other }).pem, DOMAIN, of, NOW)).toHaveProperty('key');
    }
  });

  it('is accepted with up to five authorities below the root', () => {
    const chain = [root];
    for (let number = 1; number <= 6; number++) {
      chain.push(authority({ subject: `/CN=Number ${number}`, by: chain.at(-1) as Forged }));
    }
    const below = (count: number): string =>
      issue({ by: chain[count] as Forged }).pem +
      chain
        .slice(1, count + 1)
        .map(({ pem }) => pem)
        .join('');
    expect(verdict(below(5))).toHaveProperty('key');
    expect(verdict(below(6))).toHaveProperty('issue', NOT_TRUSTED);
  });

  it('is accepted if it is itself the trusted certificate', () => {
    const own = forge.issue({ subject: '/CN=pinned', extensions: [SAN] });
    const roots = indexRoots([new X509Certificate(own.pem)]);
    expect(checkCertificate(own.pem, DOMAIN, roots, NOW)).toHaveProperty('key');
  });
});

describe('an invalid certificate', () => {
  it.each<[string, () => string, RegExp]>([
    ['is self-signed', () => forge.issue({ subject: '/CN=x', extensions: [SAN] }).pem, /untrusted authority/],
    ['is from an untrusted authority with the same name', () => issue({ by: other }).pem, /untrusted authority/],
    ['includes its own untrusted root', () => issue({ by: other }).pem + other.pem, /untrusted authority/],
    [
      'is for a different domain',
      () => issue({ extensions: ['subjectAltName=DNS:opendsr.evil.example'] }).pem,
      /not valid for/,
    ],
    [
      'is for the parent domain',
      () => issue({ extensions: ['subjectAltName=DNS:platform.example'] }).pem,
      /not valid for/,
    ],
    [
      'is a wildcard for the parent domain',
      () => issue({ extensions: ['subjectAltName=DNS:*.platform.example'] }).pem,
      /not valid for/,
    ],
    [
      'has the domain only as common name, and other names',
      () => issue({ subject: `/CN=${DOMAIN}`, extensions: ['subjectAltName=DNS:a.example'] }).pem,
      /not valid for/,
    ],
    [
      'has the domain only as common name, and an IP address',
      () => issue({ subject: `/CN=${DOMAIN}`, extensions: ['subjectAltName=IP:127.0.0.1'] }).pem,
      /not valid for/,
    ],
    [
      'has the domain in an email address',
      () => issue({ extensions: [`subjectAltName=email:a@${DOMAIN}`] }).pem,
      /not valid for/,
    ],
    [
      'has the domain in a URL',
      () => issue({ extensions: [`subjectAltName=URI:https://${DOMAIN}/`] }).pem,
      /not valid for/,
    ],
    [
      'is a partial wildcard',
      () => issue({ extensions: ['subjectAltName=DNS:open*.platform.example'] }).pem,
      /not valid for/,
    ],
    ['has an EC key', () => issue({ key: newKey('ec') }).pem, /not an RSA key/],
    ['has an RSA-PSS key', () => issue({ key: newKey('rsa-pss') }).pem, /not an RSA key/],
    ['has a short key', () => issue({ key: newKey('weak') }).pem, /2048/],
    ['was signed with SHA-1', () => issue({ digest: 'sha1' }).pem, /no longer secure/],
    ...['sha1', 'sha224'].map((digest): [string, () => string, RegExp] => [
      `was signed with RSA-PSS and ${digest}`,
      () => {
        const middle = authority({ key: newKey('rsa') });
        return issue({ by: middle, options: PSS, digest }).pem + middle.pem;
      },
      /no longer secure/,
    ]),
    [
      'is restricted to clients',
      () => issue({ extensions: [SAN, 'extendedKeyUsage=clientAuth'] }).pem,
      /does not allow server authentication/,
    ],
    [
      'has no key usage for signatures',
      () => issue({ extensions: [SAN, 'keyUsage=keyEncipherment'] }).pem,
      /does not allow digital signatures/,
    ],
    [
      'has an unknown critical extension',
      () => issue({ extensions: [SAN, '1.2.3.4=critical,DER:0500'] }).pem,
      /critical/,
    ],
    [
      'is from an issuer that is not an authority',
      () => {
        const middle = authority({ extensions: ['basicConstraints=CA:FALSE'] });
        return issue({ by: middle }).pem + middle.pem;
      },
      /is not a certificate authority$/,
    ],
    [
      'is from an issuer without basic constraints',
      () => {
        const middle = authority({ extensions: [SAN] });
        return issue({ by: middle }).pem + middle.pem;
      },
      /is not a certificate authority$/,
    ],
    [
      'is from an authority that is not allowed to sign certificates',
      () => {
        const middle = authority({ extensions: ['basicConstraints=critical,CA:TRUE', 'keyUsage=digitalSignature'] });
        return issue({ by: middle }).pem + middle.pem;
      },
      /an untrusted authority$/,
    ],
    [
      'exceeds the path length of an authority',
      () => {
        const upper = authority({
          subject: '/CN=Upper',
          extensions: ['basicConstraints=critical,CA:TRUE,pathlen:0', 'keyUsage=keyCertSign'],
        });
        const lower = authority({ subject: '/CN=Lower', by: upper });
        return issue({ by: lower }).pem + lower.pem + upper.pem;
      },
      /sign a chain of this length/,
    ],
    [
      'is from an authority for other domains',
      () => {
        const middle = authority({
          extensions: [...AUTHORITY, 'nameConstraints=critical,permitted;DNS:other.example'],
        });
        return issue({ by: middle }).pem + middle.pem;
      },
      /is not allowed to sign for/,
    ],
    [
      'is from an authority that excludes the domain',
      () => {
        const middle = authority({
          extensions: [...AUTHORITY, 'nameConstraints=critical,excluded;DNS:platform.example'],
        });
        return issue({ by: middle }).pem + middle.pem;
      },
      /is not allowed to sign for/,
    ],
    ['comes without its intermediate authority', () => issue({ by: authority({}) }).pem, /untrusted authority/],
    ['is not a certificate', () => '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', /PEM/],
    ['is a key', () => newKey('rsa'), /PEM/],
    ['is empty', () => '', /PEM/],
    ['comes with too many certificates', () => issue({}).pem.repeat(11), /PEM/],
  ])('is rejected if it %s', (_what, pem, why) => {
    const found = verdict(pem());
    expect(found).not.toHaveProperty('key');
    expect((found as { issue: string }).issue).toMatch(why);
  });

  it('is rejected before and after its validity period', () => {
    const { pem } = issue({ days: 10 });
    expect(verdict(pem, NOW - DAY)).toHaveProperty('issue', expect.stringContaining('not valid until'));
    expect(verdict(pem, NOW + 11 * DAY)).toHaveProperty('issue', expect.stringContaining('expired'));
  });

  it.each<[string, Partial<Wanted>, RegExp]>([
    ['has expired', { days: 5 }, /^expired on /],
    [
      'has an unknown critical extension',
      { extensions: [...AUTHORITY, '1.2.3.4=critical,DER:0500'] },
      /^has an unknown critical extension$/,
    ],
    [
      'does not permit the domain',
      { extensions: [...AUTHORITY, 'nameConstraints=permitted;DNS:a.example'] },
      /^is not allowed to sign/,
    ],
  ])('is rejected with an error that names the authority if the authority %s', (_what, wanted, why) => {
    const middle = authority({ subject: '/O=Some/CN=Middle', ...wanted });
    const { issue: found } = verdict(issue({ by: middle }).pem + middle.pem, NOW + 6 * DAY) as { issue: string };
    const beginning = 'was signed by an authority (O=Some, CN=Middle) that ';
    expect(found.slice(0, beginning.length)).toBe(beginning);
    expect(found.slice(beginning.length)).toMatch(why);
  });

  it('is rejected if its authorities sign only each other', () => {
    const [a, b] = [newKey('ec'), newKey('ec')];
    const first = forge.issue({ subject: '/CN=A', key: a, extensions: AUTHORITY });
    const second = forge.issue({ subject: '/CN=B', key: b, by: first, extensions: AUTHORITY });
    const again = forge.issue({ subject: '/CN=A', key: a, by: second, extensions: AUTHORITY });
    expect(verdict(issue({ by: again }).pem + again.pem + second.pem)).toHaveProperty('issue', NOT_TRUSTED);
  });

  it('is rejected if an authority has an unsafe signature', () => {
    const middle = authority({ digest: 'sha1' });
    const { pem } = issue({ by: middle });
    expect(verdict(pem + middle.pem)).toHaveProperty('issue', 'has a signature algorithm that is no longer secure');
  });

  it('is rejected if it is damaged in a part that only our parser reads', () => {
    const { pem } = issue({ extensions: [SAN, '1.2.3.4=DER:0500', '1.2.3.5=DER:0500'] });
    const bytes = Buffer.from(new X509Certificate(pem).raw);
    // Two extensions with the same id: other parsers may use the second.
    bytes[bytes.indexOf(Buffer.from('06032a0305', 'hex')) + 4] = 0x04;
    const damaged = `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64')}\n-----END CERTIFICATE-----\n`;
    expect(verdict(damaged)).toEqual({ issue: 'is damaged: an extension appears twice' });
  });
});

describe('a message verifier', () => {
  const clock = createTestClock(NOW);
  const HEADERS: HeaderLines = [['X-OpenDSR-Processor-Domain', DOMAIN]];
  const create = (pem: string, storeChain: VerifyPorts['storeChain'] = () => Promise.resolve(true)) => {
    const certificate = { url: `https://${DOMAIN}/cert.pem`, pem, cached: false };
    return createMessageVerifier({
      allow: [DOMAIN],
      certificates: {
        from: () => certificate.url,
        get: () => Promise.resolve(certificate),
        refresh: () => Promise.resolve(certificate),
      },
      roots: () => Promise.resolve(trust()),
      storeChain,
      clock,
    });
  };

  it('retries storing a certificate chain as evidence until it succeeds', async () => {
    const isStored = [false, false, true];
    const stored: string[] = [];
    const verify = create(issue({}).pem, (fingerprint) =>
      Promise.resolve(isStored[stored.push(fingerprint) - 1] === true),
    );
    for (let message = 0; message < 5; message++) {
      const { checks } = await verify(HEADERS, Buffer.from('{}'));
      expect(checks[2]).toMatchObject({ name: 'certificate', ok: true });
    }
    expect(stored).toHaveLength(3);
  });

  it('rejects a certificate that expires after its first message', async () => {
    const verify = create(issue({ days: 10 }).pem);
    expect((await verify(HEADERS, Buffer.from('{}'))).checks[2]).toMatchObject({ ok: true });
    clock.advance(11 * DAY);
    const detail = expect.stringContaining('expired') as unknown;
    expect((await verify(HEADERS, Buffer.from('{}'))).checks[2]).toMatchObject({ ok: false, detail });
  });
});

describe('a PEM string', () => {
  it('is accepted with one to ten certificates and with text before them', () => {
    const { pem } = issue({});
    const { raw } = new X509Certificate(pem);
    const count = (text: string): number | undefined => parseCertificates(text)?.length;
    expect(parseCertificates(`subject=x\n${pem}`)?.map((one) => one.raw.equals(raw))).toEqual([true]);
    expect([count(pem), count(pem.repeat(10)), count(pem.repeat(11)), count('')]).toEqual([
      1,
      10,
      undefined,
      undefined,
    ]);
    // One damaged certificate makes the whole PEM string invalid.
    expect(count(`${pem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`)).toBeUndefined();
  });
});
