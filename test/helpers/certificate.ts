// A self-signed certificate for tests.
import { createHash, createPublicKey, randomBytes, sign } from 'node:crypto';
import { der, objectId, octets, sequence, TRUE } from './der-bytes.ts';
import { newKey } from './keys.ts';

export interface Certificate {
  key: string;
  cert: string;
}

/** The validity period of a certificate in epoch milliseconds. */
export interface Validity {
  from: number;
  until: number;
}

const HOUR = 3_600_000;
const NAMES = ['localhost', 'platform.test'];
const ECDSA_WITH_SHA256 = sequence(objectId('2a8648ce3d040302'));

/** Creates a certificate for `localhost`, `platform.test` and 127.0.0.1, by default for one day from now. */
export function makeCertificate(validity?: Validity): Certificate {
  const { from, until } = validity ?? { from: Date.now(), until: Date.now() + 24 * HOUR };
  const key = newKey('ec');
  const name = sequence(der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from('platform.test')))));
  const alternatives = sequence(...NAMES.map((text) => der(0x82, Buffer.from(text))), der(0x87, [127, 0, 0, 1]));
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  // Distinguishes two authorities with the same name.
  const keyId = createHash('sha256').update(publicKey).digest().subarray(0, 20);
  const extensions = sequence(
    sequence(objectId('551d13'), TRUE, octets(sequence(TRUE))),
    sequence(objectId('551d11'), octets(alternatives)),
    sequence(objectId('551d0e'), octets(octets(keyId))),
    sequence(objectId('551d23'), octets(sequence(der(0x80, keyId)))),
  );
  const signed = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1], randomBytes(15)),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(from), time(until)),
    name,
    publicKey,
    der(0xa3, extensions),
  );
  const signature = der(0x03, [0], sign('sha256', signed, key));
  const lines = sequence(signed, ECDSA_WITH_SHA256, signature)
    .toString('base64')
    .replaceAll(/.{64}(?=.)/g, '$&\n');
  return { key, cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n` };
}

/** Returns a UTCTime: it has a two-digit year, and certificates use it for dates up to 2049. */
function time(ms: number): Buffer {
  return der(
    0x17,
    Buffer.from(
      new Date(ms)
        .toISOString()
        .slice(2)
        .replaceAll(/[-:T]|\.\d+/g, ''),
    ),
  );
}
