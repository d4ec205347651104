// The ledger is private, keeps only states that advance a request, and tolerates partial lines and concurrent writers.
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Ledger, type LedgerScope, openLedger } from '../../../../src/lib/workflows/ledger.ts';
import type { LedgerEvent, LedgerRequest, StateNews, SubmittedNews } from '../../../../src/lib/domain/dsr/ledger.ts';
import { systemClock } from '../../../../src/lib/kernel/clock.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

type ScopedLedger = ReturnType<Ledger['in']>;

const actor = { by: 'officer', host: 'desk' };
const options = { actor, clock: systemClock };

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const unscoped = (): Ledger => openLedger(folder, options);
const one: LedgerScope = { address: 'https://dsr.example/v3', workspace_id: '1' };
const two: LedgerScope = { ...one, workspace_id: '2' };
const elsewhere: LedgerScope = { ...one, address: 'local' };
const path = (): string => unscoped().path;
const open = (scope = one): ScopedLedger => unscoped().in(scope);
const state = (id: string, status: string): StateNews => ({
  event: 'state',
  id,
  at: '2026-11-21T08:00:00.000Z',
  status,
  source: 'callback',
});

const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const sent = (id: string, more: Partial<SubmittedNews> = {}): SubmittedNews => ({
  event: 'submitted',
  id,
  at: '2026-11-21T07:00:00.000Z',
  profile: 'eu',
  regulation: 'gdpr',
  subject_request_type: 'access',
  submitted_time: '2026-11-20T00:00:00Z',
  skip_waiting_period: false,
  group_id: null,
  identities: { email: 'hash' },
  ...more,
});
async function everything(ledger = unscoped()): Promise<LedgerRequest[]> {
  const all: LedgerRequest[] = [];
  for await (const part of ledger.all()) all.push(...part);
  return all;
}

it('stores each state once, and drops outdated states from any writer', async () => {
  const [first, second] = [open(), open()];
  expect(await first.append([state('a', 'pending')])).toHaveLength(1);
  expect(await second.append([state('a', 'completed')])).toHaveLength(1);
  expect(await first.append([state('a', 'in_progress'), state('a', 'completed')])).toEqual([]);
  const known = (await open().find(['a'])).get('a');
  expect(known?.states.map(({ status }) => status)).toEqual(['pending', 'completed']);
});

it('does not lose lines when several writers append at the same time', async () => {
  const writers = Array.from({ length: 8 }, open);
  await Promise.all(writers.map((ledger, index) => ledger.append([state(`r${index}`, 'pending')])));
  expect((await everything()).map(({ id }) => id).sort()).toEqual(writers.map((_, index) => `r${index}`));
});

it('stores a state once even if several writers append it at the same time', async () => {
  const news = await Promise.all(Array.from({ length: 8 }, () => open().append([state('a', 'pending')])));
  expect(news.flat()).toHaveLength(1);
  expect(readFileSync(path(), 'utf8').match(/"id":"a"/g)).toHaveLength(1);
});

it('skips a partial line and appends after it', async () => {
  const ledger = open();
  await ledger.append([state('a', 'pending')]);
  appendFileSync(path(), '{"event":"state","id":"b"');
  await open().append([state('c', 'pending')]);
  expect((await everything()).map(({ id }) => id)).toEqual(['a', 'c']);
  expect([...(await open().find(['a', 'b', 'c'])).keys()]).toEqual(['a', 'c']);
  const { requests } = await open().newest(9);
  expect(requests).toEqual([]);
});

