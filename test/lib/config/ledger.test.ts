// The ledger: private, never backwards, safe against torn lines and against several writers.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Ledger, openLedger } from '../../../src/lib/config/ledger.ts';
import type { LedgerEvent } from '../../../src/lib/config/ledger-events.ts';
import { isAdvance } from '../../../src/lib/domain/dsr/statuses.ts';
import { systemClock } from '../../../src/lib/kernel/clock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cdpadm-ledger-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (): Ledger => openLedger(folder, { clock: systemClock, isAdvance });
const state = (id: string, status: string): LedgerEvent => ({
  event: 'state',
  id,
  at: '2026-11-21T08:00:00.000Z',
  status,
  source: 'callback',
});

it('keeps each state once and none that is behind, whoever writes', async () => {
  const [one, two] = [open(), open()];
  expect(await one.append([state('a', 'pending')])).toBe(1);
  expect(await two.append([state('a', 'completed')])).toBe(1);
  expect(await one.append([state('a', 'in_progress'), state('a', 'completed')])).toBe(0);
  expect(
    open()
      .find('a')
      ?.states.map(({ status }) => status),
  ).toEqual(['pending', 'completed']);
});

it('takes appends of many at once', async () => {
  const writers = Array.from({ length: 8 }, open);
  await Promise.all(writers.map((ledger, index) => ledger.append([state(`r${index}`, 'pending')])));
  expect(open().requests()).toHaveLength(8);
});

it('passes over half a line, and goes on behind it', async () => {
  const ledger = open();
  await ledger.append([state('a', 'pending')]);
  appendFileSync(ledger.path, '{"event":"state","id":"b"');
  await open().append([state('c', 'pending')]);
  expect(
    open()
      .requests()
      .map(({ id }) => id),
  ).toEqual(['a', 'c']);
});

it('grows shorter when most of it says what later lines say', async () => {
  const ledger = open();
  const repeats = Array.from({ length: 2500 }, () => state('a', 'pending'));
  await ledger.record(repeats);
  await ledger.append([state('a', 'completed')]);
  expect(readFileSync(ledger.path, 'utf8').trimEnd().split('\n')).toHaveLength(1);
  expect(open().find('a')?.status).toBe('completed');
});

it('hashes with a key of its own, in private files', async () => {
  const ledger = open();
  const hash = await ledger.hash('email', 'a@b.c');
  await ledger.append([state('a', 'pending')]);
  expect(await open().hash('email', 'a@b.c')).toBe(hash);
  expect(await ledger.hash('other', 'a@b.c')).not.toBe(hash);
  for (const name of ['ledger.key', 'ledger.ndjson'])
    expect(statSync(join(folder, 'dsr', name)).mode & 0o777).toBe(0o600);
});
