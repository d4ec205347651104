// Edits each number in the journals of interrupted runs by hand. The next run must report a damaged journal.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createDsrHome } from '../helpers/dsr-home.ts';
import { opened } from '../helpers/opened.ts';
import { startSeeding, userRows } from '../helpers/seeding-home.ts';

const ROWS = 10;

/** Each returns what replaces a number. `size` is the number of rows or bytes that the run has. */
const EDITS: readonly ((number: string, size: number) => string)[] = [
  () => '-1',
  () => '0.5',
  () => '9007199254740992',
  () => '12345678901234567890',
  () => 'NaN',
  () => 'null',
  (number) => `"${number}"`,
  (number) => String(Number(number) + 1),
  (_number, size) => String(size + 1),
];

/** Returns the text with each number replaced in each way, one at a time. */
function edited(text: string, ...sizes: number[]): string[] {
  const numbers = [...text.matchAll(/(?<=[[:,])\d[\d.]*(?=[\],}])/g)];
  const texts = numbers.flatMap(({ 0: number, index }) =>
    sizes.flatMap((size) =>
      EDITS.map((edit) => text.slice(0, index) + edit(number, size) + text.slice(index + number.length)),
    ),
  );
  return [...new Set(texts)].filter((other) => other !== text);
}

/** Returns the journal as earlier versions wrote it. */
const withoutDigests = (text: string): string => text.replaceAll(/,"digest":"[0-9a-f]{64}"\}$/gm, '}');

/** Starts a run that ends because the batch with row 3 is rejected, after later batches were accepted. */
async function interruptedSeeding(name: string, content: string) {
  let isOver = false;
  let release: () => void;
  const others = new Promise<void>((resolve) => (release = resolve));
  const seeding = await opened(
    startSeeding((body, request) => {
      if (request === 5) release();
      return !isOver && body.includes('"xpid":3,') ? others.then(() => ({ status: 403 })) : undefined;
    }),
  );
  seeding.write(name, content);
  const flags = [name, '--map', 'xpid=xpid', '--map', 'n=attr:Orders:count', '--cutoff-date', '2024-01-31'];
  const { code } = await seeding.bulk([...flags, '--batch-size', '2', '--concurrency', '3']);
  expect(code).toBe(4);
  isOver = true;
  const folder = join(seeding.stateFolder, 'seed');
  const [journal = ''] = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const path = join(folder, journal);
  return { seeding, path, text: readFileSync(path, 'utf8'), resume: () => seeding.bulk([...flags, '--resume']), flags };
}

const csv = `xpid,n\n${Array.from({ length: ROWS }, (_, row) => `${row + 1},3\n`).join('')}`;

it.each([
  ['NDJSON', 'users.ndjson', userRows(ROWS)],
  ['CSV', 'users.csv', csv],
])(
  'sends no row of %s if any number in the journal was edited, until the run is restarted',
  async (_format, ...file) => {
    const { flags, path, resume, seeding, text } = await interruptedSeeding(...file);
    expect(JSON.parse(text)).toMatchObject({ mark: { file: 0 }, beyond: [{ file: 0 }], counts: { rejected: 0 } });
    const sent = seeding.sink.requests;
    for (const other of edited(text, ROWS, file[1].length)) {
      writeFileSync(path, other);
      const { code, stderr } = await resume();
      expect([code, stderr], other).toEqual([1, expect.stringContaining(`The journal ${path} cannot be read.`)]);
    }
    expect(seeding.sink.requests).toBe(sent);
    const before = seeding.users().length;
    expect((await seeding.bulk([...flags, '--restart'])).result.accepted).toBe(ROWS);
    expect(seeding.users()).toHaveLength(before + ROWS);
  },
);

it('sends the remaining rows of NDJSON if the journal of an earlier version has no byte offset', async () => {
  const { path, resume, seeding, text } = await interruptedSeeding('users.ndjson', userRows(ROWS));
  writeFileSync(path, withoutDigests(text).replace(/"offset":\d+/, '"offset":-1'));
  expect((await resume()).code).toBe(0);
  const ids = seeding.users().map(({ xpid }) => Number(xpid));
  expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: ROWS }, (_, row) => row + 1));
});

/** Starts a run that ends because the third row is rejected. */
async function interruptedSubmission() {
  const home = await opened(createDsrHome());
  const line = 'dsr submit --bulk people.csv --regulation gdpr --type access --yes --concurrency 1';
  home.write('people.csv', `email,group_id\n${[1, 2, 3, 4].map((row) => `${row}@a.example,g\n`).join('')}`);
  await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', delay: 0, times: 2 });
  await home.platform.api.addFault({ method: 'POST', path: '/v3/requests/', status: 403 });
  const { code } = await home.run(line);
  expect(code).toBe(4);
  await home.platform.api.clearFaults();
  const folder = join(home.env['CDPADM_STATE_DIR'] ?? '', 'dsr', 'bulk');
  const [journal = ''] = readdirSync(folder).filter((file) => file.endsWith('.ndjson'));
  const path = join(folder, journal);
  return { home, path, text: readFileSync(path, 'utf8'), line };
}

it('submits no request if any number in the journal was edited', async () => {
  const { home, line, path, text } = await interruptedSubmission();
  expect(text).toMatch(/"p":\[\[1,.*"d":\[\[1,.*"u":\[/s);
  for (const other of edited(text, 4)) {
    writeFileSync(path, other);
    const { code, error } = await home.json(`${line} --resume`);
    expect([code, error.code], other).toEqual([1, 'dsr.journal']);
  }
  expect(await home.received('POST', '/v3')).toBe(3);
  writeFileSync(path, text);
  expect((await home.json(`${line} --resume`)).data).toMatchObject({ submitted: 2, skipped: 2 });
  expect((await home.json<unknown[]>('dsr list --group-id g')).data).toHaveLength(4);
});

it('reports no bug for any number in the journal of an earlier version', async () => {
  const { home, line, path, text } = await interruptedSubmission();
  for (const other of edited(withoutDigests(text), 4)) {
    writeFileSync(path, other);
    const resumed = await home.json(`${line} --resume --dry-run`);
    if (resumed.code !== 0) expect([resumed.code, resumed.error.code], other).toEqual([1, 'dsr.journal']);
    const { code, error } = await home.json(line.replace('gdpr', 'ccpa'));
    expect([error.code, code], other).toEqual(code === 12 ? ['dsr.bulk_again', 12] : ['dsr.journal', 1]);
  }
});
