// How the platform signs: with a certificate of a local authority, each made once and kept in a folder (decision: D141).
import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '../../kernel/clock.ts';
import { ensurePrivateFolder, readPrivateFile, writePrivateFile } from '../../kernel/durable.ts';
import { withLock } from '../../kernel/lock.ts';
import { issueCertificate } from './certificate.ts';

export interface Signer {
  /** The certificate of the processor domain and the authority's, as PEM. */
  readonly chain: string;
  /** Base64 of the RSA-SHA256 signature over the bytes, made on another thread. */
  sign(body: string): Promise<string>;
}

export interface Signing {
  /** The authority's certificate as a file; empty when it is kept in memory. */
  readonly caFile: string;
  /** The signer of a processor domain, made at first need: its RSA key takes a while, on another thread. */
  signer(domain: string): Promise<Signer>;
}

interface Authority {
  privateKey: KeyObject;
  /** PEM. */
  certificate: string;
}

const AUTHORITY_NAME = 'Local authority of the embedded platform';

const generate = promisify(generateKeyPair);
const signature = promisify(sign);

/**
 * Opens the authority in `folder`, made when it is not there; without a folder it lives in memory. Its key is on an
 * elliptic curve, which takes a millisecond, so that its file is there before anybody is told of it. Throws KnownError
 * when the folder cannot be used.
 */
export async function openSigning(folder: string | undefined): Promise<Signing> {
  const authority = folder === undefined ? undefined : await openAuthority(folder);
  const signers = new Map<string, Promise<Signer>>();
  return {
    caFile: folder === undefined ? '' : caFileIn(folder),
    signer: (domain) => {
      const signer = signers.get(domain) ?? openSigner(folder, domain, authority);
      signers.set(domain, signer);
      // What went wrong belongs to whoever asked; the next one tries again.
      signer.catch(() => signers.delete(domain));
      return signer;
    },
  };
}

async function openAuthority(folder: string): Promise<Authority> {
  ensurePrivateFolder(folder);
  return (
    readAuthority(folder) ?? (await locked(folder, async () => readAuthority(folder) ?? (await makeAuthority(folder))))
  );
}

/** What is there, if key and certificate belong together. */
function readAuthority(folder: string): Authority | undefined {
  const [key, certificate] = [readPrivateFile(caKeyIn(folder)), readPrivateFile(caFileIn(folder))];
  if (key === undefined || certificate === undefined || !belong(key, certificate)) return undefined;
  return { privateKey: createPrivateKey(key), certificate };
}

async function makeAuthority(folder: string | undefined): Promise<Authority> {
  const { privateKey, publicKey } = await generate('ec', { namedCurve: 'P-256' });
  const issuer = { name: AUTHORITY_NAME, privateKey, publicKey };
  const certificate = issueCertificate({ name: AUTHORITY_NAME, publicKey, issuer, use: 'authority' });
  if (folder !== undefined) {
    writePrivateFile(caKeyIn(folder), keyText(privateKey));
    writePrivateFile(caFileIn(folder), certificate);
  }
  return { privateKey, certificate };
}

async function openSigner(folder: string | undefined, domain: string, known: Authority | undefined): Promise<Signer> {
  if (folder === undefined || known === undefined) {
    const authority = await makeAuthority(undefined);
    return signerOf(await makeProcessor(domain, authority), authority);
  }
  const path = join(folder, `${domain}.pem`);
  const read = (): string | undefined => {
    const text = readPrivateFile(path);
    return text !== undefined && belong(text, text) && isIssuedBy(text, known) ? text : undefined;
  };
  const make = async (): Promise<string> => {
    const text = await makeProcessor(domain, known);
    writePrivateFile(path, text);
    return text;
  };
  return signerOf(read() ?? (await locked(folder, async () => read() ?? (await make()))), known);
}

/** Key and certificate of the processor domain, one after the other as PEM. */
async function makeProcessor(domain: string, authority: Authority): Promise<string> {
  const { privateKey, publicKey } = await generate('rsa', { modulusLength: 2048 });
  const issuer = {
    name: AUTHORITY_NAME,
    privateKey: authority.privateKey,
    publicKey: createPublicKey(authority.certificate),
  };
  return keyText(privateKey) + issueCertificate({ name: domain, publicKey, issuer, use: { domain } });
}

function signerOf(processor: string, authority: Authority): Signer {
  const key = createPrivateKey(processor);
  return {
    chain: new X509Certificate(processor).toString() + authority.certificate,
    sign: async (body) => (await signature('sha256', Buffer.from(body, 'utf8'), key)).toString('base64'),
  };
}

/** Whether a key and a certificate can be read and are a pair: a folder of the cache may hold anything. */
function belong(key: string, certificate: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function isIssuedBy(certificate: string, authority: Authority): boolean {
  return new X509Certificate(certificate).verify(createPublicKey(authority.certificate));
}

/** Two platforms that start together must not make two authorities. */
function locked<T>(folder: string, work: () => Promise<T>): Promise<T> {
  return withLock(join(folder, 'authority.lock'), systemClock, work);
}

const caFileIn = (folder: string): string => join(folder, 'ca.pem');
const caKeyIn = (folder: string): string => join(folder, 'ca.key');

function keyText(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
