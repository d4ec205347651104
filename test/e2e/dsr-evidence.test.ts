// `dsr evidence`: writes an archive that an auditor can check without this program.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDsrHome } from '../helpers/dsr-home.ts';
import { listenForCallbacks } from '../helpers/listener.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';

interface Manifest {
  ledger: { valid: boolean; pruned: number; adopted: { entries: number; at: string } | null };
  host: string;
  files: { name: string; sha256: string }[];
  omitted: { name: string; sha256: string; reason: string }[];
}

let home: PlatformHome;
let id: string;

beforeEach(async () => {
  home = await createDsrHome();
  const listener = await listenForCallbacks(home, ['--keep', 'kept']);
  const submit = 'dsr submit --regulation gdpr --type access --identity email=ada@example.com --yes --keep kept';
  const sent = await home.json<{ subject_request_id: string }>(`${submit} --callback-url ${listener.url}`);
  id = sent.data.subject_request_id;
  await home.platform.api.advance('4d');
  await home.platform.api.flushCallbacks();
  await listener.stop();
});
afterEach(() => home.close());

/** Unpacks the archive and returns the folder. */
function unpack(archive: string): string {
  const folder = join(home.cwd, `${archive}.d`);
  const bytes = readFileSync(join(home.cwd, archive));
  // The central directory lists each entry's method, size and header position.
  for (let at = bytes.indexOf('PK\x01\x02'); at >= 0 && bytes.readUInt32LE(at) === 0x02014b50;) {
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const header = bytes.readUInt32LE(at + 42);
    const start = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
    const data = bytes.subarray(start, start + bytes.readUInt32LE(at + 20));
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes.readUInt16LE(at + 10) === 8 ? inflateRawSync(data) : data);
    at += 46 + nameLength + extra + comment;
  }
  return folder;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;

it('writes a private archive whose manifest has a hash of every file and does not contain identities', async () => {
  const result = await home.run(['dsr', 'evidence', id, '--out', 'evidence.zip']);
  expect(result).toMatchObject({ code: 0 });
  expect(statSync(join(home.cwd, 'evidence.zip')).mode & 0o777).toBe(0o600);
  const folder = unpack('evidence.zip');
  const { files, host, ledger, omitted } = manifestOf(folder);
  expect(ledger).toMatchObject({ valid: true, pruned: 0, adopted: null });
  expect(host).toBe(hostname());
  for (const { name, sha256 } of files)
    expect(
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
      name,
    ).toBe(sha256);
  expect(omitted).toEqual([expect.objectContaining({ name: `messages/${id}.1.body` })]);
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(all).toHaveLength(files.length + 1);
  for (const entry of all) {
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    expect(text.includes('ada@example.com') || text.includes('encoded_request'), entry.name).toBe(false);
  }
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  expect(page).toContain('open, not late');
  expect(page).toContain('completed (received in a callback)');
  expect(page).toContain('pending (recorded at submission)');
  expect(page).toMatch(new RegExp(`made [\\d: -]+ UTC.*by \\S+ on ${hostname()}`));
  expect(page).not.toContain('Group');
  expect(await home.run(['dsr', 'evidence', id, '--out', 'evidence.zip'])).toMatchObject({ code: 2 });
});

it('lists commands that check every signature with openssl alone', async () => {
  const flags = ['--show-identities', '--out', 'evidence.zip'];
  expect(await home.run(['dsr', 'evidence', id, ...flags])).toMatchObject({ code: 0 });
  const folder = unpack('evidence.zip');
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const commands = (/<pre><code>([\s\S]*?)<\/code>/.exec(page)?.[1] ?? '').replaceAll('&gt;', '>');
  const env = { ...process.env, SSL_CERT_FILE: home.env['CDPADM_CA_FILE'] };
  const output = execFileSync('sh', ['-e', '-c', commands], { cwd: folder, encoding: 'utf8', env });
  expect(output).toMatch(/^certificates\/\w+\.pem: OK$/m);
  expect(output).toMatch(/DNS:opendsr\.platform\.example/);
  // The response to the submission, and three callbacks.
  expect(output.match(/^Verified OK$/gm)).toHaveLength(4);
  expect(manifestOf(folder).omitted).toEqual([]);
});

const CHANGED = 'changed: not the message recorded in the ledger';

