// Signs with certificates from a local authority, and stores keys and certificates in a folder (decision: D141).
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  sign,
  X509Certificate,
} from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isCertifiable } from '../../kernel/address.ts';
import { systemClock } from '../../kernel/clock.ts';
import { ensurePrivateFolder, readPrivateFile, writePrivateFile } from '../../kernel/durable.ts';
import { withLock } from '../../kernel/lock.ts';
import { issueCertificate } from './certificate.ts';

export type Signer = ReturnType<typeof signerOf>;
export type Signing = Awaited<ReturnType<typeof openSigning>>;

interface Authority {
  privateKey: KeyObject;
  /** PEM. */
  certificate: string;
}

const AUTHORITY_NAME = 'Local authority of the embedded platform';

const generate = promisify(generateKeyPair);
const signature = promisify(sign);

/**
 * Opens the authority in `folder`, or creates it there. Without a folder, the authority is in memory.
 * An authority's key uses an elliptic curve and takes only a millisecond to generate, so the file exists before its
 * path is published. `served` is the PEM certificate for https. Throws KnownError for an unusable folder.
 */
export async function openSigning(folder: string | undefined, served?: string) {
  const authority = folder === undefined ? await makeAuthority() : await openAuthority(folder);
  const signers = new Map<string, Promise<Signer>>();
  return {
    /** Path of a file with the authority's certificate and `served`; empty if the authority is in memory. */
    caFile: folder === undefined ? '' : trustFile(folder, authority, served),
    /** Returns the signer for a processor domain. Generates its RSA key on the thread pool, unless one is stored. */
    signer: (domain: string): Promise<Signer> => {
      const signer = signers.get(domain) ?? openSigner(folder, domain, authority);
      signers.set(domain, signer);
      // The caller gets the error, and the next call tries again.
      signer.catch(() => signers.delete(domain));
      return signer;
    },
  };
}

function openAuthority(folder: string): Promise<Authority> {
  ensurePrivateFolder(folder);
  const read = (): Authority | undefined => {
    const [key = '', certificate = ''] = [caKeyIn(folder), caFileIn(folder)].map(readPrivateFile);
    const privateKey = keyOf(key, certificate);
    return privateKey && { privateKey, certificate };
  };
  return readOrMake(folder, read, async () => {
    const authority = await makeAuthority();
    writePrivateFile(caKeyIn(folder), keyText(authority.privateKey));
    writePrivateFile(caFileIn(folder), authority.certificate);
    return authority;
  });
}

/** Writes a file with the certificates in `served`, which may also contain a private key, and the authority's. */
function trustFile(folder: string, { certificate }: Authority, served = ''): string {
  const blocks = served.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (!blocks) return caFileIn(folder);
  const text = [...blocks, certificate].join('\n');
  const path = join(folder, `https-${createHash('sha256').update(text).digest('hex')}.pem`);
  writePrivateFile(path, text);
  return path;
}

async function makeAuthority(): Promise<Authority> {
  const { privateKey, publicKey } = await generate('ec', { namedCurve: 'P-256' });
  const issuer = { name: AUTHORITY_NAME, privateKey, publicKey };
  return { privateKey, certificate: issueCertificate({ name: AUTHORITY_NAME, publicKey, issuer, use: 'authority' }) };
}

async function openSigner(folder: string | undefined, domain: string, authority: Authority): Promise<Signer> {
  if (folder === undefined) return signerOf(await makeProcessor(domain, authority), authority);
  // Check the domain first, because it becomes part of a path.
  if (!isCertifiable(domain)) throw new Error(`The domain ${JSON.stringify(domain)} cannot be used in a certificate.`);
  const path = join(folder, `${domain}.pem`);
  const read = (): string | undefined => {
    const text = readPrivateFile(path);
    if (text === undefined || !keyOf(text, text)) return undefined;
    return new X509Certificate(text).verify(createPublicKey(authority.certificate)) ? text : undefined;
  };
  const text = await readOrMake(folder, read, async () => {
    const made = await makeProcessor(domain, authority);
    writePrivateFile(path, made);
    return made;
  });
  return signerOf(text, authority);
}

/** Creates the processor domain's key and certificate as PEM, in this order. */
async function makeProcessor(domain: string, { certificate, privateKey: issuerKey }: Authority): Promise<string> {
  const { privateKey, publicKey } = await generate('rsa', { modulusLength: 2048 });
  const issuer = { name: AUTHORITY_NAME, privateKey: issuerKey, publicKey: createPublicKey(certificate) };
  return keyText(privateKey) + issueCertificate({ name: domain, publicKey, issuer, use: { domain } });
}

function signerOf(processor: string, authority: Authority) {
  const key = createPrivateKey(processor);
  return {
    /** Certificates of the processor domain and the authority, as PEM. */
    chain: new X509Certificate(processor).toString() + authority.certificate,
    /** Returns the RSA-SHA256 signature of a string as Base64, computed on the thread pool. */
    sign: async (body: string): Promise<string> =>
      (await signature('sha256', Buffer.from(body, 'utf8'), key)).toString('base64'),
  };
}

/** Returns the key, if it and the certificate are valid and match. The folder may contain anything. */
function keyOf(key: string, certificate: string): KeyObject | undefined {
  try {
    const privateKey = createPrivateKey(key);
    return new X509Certificate(certificate).checkPrivateKey(privateKey) ? privateKey : undefined;
  } catch {
    return undefined;
  }
}

/** The lock prevents two platforms that start at the same time from creating two authorities. */
async function readOrMake<T>(folder: string, read: () => T | undefined, make: () => Promise<T>): Promise<T> {
  const lock = join(folder, 'authority.lock');
  return read() ?? (await withLock(lock, systemClock, async () => read() ?? (await make())));
}

const caFileIn = (folder: string): string => join(folder, 'ca.pem');
const caKeyIn = (folder: string): string => join(folder, 'ca.key');

function keyText(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
