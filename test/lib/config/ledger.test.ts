// The ledger: private, never backwards, safe against torn lines and against several writers.
import { appendFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type Ledger, openLedger } from '../../../src/lib/config/ledger.ts';
import type { LedgerRequest, StateEvent, SubmittedEvent } from '../../../src/lib/config/ledger-events.ts';
import { isAdvance } from '../../../src/lib/domain/dsr/statuses.ts';
import { systemClock } from '../../../src/lib/kernel/clock.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const open = (): Ledger => openLedger(folder, { clock: systemClock, isAdvance });
const state = (id: string, status: string): StateEvent => ({
  event: 'state',
  id,
  at: '2026-11-21T08:00:00.000Z',
  status,
  source: 'callback',
});

const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const sent = (id: string, more: Partial<SubmittedEvent> = {}): SubmittedEvent => ({
  event: 'submitted',
  id,
  at: '2026-11-21T07:00:00.000Z',
  by: 'officer',
  profile: 'eu',
  address: 'https://dsr.example/v3',
  workspace_id: '1',
  regulation: 'gdpr',
  subject_request_type: 'access',
  submitted_time: '2026-11-20T00:00:00Z',
  skip_waiting_period: false,
  group_id: null,
  identities: { email: 'hash' },
  ...more,
});
async function everything(ledger = open()): Promise<LedgerRequest[]> {
  const all: LedgerRequest[] = [];
  for await (const part of ledger.all()) all.push(...part);
  return all;
}

it('keeps each state once and none that is behind, whoever writes', async () => {
  const [one, two] = [open(), open()];
  expect(await one.append([state('a', 'pending')])).toBe(1);
  expect(await two.append([state('a', 'completed')])).toBe(1);
  expect(await one.append([state('a', 'in_progress'), state('a', 'completed')])).toBe(0);
  const known = (await open().find(['a'])).get('a');
  expect(known?.states.map(({ status }) => status)).toEqual(['pending', 'completed']);
});

it('takes appends of many at once', async () => {
  const writers = Array.from({ length: 8 }, open);
  await Promise.all(writers.map((ledger, index) => ledger.append([state(`r${index}`, 'pending')])));
  expect(await everything()).toHaveLength(8);
});

it('passes over half a line, and goes on behind it', async () => {
  const ledger = open();
  await ledger.append([state('a', 'pending')]);
  appendFileSync(ledger.path, '{"event":"state","id":"b"');
  await open().append([state('c', 'pending')]);
  expect((await everything()).map(({ id }) => id)).toEqual(['a', 'c']);
  expect([...(await open().find(['a', 'b', 'c'])).keys()]).toEqual(['a', 'c']);
  const { requests } = await open().newest({ limit: 9, belongs: () => true });
  expect(requests).toEqual([]);
});

it('says what an answer said in the line of its request', async () => {
  await open().record([
    sent('a', { status: 'pending', expected_completion_time: '2026-12-01T00:00:00Z', received_time: null }),
    state('a', 'completed'),
    // A killed run that goes on writes it again.
    sent('a', { status: 'pending', at: '2026-11-22T07:00:00.000Z' }),
  ]);
  const [known, ...others] = await everything();
  expect(others).toEqual([]);
  expect(known).toMatchObject({
    at: '2026-11-21T07:00:00.000Z',
    status: 'completed',
    expected_completion_time: '2026-12-01T00:00:00Z',
    states: [
      { status: 'pending', source: 'submit' },
      { status: 'completed', source: 'callback' },
    ],
  });
});

it('finds what other processes wrote since the last time', async () => {
  const ledger = open();
  await ledger.record([sent(uuid(1))]);
  expect((await ledger.find([uuid(1)])).get(uuid(1))?.status).toBeUndefined();
  await open().record([state(uuid(1), 'in_progress'), sent(uuid(2), { status: 'pending' })]);
  expect((await ledger.find([uuid(1)])).get(uuid(1))?.status).toBe('in_progress');
  expect((await ledger.find([uuid(2)])).get(uuid(2))?.status).toBe('pending');
  expect((await ledger.find([uuid(3)])).get(uuid(3))).toBeUndefined();
});

