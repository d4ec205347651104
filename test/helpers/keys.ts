// Private keys of the types that the certificate tests need.
import { generateKeyPairSync } from 'node:crypto';

/** Returns a key as PKCS#8 in PEM. */
export function newKey(kind: 'rsa' | 'rsa-pss' | 'weak' | 'ec' | 'ed25519' | 'ed448'): string {
  const { privateKey } = newPair(kind);
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

function newPair(kind: 'rsa' | 'rsa-pss' | 'weak' | 'ec' | 'ed25519' | 'ed448') {
  if (kind === 'ec') return generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  if (kind === 'rsa-pss') return generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
  if (kind === 'ed25519') return generateKeyPairSync('ed25519');
  if (kind === 'ed448') return generateKeyPairSync('ed448');
  return generateKeyPairSync('rsa', { modulusLength: kind === 'weak' ? 1024 : 2048 });
}
