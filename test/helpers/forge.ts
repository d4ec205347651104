// Creates valid and invalid certificates with the installed openssl.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKey } from './keys.ts';

export interface Forged {
  pem: string;
  /** The private key as PKCS#8. */
  key: string;
}

export interface Wanted {
  subject: string;
  /** The signer; if undefined, the certificate is self-signed. */
  by?: Forged;
  /** Lines such as `subjectAltName=DNS:a.example`. */
  extensions?: string[];
  key?: string;
  /** The signature's digest: sha256 by default, undefined for keys with a built-in digest. */
  digest?: string | undefined;
  /** Additional options for the signature, such as `rsa_padding_mode:pss`. */
  options?: string[];
  days?: number;
}

export interface Forge {
  issue(wanted: Wanted): Forged;
  close(): void;
}

const RSA = newKey('rsa');

export function openForge(): Forge {
  const folder = mkdtempSync(join(tmpdir(), 'cdpadm-forge-'));
  let count = 0;
  return {
    issue: (wanted) => {
      const { by, days = 30, extensions = [], key = RSA, options = [], subject } = wanted;
      const digest = 'digest' in wanted ? wanted.digest : 'sha256';
      const how = digest === undefined ? [] : [`-${digest}`];
      const file = (kind: string): string => join(folder, `${++count}.${kind}`);
      const [keyFile, requestFile, certFile, extFile] = [file('key'), file('csr'), file('crt'), file('cnf')];
      writeFileSync(keyFile, key);
      writeFileSync(extFile, `[e]\n${extensions.join('\n')}\n`);
      const run = (args: string[]): void => {
        execFileSync('openssl', args, { stdio: 'pipe' });
      };
      run(['req', '-new', '-key', keyFile, '-subj', subject, '-out', requestFile]);
      let signer = ['-signkey', keyFile];
      if (by) {
        const [caFile, caKey] = [file('ca'), file('cakey')];
        writeFileSync(caFile, by.pem);
        writeFileSync(caKey, by.key);
        signer = ['-CA', caFile, '-CAkey', caKey, '-CAcreateserial'];
      }
      const made = ['-req', '-in', requestFile, '-out', certFile, '-days', String(days), ...how];
      run([
        'x509',
        ...made,
        ...signer,
        ...options.flatMap((option) => ['-sigopt', option]),
        '-extfile',
        extFile,
        '-extensions',
        'e',
      ]);
      return { pem: readFileSync(certFile, 'utf8'), key };
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export const AUTHORITY = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'];
