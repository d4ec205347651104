// A log's hash chain detects every change, survives a killed process, and adopts lines from older versions once.
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Chain, openChain } from '../../../../src/lib/kernel/chain.ts';
import { systemClock } from '../../../../src/lib/kernel/clock.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

let path: string;
let chain: Chain;
beforeEach(() => {
  path = join(temporaryFolder(), 'state', 'log.ndjson');
  chain = openChain(path, { clock: createTestClock() });
});

const object = (id: string): string => JSON.stringify({ event: 'state', id });
const objects = (...ids: string[]): string[] => ids.map(object);
const lines = (): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);
const rewrite = (text: readonly string[]): void => writeFileSync(path, text.map((line) => `${line}\n`).join(''));

async function faults(hash?: string): Promise<string[]> {
  return (await chain.verify(hash)).faults.map(({ message }) => message);
}

it("numbers each line, hashes it together with the previous line's hash, and keeps its files private", async () => {
  await chain.append(objects('a', 'b'));
  await openChain(path, { clock: systemClock }).append(objects('c'));
  let before = '0'.repeat(64);
  for (const [index, line] of lines().entries()) {
    const [body = '', own = ''] = line.split(',"chain":"');
    expect(JSON.parse(line)).toMatchObject({ id: 'abc'[index], entry: index + 1 });
    before = createHash('sha256').update(`${before}\n${body}`).digest('hex');
    expect(own).toBe(`${before}"}`);
  }
  expect(await chain.verify()).toEqual({
    tip: { entry: 3, hash: before },
    pruned: 0,
    adopted: null,
    unchained: 0,
    unfinished: 0,
    faults: [],
    omitted: 0,
    hasHash: true,
    notes: [],
  });
  for (const file of [path, `${path}.head`]) expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('reports an empty, valid chain before the first write', async () => {
  expect(await chain.verify()).toMatchObject({ tip: { entry: 0 }, faults: [] });
});

describe('verify', () => {
  beforeEach(() => chain.append(objects('a', 'b', 'c', 'd', 'e')));

  it.each<[name: string, change: (all: string[]) => string[], found: string[]]>([
    ['a changed line', (all) => all.with(2, all[2]?.replace('"c"', '"x"') ?? ''), ['entry 3 does not match its hash']],
    ['a missing line', (all) => all.toSpliced(1, 1), ['entry 2 is missing before this line']],
    ['missing lines', (all) => all.toSpliced(1, 2), ['entries 2 to 3 are missing before this line']],
    ['a missing first line', (all) => all.slice(1), ['entry 1 is missing before this line']],
    ['a missing last line', (all) => all.slice(0, -1), ['at the end: entry 5 is missing']],
    ['an empty file', () => [], ['at the end: entries 1 to 5 are missing']],
    ['an added line', (all) => all.toSpliced(2, 0, object('x')), ['it does not belong to the chain']],
    ['a repeated line', (all) => all.toSpliced(2, 0, all[1] ?? ''), ['entry 2 is a duplicate']],
    ['a truncated line', (all) => all.with(2, all[2]?.slice(0, 20) ?? ''), ['entry 3 is missing before this line']],
    ['a truncated last line', (all) => all.with(4, all[4]?.slice(0, 20) ?? ''), ['at the end: entry 5 is missing']],
    [
      'a line without its hash',
      (all) => all.with(2, object('c')),
      ['it does not belong to the chain', 'entry 3 is missing before this line'],
    ],
    [
      'two changes',
      (all) => all.with(0, all[0]?.replace('"a"', '"x"') ?? '').toSpliced(2, 1),
      ['entry 1 does not match its hash', 'entry 3 is missing before this line'],
    ],
    [
      'a checkpoint that replaces lines',
      (all) =>
        all.toSpliced(0, 2, `{"event":"checkpoint","entries":2,${all[1]?.slice(all[1].indexOf('"entry"')) ?? ''}`),
      ['the checkpoints replace 2 entries, but 0 were pruned'],
    ],
  ])('reports %s', async (_name, change, found) => {
    rewrite(change(lines()));
    expect(await faults()).toEqual(found);
  });

  it('reports that the last line was replaced, even if the new line has a valid hash', async () => {
    const head = readFileSync(`${path}.head`);
    rewrite(lines().slice(0, 4));
    const [, fourth = ''] = /"chain":"(\w+)"/.exec(lines().at(-1) ?? '') ?? [];
    writeFileSync(`${path}.head`, `0000000000000004 ${fourth}\n`);
    await chain.append(objects('x'));
    expect(await faults()).toEqual([]);
    writeFileSync(`${path}.head`, head);
    expect(await faults()).toEqual(['entry 5 was replaced after it was written']);
  });

  it('reports a missing head, even after the next write, because lines might be missing at the end', async () => {
    rewrite(lines().slice(0, 4));
    rmSync(`${path}.head`);
    const lost = 'lines may have been removed from the end';
    expect(await faults()).toEqual([`the head file is missing: ${lost}`]);
    await chain.append(objects('x'));
    await chain.append(objects('y'));
    expect(await faults()).toEqual([`the head file was missing: ${lost}`]);
  });

  it('still reports missing lines after the next write', async () => {
    rewrite(lines().slice(0, 3));
    await chain.append(objects('f'));
    expect(await faults()).toEqual(['entries 4 to 5 are missing before this line']);
  });

  it('accepts the hash of an earlier head, and reports a hash that no head had', async () => {
    const { tip } = await chain.verify();
    await chain.append(objects('f', 'g'));
    expect(await faults(tip.hash)).toEqual([]);
    expect(await faults('a'.repeat(64))).toEqual([`no line has the hash ${'a'.repeat(64)}`]);
  });

  it('notes that the hash with which every chain starts does not prove anything', async () => {
    const { faults, notes } = await chain.verify('0'.repeat(64));
    expect([faults, notes]).toEqual([[], ['every chain starts with this hash, so it proves nothing']]);
  });

  it('notes a damaged head, because lines might be missing at the end', async () => {
    const head = readFileSync(`${path}.head`, 'utf8');
    rewrite(lines().slice(0, 4));
    writeFileSync(
      `${path}.head`,
      head.replace(/.\n$/, (end) => (end === '0\n' ? '1\n' : '0\n')),
    );
    const { faults, notes } = await chain.verify();
    expect([faults, notes]).toEqual([[], ['the head file is damaged: lines may have been removed from the end']]);
    await chain.append(objects('x'));
    expect(await chain.verify()).toMatchObject({ faults: [], notes: [] });
  });

  it('limits the number of reported faults', async () => {
    rewrite(Array.from({ length: 1500 }, () => 'x'));
    const { faults: listed, omitted } = await chain.verify();
    expect([listed.length, omitted]).toEqual([1000, 501]);
  });
});

describe('a truncated write', () => {
  it('of lines leaves the chain valid, wherever it was truncated', async () => {
    await chain.append(objects('a'));
    const start = statSync(path).size;
    const head = readFileSync(`${path}.head`);
    await chain.append(objects('b', 'c'));
    const whole = readFileSync(path);
    for (let size = start; size <= whole.length; size++) {
      writeFileSync(path, whole);
      truncateSync(path, size);
      // Restore the old head, because the head is written after the lines.
      writeFileSync(`${path}.head`, head);
      expect(await faults(), `cut at ${size}`).toEqual([]);
      await openChain(path, { clock: systemClock }).append(objects('d'));
      const report = await chain.verify();
      expect(report.faults, `cut at ${size}`).toEqual([]);
      expect(lines().filter((line) => line.includes('"d"'))).toHaveLength(1);
    }
  });

  it.each([
    ['1 line', 1],
    ['9 lines', 9],
  ])('of the head leaves a chain of %s valid, wherever it was truncated', async (_lines, most) => {
    await chain.append(objects(...Array.from({ length: most }, String)));
    const before = readFileSync(`${path}.head`);
    await chain.append(objects('b', 'c'));
    const [after, text] = [readFileSync(`${path}.head`), readFileSync(path)];
    for (let size = 0; size <= after.length; size++) {
      writeFileSync(path, text);
      writeFileSync(`${path}.head`, Buffer.concat([after.subarray(0, size), before.subarray(size)]));
      expect(await faults(), `cut at ${size}`).toEqual([]);
      await openChain(path, { clock: systemClock }).append(objects('d'));
      expect(await faults(), `cut at ${size}`).toEqual([]);
    }
  });

  it('cannot occur in a head without a digest, because such a head is replaced as a whole', async () => {
    await chain.append(objects('a'));
    const old = readFileSync(`${path}.head`, 'utf8').replace(/ [0-9a-f]{8}\n$/, '\n');
    writeFileSync(`${path}.head`, old);
    const keptLink = `${path}.old`;
    linkSync(`${path}.head`, keptLink);
    await chain.append(objects('b'));
    expect(readFileSync(keptLink, 'utf8')).toBe(old);
    expect(await faults()).toEqual([]);
  });

  it('is counted as unfinished, like NUL bytes left on disk', async () => {
    await chain.append(objects('a'));
    appendFileSync(path, '{"event":"sta');
    await chain.append(objects('b'));
    appendFileSync(path, '\0\0\0');
    expect(await chain.verify()).toMatchObject({ unfinished: 2, faults: [], tip: { entry: 2 } });
  });
});

describe('prune', () => {
  it('replaces old lines with checkpoints and keeps all other lines unchanged, even when it runs twice', async () => {
    await chain.append(objects('a', 'b', 'c', 'd', 'e'));
    const before = lines();
    const { tip } = await chain.verify();
    expect(await chain.prune((line) => /"[ce]"/.test(line), { by: 'officer' })).toBe(3);
    expect(lines().map((line) => JSON.parse(line) as unknown)).toEqual([
      { event: 'checkpoint', entries: 2, entry: 2, chain: expect.any(String) as string },
      JSON.parse(before[2] ?? ''),
      { event: 'checkpoint', entries: 1, entry: 4, chain: expect.any(String) as string },
      JSON.parse(before[4] ?? ''),
      expect.objectContaining({ event: 'pruned', by: 'officer', entries: 3, entry: 6 }),
    ]);
    expect(await chain.verify(tip.hash)).toMatchObject({ pruned: 3, faults: [], notes: [], tip: { entry: 6 } });
    // A checkpoint contains only the hash of the last line that it replaces.
    for (const [index, line] of before.entries()) {
      const [, hash = ''] = /"chain":"(\w+)"/.exec(line) ?? [];
      const note = `no line has the hash ${hash}: it is from one of the 3 pruned entries, or lines were replaced or removed`;
      expect(await chain.verify(hash)).toMatchObject({ faults: [], notes: index === 0 ? [note] : [] });
    }
    await chain.append(objects('f'));
    expect(await chain.prune((line) => line.includes('"f"'), {})).toBe(2);
    expect(lines().map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
      'checkpoint',
      'pruned',
      'state',
      'pruned',
    ]);
    expect(await chain.verify()).toMatchObject({ pruned: 5, faults: [], tip: { entry: 8 } });
    rewrite(lines().toSpliced(2, 1));
    expect(await faults()).toEqual(['entry 7 is missing before this line']);
  });

  it('keeps the chain valid for any set of removed lines', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 4 }))),
        async (rounds) => {
          path = join(temporaryFolder(), 'log.ndjson');
          chain = openChain(path, { clock: systemClock });
          let number = 0;
          for (const [count, every] of rounds) {
            await chain.append(Array.from({ length: count }, () => object(`i${number++}`)));
            await chain.prune((line) => Number(/"i(\d+)"/.exec(line)?.[1]) % every === 0, {});
            expect(await faults()).toEqual([]);
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('lines from a version without a chain', () => {
  const old = ['{"event":"state","id":"a"}', '{"event":"st', '{"event":"state","id":"b"}'];

  it('are chained once, in order, before the next line', async () => {
    mkdirSync(dirname(path));
    writeFileSync(path, `${old.join('\n')}\n{"event":"sta`);
    chain = openChain(path, { actor: { by: 'ada', host: 'desk' }, clock: createTestClock() });
    await chain.append(objects('c'));
    await openChain(path, { clock: systemClock }).append(objects('d'));
    expect(lines().map((line) => line.replace(/,"chain".*/, ''))).toEqual([
      '{"event":"state","id":"a","entry":1',
      '{"event":"st',
      '{"event":"state","id":"b","entry":2',
      '{"event":"sta',
      '{"event":"chained","at":"2026-11-21T08:00:00.000Z","by":"ada","host":"desk","entries":2,"entry":3',
      '{"event":"state","id":"c","entry":4',
      '{"event":"state","id":"d","entry":5',
    ]);
    expect(await chain.verify()).toMatchObject({
      adopted: { entries: 2, at: '2026-11-21T08:00:00.000Z' },
      unfinished: 2,
      faults: [],
    });
  });

  it('are valid but not chained before the first write', async () => {
    mkdirSync(dirname(path));
    writeFileSync(path, `${old[0] ?? ''}\n${old[2] ?? ''}\n`);
    expect(await chain.verify()).toMatchObject({ unchained: 2, faults: [], tip: { entry: 0 } });
    await chain.append(objects('c'));
    expect(await chain.verify()).toMatchObject({ unchained: 0, faults: [], adopted: { entries: 2 } });
  });

  it('are valid without a head if the process that chained them was killed before it wrote the head', async () => {
    mkdirSync(dirname(path));
    writeFileSync(path, `${old[0] ?? ''}\n`);
    await chain.append(objects('c'));
    rewrite(lines().slice(0, 2));
    rmSync(`${path}.head`);
    expect(await faults()).toEqual([]);
    await chain.append(objects('d'));
    expect(await faults()).toEqual([]);
  });

  it('are reported as foreign to the chain once the chain exists', async () => {
    await chain.append(objects('a'));
    appendFileSync(path, `${object('b')}\n`);
    await chain.append(objects('c'));
    expect(await faults()).toEqual(['it does not belong to the chain']);
  });
});
