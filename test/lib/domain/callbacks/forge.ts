// A forge of certificates, right and wrong ones, by the openssl of the machine.
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Forged {
  pem: string;
  /** PKCS#8. */
  key: string;
}

export interface Wanted {
  subject: string;
  /** Who signs; itself without one. */
  by?: Forged;
  /** Lines such as `subjectAltName=DNS:a.example`. */
  extensions?: string[];
  key?: string;
  /** Of the signature; default sha256. */
  digest?: string;
  days?: number;
}

export interface Forge {
  issue(wanted: Wanted): Forged;
  close(): void;
}

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string;

export function newKey(kind: 'rsa' | 'weak' | 'ec'): string {
  const { privateKey } =
    kind === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
      : generateKeyPairSync('rsa', { modulusLength: kind === 'weak' ? 1024 : 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

export function openForge(): Forge {
  const folder = mkdtempSync(join(tmpdir(), 'cdpadm-forge-'));
  let count = 0;
  return {
    issue: ({ by, days = 30, digest = 'sha256', extensions = [], key = RSA, subject }) => {
      const file = (kind: string): string => join(folder, `${++count}.${kind}`);
      const [keyFile, requestFile, certFile, extFile] = [file('key'), file('csr'), file('crt'), file('cnf')];
      writeFileSync(keyFile, key);
      writeFileSync(extFile, `[e]\n${extensions.join('\n')}\n`);
      const run = (args: string[]): void => {
        execFileSync('openssl', args, { stdio: 'pipe' });
      };
      run(['req', '-new', '-key', keyFile, '-subj', subject, '-out', requestFile, `-${digest}`]);
      let signer = ['-signkey', keyFile];
      if (by) {
        const [caFile, caKey] = [file('ca'), file('cakey')];
        writeFileSync(caFile, by.pem);
        writeFileSync(caKey, by.key);
        signer = ['-CA', caFile, '-CAkey', caKey, '-CAcreateserial'];
      }
      const made = ['-req', '-in', requestFile, '-out', certFile, '-days', String(days), `-${digest}`];
      run(['x509', ...made, ...signer, '-extfile', extFile, '-extensions', 'e']);
      return { pem: readFileSync(certFile, 'utf8'), key };
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export const AUTHORITY = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'];