it('never presents an altered or unrecorded message as signed, and never includes identities from such a message', async () => {
  const of = (number: number, part: string): string => join(home.cwd, 'kept', `${id}.${number}.${part}`);
  const alter = (number: number, to: number, change: (body: string) => string): void => {
    if (to !== number) cpSync(of(number, 'headers.json'), of(to, 'headers.json'));
    writeFileSync(of(to, 'body'), change(readFileSync(of(number, 'body'), 'utf8')));
  };
  // The ledger has no record of these: a modified callback, and a response with a renamed field.
  alter(2, 8, (body) => body.replace('"pending"', '"completed"'));
  alter(1, 9, (body) => body.replace('encoded_request', 'request'));
  // An intact body with the signature of another message.
  cpSync(of(4, 'body'), of(7, 'body'));
  cpSync(of(2, 'headers.json'), of(7, 'headers.json'));
  alter(1, 1, (body) => body.replace('encoded_request', 'request'));
  alter(2, 2, (body) => body.replace('"pending"', '"completed"'));
  alter(3, 3, () => 'not JSON');
  expect(await home.run(['dsr', 'evidence', id, '--out', 'altered.zip'])).toMatchObject({ code: 0 });
  const folder = unpack('altered.zip');
  const names = readdirSync(join(folder, 'messages')).map((name) => name.slice(id.length));
  const [good, swapped, callback] = ['.4', '.7', '.8'].map((it) =>
    ['.body', '.headers.json', '.signature'].map((part) => it + part),
  );
  expect(names.sort()).toEqual([
    ...(good ?? []),
    ...(swapped ?? []),
    ...(callback ?? []),
    '.9.headers.json',
    '.9.signature',
  ]);
  const { omitted } = manifestOf(folder);
  expect(omitted.map(({ name, reason }) => [name, reason])).toEqual([
    ...[1, 2, 3].map((number) => [join(home.cwd, 'kept', `${id}.${number}`), CHANGED]),
    [`messages/${id}.9.body`, 'it may contain identities'],
  ]);
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const rows = page.split('<tr>').filter((row) => new RegExp(`${id}\\.\\d<`).test(row));
  expect(
    rows.map((row) => [/\.(\d)</.exec(row)?.[1], /signed<|NOT VALID|not checked|changed:/.exec(row)?.[0]]),
  ).toEqual([
    ['4', 'signed<'],
    ['7', 'NOT VALID'],
    ...['8', '9'].map((number) => [number, 'not checked']),
    ...['1', '2', '3'].map((number) => [number, 'changed:']),
  ]);
  expect(page.match(/openssl dgst .*/g)).toEqual([expect.stringContaining(`${id}.4.body`)]);
});

it('reports how many entries were pruned or chained later, and exits with 1 if the chain is broken', async () => {
  const path = join(home.env['CDPADM_STATE_DIR'] ?? '', 'dsr', 'ledger.ndjson');
  const ledger = readFileSync(path, 'utf8');
  writeFileSync(path, ledger.replaceAll(/,"entry":\d+,"chain":"\w+"\}/g, '}'));
  rmSync(`${path}.head`);
  const submit = 'dsr submit --regulation gdpr --type erasure --identity email=ben@example.com --yes';
  const { data: other } = await home.json<{ subject_request_id: string }>(submit);
  await home.run(`dsr cancel ${other.subject_request_id} --yes`);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const { data: gone } = await home.json<{ entries: number }>(`dsr ledger prune --before ${tomorrow} --yes`);
  expect(await home.run(['dsr', 'evidence', id, '--out', 'pruned.zip'])).toMatchObject({ code: 0 });
  const pruned = unpack('pruned.zip');
  const first = ledger.trimEnd().split('\n').length;
  const { adopted, ...facts } = manifestOf(pruned).ledger;
  expect([facts, adopted?.entries]).toEqual([expect.objectContaining({ valid: true, pruned: gone.entries }), first]);
  const text = readFileSync(join(pruned, 'index.html'), 'utf8');
  expect(text).toContain(`${gone.entries} entries were pruned.`);
  expect(text).toContain(`The first ${first} entries were chained only at ${adopted?.at}: earlier changes to them`);
  writeFileSync(path, readFileSync(path, 'utf8').replace('"access"', '"portability"'));
  const broken = await home.run(['dsr', 'evidence', id, '--out', 'broken.zip']);
  expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('was changed outside of this program')]);
  expect(manifestOf(unpack('broken.zip')).ledger.valid).toBe(false);
  expect(readFileSync(join(home.cwd, 'broken.zip.d', 'index.html'), 'utf8')).toContain('BROKEN');
  expect((await home.run(['dsr', 'evidence', id, '--out', 'dry.zip', '--dry-run'])).code).toBe(1);
  expect(existsSync(join(home.cwd, 'dry.zip'))).toBe(false);
});