it('stores the status from the response to the submission', async () => {
  await open().record([
    sent('a', { status: 'pending', expected_completion_time: '2026-12-01T00:00:00Z', received_time: null }),
    state('a', 'completed'),
    // A resumed run writes this line a second time.
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

it('reads lines that other processes have written since the last read', async () => {
  const ledger = open();
  await ledger.record([sent(uuid(1))]);
  expect((await ledger.find([uuid(1)])).get(uuid(1))?.status).toBeUndefined();
  await open().record([state(uuid(1), 'in_progress'), sent(uuid(2), { status: 'pending' })]);
  expect((await ledger.find([uuid(1)])).get(uuid(1))?.status).toBe('in_progress');
  expect((await ledger.find([uuid(2)])).get(uuid(2))?.status).toBe('pending');
  expect((await ledger.find([uuid(3)])).get(uuid(3))).toBeUndefined();
});

/**
 * Interleaves the lines of two ledgers: one records even-numbered requests, the other records odd-numbered requests.
 */
async function recordInTurn(even: ScopedLedger, odd: ScopedLedger, requests: SubmittedNews[]): Promise<void> {
  for (let start = 0; start < requests.length; start += 200) {
    const group = requests.slice(start, start + 200);
    await even.record(group.filter((_, at) => at % 2 === 0));
    await odd.record(group.filter((_, at) => at % 2 === 1));
  }
}

it('lists the newest requests first, even if their lines are interleaved and in different blocks of the file', async () => {
  const ledger = open();
  const other = open(two);
  const count = 6000;
  const requests = Array.from({ length: count }, (_, number) =>
    sent(uuid(number), { status: 'pending', profile: 'ö'.repeat(number % 50) }),
  );
  await recordInTurn(ledger, other, requests);
  // Record the final states of some requests long after their submission.
  await ledger.record(requests.filter((_, at) => at >= 1000 && at % 2 === 0).map(({ id }) => state(id, 'completed')));
  await ledger.record([state(uuid(0), 'in_progress'), state('elsewhere', 'cancelled')]);
  const idsOf = (found: { requests: LedgerRequest[] }) => found.requests.map(({ id }) => id);

  const newest = await ledger.newest(3);
  expect([idsOf(newest), newest.hasMore]).toEqual([[uuid(5998), uuid(5996), uuid(5994)], true]);
  expect(newest.requests[0]?.states.map(({ status }) => status)).toEqual(['pending', 'completed']);
  expect(idsOf(await other.newest(1))).toEqual([uuid(5999)]);
  const most = await ledger.newest(count);
  expect(idsOf(most)).toEqual(Array.from({ length: 3000 }, (_, index) => uuid(5998 - 2 * index)));
  expect([most.hasMore, most.requests.at(-1)?.status]).toEqual([false, 'in_progress']);
  const all = await everything();
  expect(all.map(({ id }) => id).sort()).toEqual([...requests.map(({ id }) => id), 'elsewhere']);
  expect(all.filter(({ status }) => status === 'completed')).toHaveLength(2500);
  expect(all.find(({ id }) => id === uuid(49))?.profile).toBe('ö'.repeat(49));
});

it('returns each request with all its states, oldest first, even if its lines are far apart', async () => {
  const ledger = open();
  const ids = Array.from({ length: 5000 }, (_, number) => uuid(number));
  await ledger.record(ids.map((id) => sent(id)));
  appendFileSync(path(), '{"event":"submitted","id":"torn\n{"event":"later","id":"x"}\n');
  // Append the states in reverse order, with some long lines in between, so that related lines are far apart.
  const reversed = [...ids]
    .reverse()
    .flatMap((id, place) => [
      state(id, 'completed'),
      ...(place % 500 === 0 ? [sent(`far-${place}`, { group_id: 'x'.repeat(9000) })] : []),
    ]);
  await ledger.record(reversed);
  const all = await everything();
  expect(all.map(({ id }) => id)).toEqual([...ids, ...Array.from({ length: 10 }, (_, at) => `far-${at * 500}`)]);
  expect(all.slice(0, 5000).every(({ at, status }) => at !== undefined && status === 'completed')).toBe(true);
  expect(all.slice(5000).every(({ group_id }) => group_id?.length === 9000)).toBe(true);
});

it('stops reading when it is aborted', async () => {
  const aborter = new AbortController();
  const ledger = openLedger(folder, { ...options, signal: aborter.signal });
  await ledger.in(one).record([sent('a')]);
  aborter.abort(new Error('stopped'));
  await expect(everything(ledger)).rejects.toThrow('stopped');
});

it('hashes identities with its own key and keeps its files private', async () => {
  const ledger = open();
  const hash = await ledger.hash('email', 'a@b.c');
  await ledger.append([state('a', 'pending')]);
  expect(await open().hash('email', 'a@b.c')).toBe(hash);
  expect(await ledger.hash('other', 'a@b.c')).not.toBe(hash);
  for (const name of ['ledger.key', 'ledger.ndjson'])
    expect(statSync(join(folder, 'dsr', name)).mode & 0o777).toBe(0o600);
});

it('replaces a missing key only if no request needs it', async () => {
  await open().hash('email', 'a@b.c');
  const key = join(folder, 'dsr', 'ledger.key');
  rmSync(key);
  await open().append([state('a', 'pending')]);
  const identities = { email: await open().hash('email', 'a@b.c') };
  await open().record([{ ...sent('b'), identities }]);
  rmSync(key);
  await expect(open().hash('email', 'a@b.c')).rejects.toMatchObject({
    code: 'ledger.key',
    message: `The ledger's key, ${key}, is missing.`,
  });
  expect(existsSync(key)).toBe(false);
});

/** Returns the ids in each part of the open requests, and how many requests remain after each part. */
async function urgent(ledger: ScopedLedger, sizes = [1, 1000]) {
  const parts: string[][] = [];
  const lefts: number[] = [];
  for await (const { left, requests } of ledger.byUrgency(Infinity, () => sizes[parts.length] ?? 1000)) {
    parts.push(requests.map(({ id }) => id));
    lefts.push(left);
  }
  return { parts, lefts };
}

it("orders a workspace's open requests by urgency, even if their lines are far apart", async () => {
  const [first, ledger] = [open(), open(two)];
  const count = 3000;
  // Later requests are more urgent, except `whenever`, which has no deadline.
  await first.record([state(uuid(0), 'completed')]);
  await ledger.record([state(uuid(7), 'pending')]);
  const at = (number: number) => new Date(Date.parse('2026-01-01T00:00:00Z') - number * 1000).toISOString();
  const erasure = (id: string, more: Partial<SubmittedNews>) => sent(id, { subject_request_type: 'erasure', ...more });
  const requests = Array.from({ length: count }, (_, number) => erasure(uuid(number), { submitted_time: at(number) }));
  await recordInTurn(first, ledger, requests);
  await first.record([state(uuid(2999), 'cancelled')]);
  await ledger.record([
    state(uuid(2997), 'refused'),
    state(uuid(2997), 'pending'),
    // A resumed run writes the line a second time, but the first line counts.
    erasure(uuid(1), { submitted_time: at(count) }),
    state('elsewhere', 'pending'),
    state(uuid(2995), 'completed'),
    erasure('whenever', { regulation: 'other' }),
  ]);
  const { lefts, parts } = await urgent(ledger);
  // A cancellation in another workspace does not close the request here.
  expect([parts[0], lefts]).toEqual([[uuid(2999)], [1499, 499, 0]]);
  const second = Array.from({ length: 1001 }, (_, index) => uuid(2997 - 2 * index)).filter((id) => id !== uuid(2995));
  expect(parts[1]).toEqual(second);
  expect(parts[2]?.slice(-2)).toEqual([uuid(1), 'whenever']);
});

describe('requests with the same id', () => {
  const scopes = [one, two, elsewhere, { address: 'https://ö".example/"v3', workspace_id: '1","x' }];
  const statuses = ['pending', 'in_progress', 'completed', 'cancelled', 'refused'];

  /** Returns the results of every kind of read in a scope. */
  async function readings(ledger: ScopedLedger) {
    const ids = [uuid(0), uuid(1), 'a'];
    const found = await ledger.find(ids);
    return { found: ids.map((id) => found.get(id)), newest: await ledger.newest(2), ...(await urgent(ledger, [1])) };
  }

  it('are kept separate in every kind of read, as if each workspace had its own ledger', async () => {
    // Because 89 and 240 are coprime, every value of `pick` occurs exactly once.
    const events = Array.from({ length: 240 }, (_, step) => {
      const pick = (step * 89) % 240;
      const id = [uuid(0), uuid(1), 'a'][pick % 3] ?? '';
      const kind = Math.floor(pick / 3) % 5;
      const scope = scopes[Math.floor(pick / 15) % 4] ?? one;
      const event =
        pick < 60
          ? sent(id, { submitted_time: new Date(step * 86_400_000).toISOString() })
          : state(id, statuses[kind] ?? '');
      return { event, scope };
    });
    const shared = unscoped();
    const alone = new Map(scopes.map((scope) => [scope, openLedger(temporaryFolder(), options)]));
    for (const [step, { event, scope }] of events.entries()) {
      const own = alone.get(scope)?.in(scope);
      if (event.event === 'state' && step % 2 === 0)
        expect(await shared.in(scope).append([event])).toEqual(await own?.append([event]));
      else for (const ledger of [shared.in(scope), own]) await ledger?.record([event]);
      if (step % 40 !== 0) continue;
      for (const [key, ledger] of alone) expect(await readings(shared.in(key))).toEqual(await readings(ledger.in(key)));
    }
    for (const [key, ledger] of alone) {
      expect(await readings(open(key))).toEqual(await readings(ledger.in(key)));
      const mine = (await everything()).filter(
        (it) => it.address === key.address && it.workspace_id === key.workspace_id,
      );
      expect(new Map(mine.map((it) => [it.id, it]))).toEqual(
        new Map((await everything(ledger)).map((it) => [it.id, it])),
      );
    }
    expect(await everything()).toHaveLength(12);
  });

  it('get the states that versions without a chain recorded, but only if a single workspace uses the id', async () => {
    await open().hash('email', 'a@b.c');
    const older: LedgerEvent[] = [
      state('a', 'pending'),
      { ...sent('a'), ...one },
      state('b', 'pending'),
      { ...sent('b'), address: 'local', workspace_id: '2' },
      { ...sent('a'), ...two },
      state('a', 'cancelled'),
      state('b', 'completed'),
      state('c', 'pending'),
    ];
    writeFileSync(path(), older.map((event) => `${JSON.stringify(event)}\n`).join(''), { mode: 0o600 });
    await open(two).record([state('a', 'in_progress')]);
    expect((await everything()).map(({ id, states, workspace_id }) => [id, workspace_id, states.length])).toEqual([
      ['a', '1', 0],
      ['b', '2', 2],
      ['a', '2', 1],
    ]);
    expect(await unscoped().verify()).toMatchObject({ faults: [], adopted: { entries: 8 } });
  });
});
