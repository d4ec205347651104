// A self-signed certificate for tests, made by the openssl of the machine.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  key: string;
  cert: string;
}

/** When a certificate is good, in epoch milliseconds. */
export interface Validity {
  from: number;
  until: number;
}

/**
 * For `localhost`, `platform.test` and 127.0.0.1, valid for a day from now or as is said. Undefined where there is no
 * openssl.
 */
export function makeCertificate(validity?: Validity): Certificate | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'cdpadm-cert-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  try {
    const names = 'subjectAltName=DNS:localhost,DNS:platform.test,IP:127.0.0.1';
    const subject = ['-subj', '/CN=platform.test', '-addext', names, '-days', '1'];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, ...subject], { stdio: 'pipe' });
    if (validity) signAgain(folder, names, validity);
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every openssl takes two dates for `ca` alone, which signs what is asked of it and keeps a list of it. */
function signAgain(folder: string, names: string, { from, until }: Validity): void {
  const openssl = (...args: string[]): unknown => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const date = (ms: number): string => new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '');
  const config = [
    '[ca]\ndefault_ca=own',
    '[own]\ndatabase=list.txt\nserial=serial.txt\nnew_certs_dir=.\ndefault_md=sha256\npolicy=any',
    '[any]\ncommonName=supplied',
    `[e]\nbasicConstraints=critical,CA:TRUE\n${names}`,
  ];
  writeFileSync(join(folder, 'ca.cnf'), `${config.join('\n')}\n`);
  writeFileSync(join(folder, 'list.txt'), '');
  writeFileSync(join(folder, 'serial.txt'), '01\n');
  openssl('req', '-new', '-key', 'key.pem', '-subj', '/CN=platform.test', '-out', 'request.pem');
  const dates = ['-startdate', date(from), '-enddate', date(until)];
  const files = ['-keyfile', 'key.pem', '-in', 'request.pem', '-out', 'cert.pem'];
  openssl('ca', '-config', 'ca.cnf', '-selfsign', '-batch', '-notext', '-extensions', 'e', ...files, ...dates);
}

/** Whether the machine has an openssl to check against. */
export function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}
