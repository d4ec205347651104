// `dsr ledger` verifies the ledger's hash chain, prunes the ledger, and exports it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDsrHome } from '../../helpers/dsr-home.ts';
import type { PlatformHome } from '../../helpers/platform-home.ts';

interface Verified {
  valid: boolean;
  entries: number;
  head: string;
  faults: { line: number | null; entry: number | null; kind: string; message: string }[];
}

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome();
});
afterEach(() => home.close());

const path = (): string => join(home.env['CDPADM_STATE_DIR'] ?? '', 'dsr', 'ledger.ndjson');
const lines = (): string[] => readFileSync(path(), 'utf8').trimEnd().split('\n');
const submit = (email: string) =>
  home.run(`dsr submit --regulation gdpr --type erasure --identity email=${email} --yes`);

describe('dsr ledger verify', () => {
  it('prints the head and the number of entries of a valid ledger', async () => {
    expect((await home.json<Verified>('dsr ledger verify')).data).toMatchObject({ valid: true, entries: 0 });
    await submit('ada@example.com');
    const { code, data } = await home.json<Verified>('dsr ledger verify');
    const last = JSON.parse(lines().at(-1) ?? '') as { entry: number; chain: string };
    expect([code, data]).toEqual([0, expect.objectContaining({ valid: true, entries: last.entry, head: last.chain })]);
    await submit('ben@example.com');
    expect((await home.run(`dsr ledger verify --head ${last.chain}`)).code).toBe(0);
    const { code: other, stderr } = await home.run(`dsr ledger verify --head ${'0'.repeat(63)}1`);
    expect([other, stderr]).toEqual([1, expect.stringContaining('no line has the hash 0000')]);
    expect((await home.run('dsr ledger verify --head x')).code).toBe(2);
  });

  it('reports a changed line and a missing line, and exits with 1', async () => {
    for (const name of ['ada', 'ben', 'cem']) await submit(`${name}@example.com`);
    const all = lines();
    writeFileSync(
      path(),
      `${all
        .with(0, all[0]?.replace('erasure', 'access') ?? '')
        .toSpliced(2, 1)
        .join('\n')}\n`,
    );
    const { code, data, stderr } = await home.json<Verified>('dsr ledger verify');
    expect([code, data.valid, data.faults]).toEqual([
      1,
      false,
      [
        { line: 1, entry: 1, kind: 'changed', message: 'entry 1 does not match its hash' },
        { line: 3, entry: 3, kind: 'missing', message: 'entry 3 is missing before this line' },
      ],
    ]);
    const { error } = JSON.parse(stderr) as { error: { code: string; issues: { file: string; line: number }[] } };
    expect([error.code, error.issues.map(({ file, line }) => [file, line])]).toEqual([
      'ledger.broken',
      [
        [path(), 1],
        [path(), 3],
      ],
    ]);
    // Other commands still print what is in the ledger.
    expect((await home.json<unknown[]>('dsr ledger export')).data.length).toBeGreaterThan(0);
    expect(existsSync(`${path()}.head`)).toBe(true);
  });
});

describe('dsr ledger prune', () => {
  interface Pruned {
    requests: number;
    entries: number;
    head: string;
  }

  it('removes requests that finished before the given day, keeps the others, and leaves a valid chain', async () => {
    for (const name of ['ada', 'ben', 'cem']) await submit(`${name}@example.com --keep messages`);
    const ids = lines().flatMap((line) =>
      line.includes('"submitted"') ? [(JSON.parse(line) as { id: string }).id] : [],
    );
    await home.run(`dsr cancel ${ids[0] ?? ''} --yes`);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const dry = await home.run(`dsr ledger prune --before ${tomorrow} --dry-run`);
    const kept = `Kept messages of these requests remain in ${join(home.cwd, 'messages')}.`;
    const text = `1 request (4 lines) of the ledger would be removed.\n  ${ids[0]}\n${kept}\n`;
    expect([dry.code, dry.stdout]).toEqual([0, text]);
    const { head: before } = (await home.json<Verified>('dsr ledger verify')).data;
    expect((await home.run(`dsr ledger prune --before ${tomorrow}`)).code).toBe(2);
    const { code, data } = await home.json<Pruned>(`dsr ledger prune --before ${tomorrow} --yes`);
    expect([code, data]).toEqual([0, expect.objectContaining({ requests: 1, entries: 4, ids: [ids[0]] })]);
    const left = (await home.json<{ id: string }[]>('dsr ledger export')).data.map(({ id }) => id);
    expect(new Set(left)).toEqual(new Set(ids.slice(1)));
    const verified = await home.json<Verified>(`dsr ledger verify --head ${before}`);
    expect([verified.code, verified.data]).toEqual([0, expect.objectContaining({ pruned: 4, head: data.head })]);
    // An unknown head may belong to a pruned line, or the ledger may have been rolled back to an older copy.
    const unknown = await home.json<Verified>(`dsr ledger verify --head ${'ab'.repeat(32)}`);
    expect([unknown.code, unknown.data]).toEqual([1, expect.objectContaining({ valid: true, faults: [] })]);
    expect(unknown.stderr).toContain('is from one of the 4 pruned entries, or lines were replaced or removed');
    const again = await home.json<Pruned>(`dsr ledger prune --before ${tomorrow} --yes`);
    expect(again.data).toMatchObject({ requests: 0, head: data.head });
    const pruned = lines().find((line) => line.startsWith('{"event":"pruned"')) ?? '';
    expect(JSON.parse(pruned)).toMatchObject({ requests: 1, entries: 4, host: expect.any(String) as string });
  });

  it('keeps requests with an entry on or after the given day, and rejects a broken chain', async () => {
    await submit('ada@example.com');
    const today = new Date().toISOString().slice(0, 10);
    expect((await home.json<Pruned>(`dsr ledger prune --before ${today} --yes`)).data.requests).toBe(0);
    writeFileSync(path(), readFileSync(path(), 'utf8').replace('erasure', 'access'));
    const { code, error } = await home.json(`dsr ledger prune --before ${today} --yes`);
    expect([code, error.code]).toEqual([1, 'ledger.broken']);
    expect((await home.run('dsr ledger prune --yes')).code).toBe(2);
  });
});

it("names each signature's certificate in a CSV export of the ledger, and accepts column headings in --fields", async () => {
  await submit('ada@example.com');
  const { data } = await home.json<{ signatures: { certificate: string }[] }[]>('dsr ledger export');
  const csv = await home.run('dsr ledger export -o csv --fields SIGNATURES');
  expect(csv.stdout).toContain(` valid (certificate ${data[0]?.signatures[0]?.certificate})`);
  const list = await home.run(['dsr', 'list', '--fields', 'id,status,results expire,cancellable_until']);
  expect(list.stdout.split('\n')[0]).toBe('ID\tSTATUS\tRESULTS EXPIRE\tCANCELLABLE UNTIL');
});