it('reads the newest from the end, whatever lies between, across pieces of the file', async () => {
  const ledger = open();
  const count = 6000;
  const requests = Array.from({ length: count }, (_, number) =>
    sent(uuid(number), { status: 'pending', workspace_id: number % 2 === 0 ? '1' : '2', by: 'ö'.repeat(number % 50) }),
  );
  await ledger.record(requests);
  // Closed long after they were sent; one was refused first and taken the second time.
  await ledger.record(requests.slice(1000).map(({ id }) => state(id, 'completed')));
  await ledger.record([state(uuid(0), 'in_progress'), state('elsewhere', 'cancelled')]);
  const belongs = (event: SubmittedEvent): boolean => event.workspace_id === '1';
  const idsOf = (found: { requests: LedgerRequest[] }) => found.requests.map(({ id }) => id);

  const newest = await ledger.newest({ limit: 3, belongs });
  expect([idsOf(newest), newest.hasMore]).toEqual([[uuid(5998), uuid(5996), uuid(5994)], true]);
  expect(newest.requests[0]?.states.map(({ status }) => status)).toEqual(['pending', 'completed']);
  const open500 = await ledger.newest({ limit: 500, belongs, isOpen: (status) => status !== 'completed' });
  expect(idsOf(open500)).toEqual(Array.from({ length: 500 }, (_, index) => uuid(998 - 2 * index)));
  expect([open500.hasMore, open500.requests.at(-1)?.status]).toEqual([false, 'in_progress']);
  const all = await everything();
  expect(all.map(({ id }) => id)).toEqual([...requests.map(({ id }) => id), 'elsewhere']);
  expect(all.filter(({ status }) => status === 'completed')).toHaveLength(5000);
  expect(all[49]?.by).toBe('ö'.repeat(49));
});

it('does not take a refusal for the end when the request was taken the second time', async () => {
  const ledger = open();
  await ledger.record([sent('a'), state('a', 'refused'), state('a', 'pending')]);
  const wanted = { limit: 5, belongs: () => true, isOpen: (status: string | undefined) => status === 'pending' };
  expect((await ledger.newest(wanted)).requests).toHaveLength(1);
});

it('tells everything of each request, the oldest first, wherever its lines stand', async () => {
  const ledger = open();
  const ids = Array.from({ length: 5000 }, (_, number) => uuid(number));
  await ledger.record(ids.map((id) => sent(id)));
  appendFileSync(ledger.path, '{"event":"submitted","id":"torn\n{"event":"later","id":"x"}\n');
  // Backwards, so that no two states of neighbours are neighbours, and with long lines between some.
  const behind = [...ids]
    .reverse()
    .flatMap((id, place) => [
      state(id, 'completed'),
      ...(place % 500 === 0 ? [sent(`far-${place}`, { group_id: 'x'.repeat(9000) })] : []),
    ]);
  await ledger.record(behind);
  const all = await everything();
  expect(all.map(({ id }) => id)).toEqual([...ids, ...Array.from({ length: 10 }, (_, at) => `far-${at * 500}`)]);
  expect(all.slice(0, 5000).every(({ at, status }) => at !== undefined && status === 'completed')).toBe(true);
  expect(all.slice(5000).every(({ group_id }) => group_id?.length === 9000)).toBe(true);
});

it('stops reading when it is told to', async () => {
  const aborter = new AbortController();
  const ledger = openLedger(folder, { clock: systemClock, isAdvance, signal: aborter.signal });
  await ledger.record([sent('a')]);
  aborter.abort(new Error('stopped'));
  await expect(everything(ledger)).rejects.toThrow('stopped');
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

it('puts the open ones of the whole ledger in order by urgency, wherever their lines stand', async () => {
  const ledger = open();
  const count = 3000;
  // The farther from the beginning, the more urgent; the last one nobody waits for.
  await ledger.record([state(uuid(0), 'completed'), state(uuid(7), 'pending')]);
  await ledger.record(
    Array.from({ length: count }, (_, number) =>
      sent(uuid(number), { group_id: String(count - number), workspace_id: number % 2 === 0 ? '1' : '2' }),
    ),
  );
  await ledger.record([
    state(uuid(2999), 'cancelled'),
    state(uuid(2997), 'refused'),
    state(uuid(2997), 'pending'),
    // A killed run that goes on writes it again: the first line counts.
    sent(uuid(1), { workspace_id: '2', group_id: '0' }),
    state('elsewhere', 'pending'),
    sent('whenever', { workspace_id: '2' }),
  ]);
  const parts: string[][] = [];
  const lefts: number[] = [];
  const urgency = {
    belongs: (event: SubmittedEvent) => event.workspace_id === '2',
    isOpen: (status: string | undefined) => status === undefined || status === 'pending',
    rank: (event: SubmittedEvent) => (event.group_id === null ? Infinity : Number(event.group_id)),
  };
  for await (const { left, requests } of ledger.byUrgency(urgency, () => (parts.length === 0 ? 1 : 1000))) {
    parts.push(requests.map(({ id }) => id));
    lefts.push(left);
  }
  expect([parts[0], lefts]).toEqual([[uuid(2997)], [1499, 499, 0]]);
  expect(new Set(parts[1])).toEqual(new Set(Array.from({ length: 1000 }, (_, index) => uuid(2995 - 2 * index))));
  expect(new Set(parts[2]?.slice(-2))).toEqual(new Set([uuid(995), 'whenever']));
});
