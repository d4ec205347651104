// Checks the embedded platform's certificates and signatures with openssl.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSigning } from '../../src/lib/emulator/platform/signing.ts';
import { startCallbackReceiver } from '../helpers/callback-receiver.ts';
import { createTestClock } from '../helpers/clock.ts';
import { dsrBody, dsrCaller } from '../helpers/dsr.ts';
import { send, startTestEmulator } from '../helpers/emulator.ts';
import { opened } from '../helpers/opened.ts';
import { hasOpenssl, openssl } from '../helpers/openssl.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const DOMAIN = 'opendsr.platform.example';

function fileIn(folder: string): (name: string, content: string | Buffer) => string {
  return (name, content) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
}

describe.runIf(hasOpenssl())('openssl', () => {
  it("accepts the embedded platform's certificates in strict mode", async () => {
    const folder = temporaryFolder();
    const file = fileIn(folder);
    const signing = await openSigning(folder);
    const signer = await signing.signer(DOMAIN);
    const leaf = file('leaf.pem', signer.chain);
    const strictly = ['-x509_strict', '-check_ss_sig', '-CAfile', signing.caFile];
    expect(openssl('verify', ...strictly, '-verify_hostname', DOMAIN, leaf)).toBe(`${leaf}: OK\n`);
    expect(openssl('verify', ...strictly, '-purpose', 'sslserver', leaf)).toBe(`${leaf}: OK\n`);
    expect(() => openssl('verify', ...strictly, '-verify_hostname', 'other.example', leaf)).toThrow(
      /hostname mismatch/i,
    );
    const key = file('key.pem', openssl('x509', '-in', leaf, '-noout', '-pubkey'));
    const signature = file('signature', Buffer.from(await signer.sign('{"a":1}'), 'base64'));
    const check = ['dgst', '-sha256', '-verify', key, '-signature', signature];
    expect(openssl(...check, file('body', '{"a":1}'))).toBe('Verified OK\n');
    expect(() => openssl(...check, file('body', '{"a":2}'))).toThrow();
  });

  it('verifies a callback over its raw body', async () => {
    const file = fileIn(temporaryFolder());
    const receiver = await opened(startCallbackReceiver());
    const emulator = await opened(startTestEmulator({ clock: 'manual', systemClock: createTestClock() }));
    const body = dsrBody({ status_callback_urls: [receiver.url] });
    expect(await dsrCaller(emulator)('POST', '/requests/', { body })).toMatchObject({ status: 201 });
    await send('POST', `${emulator.control}/callbacks/flush`);
    const [callback] = receiver.received;
    const signature = Buffer.from(String(callback?.headers['x-opendsr-signature']), 'base64');
    const chain = file('chain.pem', (await emulator.send('GET', '/certificates/processor.pem')).text);
    const key = file('key.pem', openssl('x509', '-in', chain, '-noout', '-pubkey'));
    const args = ['dgst', '-sha256', '-verify', key, '-signature', file('signature', signature)];
    expect(openssl(...args, file('body', callback?.body ?? ''))).toBe('Verified OK\n');
  });
});
