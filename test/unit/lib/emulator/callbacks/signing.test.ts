// The local authority's certificates: node:crypto accepts them, and platforms that start together share them.
import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openSigning } from '../../../../../src/lib/emulator/platform/signing.ts';
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts';

const DOMAIN = 'opendsr.platform.example';

/** Returns the certificates in a chain, leaf first. */
function chainOf(pem: string): [leaf: X509Certificate, authority: X509Certificate] {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----\n/g) ?? [];
  expect(texts).toHaveLength(2);
  const [leaf, authority] = texts.map((text) => new X509Certificate(text));
  if (!leaf || !authority) throw new Error('no chain');
  return [leaf, authority];
}

describe('certificates', () => {
  it('name the processor domain and chain up to the authority', async () => {
    const signing = await openSigning(temporaryFolder());
    const [leaf, authority] = chainOf((await signing.signer(DOMAIN)).chain);
    expect(leaf).toMatchObject({ subject: `CN=${DOMAIN}`, subjectAltName: `DNS:${DOMAIN}`, ca: false });
    expect(leaf.checkHost(DOMAIN)).toBe(DOMAIN);
    expect(leaf.checkHost('other.example')).toBeUndefined();
    expect(leaf.publicKey.asymmetricKeyType).toBe('rsa');
    expect(leaf.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect([leaf.checkIssued(authority), leaf.verify(authority.publicKey)]).toEqual([true, true]);
    expect([authority.ca, authority.verify(authority.publicKey)]).toEqual([true, true]);
    expect(leaf.serialNumber).not.toBe(authority.serialNumber);
    expect(readFileSync(signing.caFile, 'utf8')).toBe(authority.toString());
  });

  it('verify a signature only for exactly the signed bytes', async () => {
    const signer = await (await openSigning(undefined)).signer(DOMAIN);
    const key = createPublicKey(chainOf(signer.chain)[0].publicKey.export({ type: 'spki', format: 'pem' }));
    const body = '{"name":"Zoë 🦊"}';
    const signature = Buffer.from(await signer.sign(body), 'base64');
    expect(await signer.sign(body)).toBe(signature.toString('base64'));
    expect(verify('sha256', Buffer.from(body), key, signature)).toBe(true);
    expect(verify('sha256', Buffer.from(`${body} `), key, signature)).toBe(false);
  });
});

describe('the certificate folder', () => {
  it('is the only folder that gets files, because a domain name that contains a path is rejected', async () => {
    const folder = join(temporaryFolder(), 'own', 'deep');
    const signing = await openSigning(folder);
    await expect(signing.signer('opendsr.x/../../evil')).rejects.toThrow('cannot be used in a certificate');
    expect(readdirSync(join(folder, '..', '..'))).toEqual(['own']);
  });

  it('contains one authority for all platforms and one certificate for each domain', async () => {
    const folder = join(temporaryFolder(), 'new');
    const [first, again] = [await openSigning(folder), await openSigning(folder)];
    const ca = readFileSync(first.caFile, 'utf8');
    const chains = [
      (await first.signer(DOMAIN)).chain,
      (await again.signer(DOMAIN)).chain,
      (await again.signer('other.example')).chain,
    ];
    expect(chains[0]).toBe(chains[1]);
    expect(chains[2]).not.toBe(chains[0]);
    for (const chain of chains) expect(chain.endsWith(ca)).toBe(true);
    expect(chainOf(chains[2] ?? '')[0].subjectAltName).toBe('DNS:other.example');
  });

  it('contains one authority and one certificate, even if several platforms start simultaneously', async () => {
    const folder = temporaryFolder();
    const all = await Promise.all(Array.from({ length: 5 }, () => openSigning(folder)));
    const chains = await Promise.all(all.map(async (signing) => (await signing.signer(DOMAIN)).chain));
    expect(new Set(chains).size).toBe(1);
  });

  it('contains only private files', async () => {
    const folder = temporaryFolder();
    const signing = await openSigning(folder);
    await signing.signer(DOMAIN);
    for (const name of ['ca.key', 'ca.pem', `${DOMAIN}.pem`]) {
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
    }
  });

  let authorityFolders: Promise<string[]> | undefined;
  /** Returns the folders of two authorities for the domain. Tests share them, because creating keys is slow. */
  const authorities = async (): Promise<[own: string, other: string]> => {
    authorityFolders ??= Promise.all(
      [1, 2].map(async () => {
        const folder = mkdtempSync(join(tmpdir(), 'cdpadm-test-'));
        await (await openSigning(folder)).signer(DOMAIN);
        return folder;
      }),
    );
    const [own = '', other = ''] = await authorityFolders;
    return [own, other];
  };
  afterAll(async () => {
    for (const folder of (await authorityFolders) ?? []) rmSync(folder, { recursive: true });
  });

  it.each([
    ['ca.pem', 'rubbish', 'rubbish', 'all'],
    ['ca.key', 'nothing', '', 'all'],
    [
      `${DOMAIN}.pem`,
      'an invalid certificate',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      'leaf',
    ],
    [`${DOMAIN}.pem`, "another authority's certificate", undefined, 'leaf'],
  ])('gets new files if %s contains %s', async (name, _what, content, renewed) => {
    const folder = temporaryFolder();
    const [own, other] = await authorities();
    cpSync(own, folder, { recursive: true });
    const [leaf, ca] = chainOf((await (await openSigning(folder)).signer(DOMAIN)).chain);
    writeFileSync(join(folder, name), content ?? readFileSync(join(other, name)));
    const after = chainOf((await (await openSigning(folder)).signer(DOMAIN)).chain);
    expect(after[0].serialNumber).not.toBe(leaf.serialNumber);
    expect(after[1].serialNumber === ca.serialNumber).toBe(renewed === 'leaf');
    expect(after[0].verify(after[1].publicKey)).toBe(true);
  });

  it('is named in the error if it is unusable', async () => {
    const folder = join(temporaryFolder(), 'file');
    mkdirSync(join(folder, 'ca.key'), { recursive: true });
    await expect(openSigning(folder)).rejects.toThrow(folder);
  });
});
