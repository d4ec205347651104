// A bulk run's journal: written lines are read back, even after a process was killed.
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, describe, it } from 'vitest';
import {
  type JournalHead,
  type JournalLine,
  journalPath,
  openDsrJournal,
} from '../../../../src/lib/files/bulk-journal.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const HEAD: JournalHead = {
  version: 1,
  input: 'rows.csv',
  rows: 3,
  settings: 's',
  results: '/r.csv',
  submitted_time: '2026-11-21T08:00:00Z',
  at: '2026-11-21T08:00:00Z',
};
const ID = '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11';
const LINES: JournalLine[] = [
  {
    p: [
      [1, ID],
      [2, '6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c12'],
    ],
  },
  { u: [2] },
  {
    d: [
      [1, 'submitted'],
      [3, 'failed', 'why'],
    ],
  },
];

/** Writes a journal as an earlier process would have left it, and returns its path. */
function leftJournal(text: string): string {
  const path = journalPath('dsr', temporaryFolder(), ['a']);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

async function linesOf(path: string): Promise<JournalLine[]> {
  const journal = openDsrJournal(path);
  const found: JournalLine[] = [];
  try {
    for await (const line of journal.lines()) found.push(line);
  } finally {
    journal.close();
  }
  return found;
}

async function headOf(path: string): Promise<JournalHead | undefined> {
  const journal = openDsrJournal(path);
  try {
    return await journal.head();
  } finally {
    journal.close();
  }
}

/** Returns the error that every read reports for a file that is not a journal. */
const unreadable = (path: string): unknown => ({
  code: 'dsr.journal',
  message: `The journal ${path} cannot be read, so it is unknown what was submitted.`,
  hint: expect.stringContaining('ledger export') as string,
});

/** Returns lines as earlier versions wrote them. */
const text = (...lines: unknown[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** Returns the lines of a file without their digests. */
const undigested = (path: string): string =>
  readFileSync(path, 'utf8').replaceAll(/,"digest":"[0-9a-f]{64}"\}$/gm, '}');

describe('a journal', () => {
  it('returns its head and each line when it is reopened, and is private', async () => {
    const path = journalPath('dsr', temporaryFolder(), ['a']);
    const journal = openDsrJournal(path);
    expect(await journal.head()).toBeUndefined();
    journal.write(HEAD);
    journal.write(...LINES.slice(0, 2));
    journal.write(...LINES.slice(2));
    journal.close();
    expect(await headOf(path)).toEqual(HEAD);
    expect(await linesOf(path)).toEqual(LINES);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(undigested(path)).toBe(text(HEAD, ...LINES));
  });

  it('is written immediately, and the next process appends to it', async () => {
    const path = leftJournal(text(HEAD));
    const journal = openDsrJournal(path);
    journal.write(LINES[0] as JournalLine);
    expect(undigested(path)).toBe(text(HEAD, LINES[0]));
    journal.close();
    expect(await linesOf(path)).toEqual(LINES.slice(0, 1));
  });

  it('is used by one process at a time', () => {
    const path = journalPath('dsr', temporaryFolder(), ['a']);
    const first = openDsrJournal(path);
    expect(() => openDsrJournal(path)).toThrow(
      expect.objectContaining({
        code: 'dsr.bulk_running',
        message: 'This bulk run is already in progress in another process.',
        hint: expect.stringContaining('--resume') as string,
      }),
    );
    first.close();
    openDsrJournal(path).close();
  });

  it('has its own path for each run', () => {
    const path = (...key: string[]): string => journalPath('dsr', '/state', key);
    expect(path('a', 'b')).toBe(path('a', 'b'));
    expect(new Set([path('a', 'b'), path('b', 'a'), path('ab'), path('a')]).size).toBe(4);
    expect(path('a')).toMatch(/^\/state\/dsr\/bulk\/[0-9a-f]{32}\.ndjson$/);
  });
});

describe("a killed process's journal", () => {
  it.each([
    ['nothing', ''],
    ['half a head', JSON.stringify(HEAD).slice(0, 30)],
    ['half a head that the next process terminated', `${JSON.stringify(HEAD).slice(0, 30)}\n`],
    ['empty lines', '\n\n'],
    ['a head cut off inside a number', '{"version":1,"input":"x","rows":'],
  ])('is treated as new if it contains %s, because nothing was sent', async (_what, content) => {
    const path = leftJournal(content);
    expect(await headOf(path)).toBeUndefined();
    expect(existsSync(path)).toBe(false);
  });

  it('is read without its partial line, and the next line that is written stays intact', async () => {
    const path = leftJournal(text(HEAD, LINES[0]) + JSON.stringify(LINES[1]).slice(0, 4));
    expect(await headOf(path)).toEqual(HEAD);
    expect(await linesOf(path)).toEqual(LINES.slice(0, 1));
    const journal = openDsrJournal(path);
    journal.write(LINES[2] as JournalLine);
    journal.close();
    expect(await linesOf(path)).toEqual([LINES[0], LINES[2]]);
  });

  it.each(['', '\0\0', '\r'])('is read without a line that was cut off anywhere, and ends in %j', async (end) => {
    const path = journalPath('dsr', temporaryFolder(), ['a']);
    const journal = openDsrJournal(path);
    journal.write(HEAD, ...LINES);
    journal.close();
    const lines = readFileSync(path, 'utf8').split('\n');
    const last = lines.at(-2) ?? '';
    for (let length = 0; length < last.length; length++) {
      writeFileSync(path, [...lines.slice(0, -2), last.slice(0, length) + end, lines[1], ''].join('\n'));
      expect(await linesOf(path), last.slice(0, length)).toEqual([LINES[0], LINES[1], LINES[0]]);
    }
  });

  it('is read without a line that was cut off at any byte of its reason', async () => {
    const reason = Buffer.from(JSON.stringify({ d: [[1, 'failed', 'café € 😀']] }));
    const start = reason.indexOf('caf');
    for (let length = start; length < reason.length; length++) {
      const path = leftJournal(text(HEAD, LINES[0]));
      appendFileSync(path, Buffer.concat([reason.subarray(0, length), Buffer.from(`\n${text(LINES[1])}`)]));
      expect(await headOf(path), String(length)).toEqual(HEAD);
      expect(await linesOf(path), String(length)).toEqual([LINES[0], LINES[1]]);
    }
  });

  it('is read to the end even if it has no trailing newline', async () => {
    const path = leftJournal(text(HEAD, ...LINES).trimEnd());
    expect(await linesOf(path)).toEqual(LINES);
  });

  it('is read correctly if a line spans several chunks', async () => {
    const path = leftJournal(text(HEAD));
    const many: JournalLine[] = Array.from({ length: 200 }, (_, row) => ({ d: [[row, 'failed', 'é'.repeat(700)]] }));
    appendFileSync(path, text(...many));
    expect(await linesOf(path)).toEqual(many);
  });
});

describe('a file that is not a journal', () => {
  it.each([
    ['a different version', text({ ...HEAD, version: 2 }, LINES[0])],
    ['a head without its number of rows', text({ version: 1 }, LINES[0])],
    ['text', 'once upon\na time\n'],
    ['a journal without newlines', text(HEAD, ...LINES).replaceAll('\n', '\r')],
    ['one edited line', text({ ...HEAD, digest: 'a'.repeat(64) })],
  ])('is rejected and not removed: %s', async (_what, content) => {
    const path = leftJournal(content);
    await expect(headOf(path)).rejects.toMatchObject(unreadable(path) as object);
    expect(readFileSync(path, 'utf8')).toBe(content);
  });
});

it.each([
  ['other text', 'é\n'],
  ['a reason', '{"d":[[1,"failed","é"]],"digest":"0"}\n'],
])('reports a journal with bytes that are not UTF-8 as damaged: %s', async (_where, line) => {
  const path = leftJournal(text(HEAD, LINES[0]));
  appendFileSync(path, Buffer.from(line, 'latin1'));
  await expect(linesOf(path)).rejects.toMatchObject(unreadable(path) as object);
});

it('rejects a journal in which any letter or digit of a line was edited', async () => {
  const path = journalPath('dsr', temporaryFolder(), ['a']);
  const journal = openDsrJournal(path);
  journal.write(HEAD, ...LINES);
  journal.close();
  const written = readFileSync(path, 'utf8');
  const first = written.indexOf('\n') + 1;
  for (let at = first; at < written.length; at++) {
    if (!/\w/.test(written.charAt(at))) continue;
    writeFileSync(path, `${written.slice(0, at)}${written[at] === '7' ? '8' : '7'}${written.slice(at + 1)}`);
    await expect(linesOf(path), String(at)).rejects.toMatchObject(unreadable(path) as object);
  }
  writeFileSync(path, written.replace('"rows":3', '"rows":4'));
  await expect(headOf(path)).rejects.toMatchObject(unreadable(path) as object);
});

describe("a journal's head", () => {
  it.each<[keyof JournalHead, unknown[]]>([
    ['version', [undefined, 0, 2, '1']],
    ['input', [undefined, null, 5]],
    ['rows', [undefined, null, '3', -1, 1.5, 2 ** 28, 2 ** 53, [3]]],
    ['settings', [undefined, null, {}]],
    ['results', [undefined, null, 5, '', 'r.csv', './r.csv']],
    ['submitted_time', [undefined, null, 1_774_000_000]],
    ['at', [undefined, null, true]],
  ])('is rejected if a field has an invalid value: %s', async (field, invalid) => {
    for (const value of invalid) {
      const path = leftJournal(text({ ...HEAD, [field]: value }, LINES[0]));
      await expect(headOf(path), JSON.stringify(value)).rejects.toMatchObject(unreadable(path) as object);
    }
  });

  it('is accepted with empty strings and zero rows', async () => {
    const head = { ...HEAD, input: '', settings: '', rows: 0 };
    expect(await headOf(leftJournal(text(head, LINES[0])))).toEqual(head);
  });

  it.each(['null', '1', '"x"', '[]', '{}'])(
    'is rejected if it is not an object with the required fields: %s',
    async (line) => {
      const path = leftJournal(`${line}\n${text(LINES[0])}`);
      await expect(headOf(path)).rejects.toMatchObject(unreadable(path) as object);
    },
  );
});

describe('a line after the head', () => {
  it.each<[string, JournalLine]>([
    ['no rows', { p: [] }],
    ['the first row and the last', { u: [0, Number.MAX_SAFE_INTEGER] }],
    ...(['submitted', 'existing', 'failed', 'skipped'] as const).map((state): [string, JournalLine] => {
      return [`a row that was ${state}`, { d: [[1, state]] }];
    }),
    ['a reason', { d: [[1, 'failed', '']] }],
  ])('is accepted with %s', async (_what, line) => {
    expect(await linesOf(leftJournal(text(HEAD, line)))).toEqual([line]);
  });

  it.each<[string, unknown[]]>([
    ['is not an object with rows', [null, 1, 'x', [], {}, { x: [1] }, { p: {} }, { p: 1 }, { d: null }, { u: 'x' }]],
    ['has an id without its row', [{ p: [ID] }, { p: [[ID]] }, { p: [[]] }, { p: [null] }, { p: [[null, ID]] }]],
    ['has a row without its id', [{ p: [1] }, { p: [[1]] }, { p: [[1, null]] }, { p: [[1, 5]] }, { p: [[1, '']] }]],
    ['has a damaged id', [{ p: [[1, ID.slice(1)]] }, { p: [[1, ID.replace('6', 'x')]] }, { p: [[1, `${ID}0`]] }]],
    ['has an invalid row number', [{ p: [['1', ID]] }, { p: [[-1, ID]] }, { p: [[1.5, ID]] }, { p: [[1e300, ID]] }]],
    ['has a valid and an invalid row', [{ p: [[1, ID], [2]] }, { u: [1, '2'] }, { d: [[1, 'failed'], [2]] }]],
    ['withdraws an invalid row', [{ u: ['1'] }, { u: [null] }, { u: [-1] }, { u: [0.5] }, { u: [[1]] }]],
    [
      'completes an invalid row',
      [{ d: [1] }, { d: ['submitted'] }, { d: [null] }, { d: [['1', 'failed']] }, { d: [[-1, 'failed']] }],
    ],
    [
      'completes a row with an unknown outcome',
      [{ d: [[1]] }, { d: [[1, 'open']] }, { d: [[1, 5]] }, { d: [[1, null]] }],
    ],
    ['has a reason that is not a string', [{ d: [[1, 'failed', 5]] }, { d: [[1, 'failed', null]] }]],
  ])('is rejected if it %s', async (_what, invalid) => {
    for (const line of invalid) {
      const path = leftJournal(text(HEAD, LINES[0], line, LINES[1]));
      await expect(linesOf(path), JSON.stringify(line)).rejects.toMatchObject(unreadable(path) as object);
    }
  });
});

it.each(['{"u":[NaN]}', '{"u":[1],}', '{"u":[01]}', 'x'])(
  'rejects a line that is not JSON, but was not cut off: %s',
  async (line) => {
    const path = leftJournal(`${text(HEAD)}${line}\n${text(LINES[0])}`);
    await expect(linesOf(path)).rejects.toMatchObject(unreadable(path) as object);
  },
);

it('skips empty lines between the lines of a journal', async () => {
  const path = leftJournal(`${text(HEAD)}\n\n${text(LINES[0])}\n${text(LINES[1])}`);
  expect(await headOf(path)).toEqual(HEAD);
  expect(await linesOf(path)).toEqual(LINES.slice(0, 2));
});
