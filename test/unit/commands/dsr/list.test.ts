// `dsr list`: which requests of the ledger are shown, in which order, and what is said of the others.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDsrHome } from '../../../helpers/dsr-home.ts';
import type { PlatformHome } from '../../../helpers/platform-home.ts';

interface Listed {
  subject_request_id: string;
  request_status: string;
  group_id: string | null;
  deadline: string;
}

const DAY_MS = 86_400_000;

let home: PlatformHome;
beforeEach(async () => {
  home = await createDsrHome();
});
afterEach(() => home.close());

const day = (ago: number): string => new Date(Date.now() - ago * DAY_MS).toISOString().replace(/\.\d+Z/, 'Z');

/** Rows of `group,type,days ago`, submitted in this order. */
async function submit(file: string, rows: readonly (readonly [group: string, type: string, ago: number])[]) {
  const lines = rows.map(
    ([group, type, ago], index) =>
      // A group takes 150 requests.
      `gdpr,${type},${file}${index}@example.com,${index < 140 ? group : `${group}${Math.floor(index / 140)}`},${day(ago)}`,
  );
  home.write(file, `regulation,subject_request_type,email,group_id,submitted_time\n${lines.join('\n')}\n`);
  const { code, stderr } = await home.run(['dsr', 'submit', '--bulk', file, '--yes']);
  expect(code, stderr).toBe(0);
}

const many = (count: number, group: string, type = 'erasure') =>
  Array.from({ length: count }, () => [group, type, 1] as const);

describe('what is due', () => {
  it('is chosen from the whole ledger, the most urgent first, however much was submitted since', async () => {
    await submit('old.csv', [['urgent', 'erasure', 25]]);
    await submit('new.csv', many(120, 'new'));
    // A run by itself: rows of one run go out together, and come into the ledger as they are answered.
    await submit('second.csv', [['second', 'erasure', 20]]);
    const { code, data, stderr } = await home.json<Listed[]>('dsr list --due');
    expect([code, data.length]).toEqual([0, 100]);
    expect(data.slice(0, 3).map(({ group_id: group }) => group)).toEqual(['urgent', 'second', 'new']);
    expect(stderr).toContain('22 more of the ledger may be due; these are the 100 most urgent (--limit).');
    const first = await home.json<Listed[]>('dsr list --due --limit 1');
    expect(first.data.map(({ group_id: group }) => group)).toEqual(['urgent']);
    expect(first.stderr).toContain('121 more of the ledger may be due; this is the most urgent (--limit).');
    const whole = await home.json<Listed[]>('dsr list --due --limit 122');
    expect([whole.data.length, whole.stderr]).toEqual([122, '']);
    // Without --due the newest come first, as they ever did.
    const newest = await home.json<Listed[]>('dsr list --limit 2');
    expect(newest.data.map(({ group_id: group }) => group)).toEqual(['second', 'new']);
    expect(newest.stderr).toContain('The ledger has more requests; these are the newest 2 (--limit).');
  });

  it('goes on behind those of which the platform says that they have ended', async () => {
    await submit('a.csv', [...many(7, 'ended', 'access'), ['open', 'erasure', 0]]);
    await home.platform.api.advance('4d');
    const { data, stderr } = await home.json<Listed[]>('dsr list --due --limit 1');
    expect([data.map(({ group_id: group }) => group), stderr]).toEqual([['open'], '']);
    expect((await home.json<Listed[]>('dsr list')).data).toHaveLength(8);
    expect((await home.run(`dsr cancel --yes ${data[0]?.subject_request_id ?? ''}`)).code).toBe(0);
    expect((await home.json<Listed[]>('dsr list --due')).data).toEqual([]);
  });

  it('asks the platform for so many at a time, and the next run goes on', async () => {
    await submit('a.csv', [['last', 'erasure', 0], ...many(1005, 'ended', 'access')]);
    await home.platform.api.advance('4d');
    const first = await home.json<Listed[]>('dsr list --due --limit 1');
    expect(first.data).toEqual([]);
    expect(first.stderr).toMatch(
      /None of the \d+ most urgent that the ledger has open still is; \d more were not asked/,
    );
    const second = await home.json<Listed[]>('dsr list --due --limit 1');
    expect(second.data.map(({ group_id: group }) => group)).toEqual(['last']);
  });
});