it('reports saved messages that are missing or changed, and finds moved messages if --kept is set', async () => {
  const of = (number: number, part: string): string => join(home.cwd, 'kept', `${id}.${number}.${part}`);
  cpSync(join(home.cwd, 'kept'), join(home.cwd, 'copy'), { recursive: true });
  writeFileSync(of(2, 'body'), `${readFileSync(of(2, 'body'), 'utf8')} `);
  rmSync(of(3, 'body'));
  writeFileSync(of(4, 'headers.json'), 'damaged');
  // Store this message as if a killed process had stored it without recording it.
  for (const part of ['body', 'headers.json']) cpSync(join(home.cwd, 'copy', `${id}.2.${part}`), of(5, part));
  const damaged = await home.json(['dsr', 'evidence', id, '--out', 'damaged.zip']);
  expect(damaged.data).toMatchObject({ messages: 2 });
  expect(damaged.stderr).toContain('3 kept messages are missing or changed');
  const folder = unpack('damaged.zip');
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  for (const [number, what] of [
    [2, CHANGED],
    [3, 'missing'],
    [4, CHANGED],
  ] as const)
    expect(page).toMatch(new RegExp(`${join(home.cwd, 'kept', `${id}.${number}`)}<[^]*?no: ${what}`));
  expect(manifestOf(folder).omitted.map(({ name }) => name)).toContain(join(home.cwd, 'kept', `${id}.3`));
  rmSync(join(home.cwd, 'kept'), { recursive: true });
  renameSync(join(home.cwd, 'copy'), join(home.cwd, 'moved'));
  const moved = await home.json(['dsr', 'evidence', id, '--kept', 'moved', '--out', 'moved.zip']);
  expect([moved.data, moved.stderr]).toEqual([expect.objectContaining({ messages: 4 }), '']);
  for (const missing of ['kept', 'x'.repeat(300)]) {
    const none = await home.run(['dsr', 'evidence', id, '--kept', missing, '--out', 'none.zip']);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--kept must be a folder')]);
  }
});

it('includes messages with the same name from several folders', async () => {
  const status = async (folder: string) => expect((await home.run(`dsr status ${id} --keep ${folder}`)).code).toBe(0);
  await status('first');
  await home.platform.api.advance('9d');
  await status('second');
  const names = ['first', 'second'].map((folder) => readdirSync(join(home.cwd, folder)).sort());
  expect(names[0]).toEqual(names[1]);
  expect((await home.run(['dsr', 'evidence', id, '--out', 'both.zip'])).code).toBe(0);
  const bodies = readdirSync(join(unpack('both.zip'), 'messages')).filter((name) => name.endsWith('.body'));
  // `${id}.1` is the response to the submission, whose body the archive omits.
  expect(bodies).toEqual(expect.arrayContaining([`${id}.1-2.body`, `${id}.1-3.body`]));
});

it('names missing or changed certificates until the next message stores them again', async () => {
  const folder = join(home.env['CDPADM_STATE_DIR'] ?? '', 'dsr', 'certificates');
  const [file = ''] = readdirSync(folder);
  const path = join(folder, file);
  const pem = readFileSync(path, 'utf8');
  const other = readFileSync(home.env['CDPADM_CA_FILE'] ?? '', 'utf8');
  const damages: [reason: string, damage: () => void][] = [
    ['missing', () => rmSync(path)],
    ['changed: its fingerprint differs', () => writeFileSync(path, other, { mode: 0o600 })],
  ];
  for (const [reason, damage] of damages) {
    damage();
    const out = `${reason.slice(0, 7)}.zip`;
    const { stderr } = await home.run(['dsr', 'evidence', id, '--show-identities', '--out', out]);
    expect(stderr).toContain('1 certificate is missing or changed');
    const archive = unpack(out);
    expect(manifestOf(archive).omitted).toEqual([{ name: `certificates/${file}`, reason }]);
    expect(existsSync(join(archive, 'certificates'))).toBe(false);
    const page = readFileSync(join(archive, 'index.html'), 'utf8');
    expect(page).toContain(`<code>${file.slice(0, -4)}</code> (${reason})`);
    expect(page).not.toContain('openssl');
    expect(page).not.toContain('no signed message');
  }
  await home.run('dsr submit --regulation gdpr --type erasure --identity email=ben@example.com --yes');
  expect(readFileSync(path, 'utf8')).toBe(pem);
});

it('selects requests by time, and reports an id that is not in the ledger', async () => {
  const dry = ['--out', 'evidence.zip', '--dry-run'];
  const found = await home.json<{ result?: unknown }>('dsr evidence --from 2020-01-01 --out some.zip');
  expect(found.data).toMatchObject({ requests: 1, messages: 4 });
  expect(await home.run(['dsr', 'evidence', '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11', ...dry])).toMatchObject({
    code: 5,
  });
  expect(await home.run(['dsr', 'evidence', ...dry])).toMatchObject({ code: 2 });
  const reversed = await home.run(['dsr', 'evidence', '--from', '2026-12-31', '--to', '2026-01-01', ...dry]);
  expect([reversed.code, reversed.stderr]).toEqual([2, expect.stringContaining('--from must not be after --to')]);
});

it("stores each signature's verdict and certificate in the ledger", async () => {
  const [entry] = (
    await home.json<{ signatures: { valid: boolean; certificate: string; source: string }[] }[]>('dsr ledger export')
  ).data;
  expect(entry?.signatures.map(({ source, valid }) => [source, valid])).toEqual([
    ['submit', true],
    ['callback', true],
    ['callback', true],
    ['callback', true],
  ]);
  expect(new Set(entry?.signatures.map(({ certificate }) => certificate)).size).toBe(1);
});
