// The rejects file can be used as input again, and a resumed run appends to the file unless it was changed.
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  openRejects,
  type Reject,
  type RejectsFile,
  type RejectsState,
} from '../../../../src/lib/files/seed-rejects.ts';
import { diskCalls } from '../../../helpers/disk-calls.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const reject = (original: string, line = 7): Reject => ({ file: 'a.csv', line, reason: 'no "xpid"', original });
const place = (line = 7): string => `{"rejected":{"file":"a.csv","line":${line},"reason":"no \\"xpid\\""}`;
const LINE = (text: string): string => `${place()},"text":"${text}"}\n`;

let path: string;
let warnings: string[];
beforeEach(() => {
  path = join(temporaryFolder(), 'r.ndjson');
  warnings = [];
});
const open = (kept?: RejectsState): RejectsFile => openRejects(path, kept, (text) => warnings.push(text));

/** Writes rows as a run that ends at a checkpoint, and returns the state in that checkpoint. */
function written(...texts: string[]): RejectsState {
  const rejects = open();
  rejects.add(texts.map((text) => reject(text)));
  rejects.sync();
  rejects.close();
  return rejects.state();
}

/** Resumes with one more row, and returns the path of the file that the row was written to. */
function resumed(kept: RejectsState): string {
  const rejects = open(kept);
  rejects.add([reject('new')]);
  rejects.sync();
  rejects.close();
  return rejects.path;
}

describe('the rejects file', () => {
  it('is not created before the first row', () => {
    const rejects = open();
    rejects.add([]);
    rejects.sync();
    rejects.close();
    expect([rejects.path, rejects.bytes, existsSync(path)]).toEqual([path, null, false]);
  });

  it('contains each row with its position and reason, as JSON on one line or as text', () => {
    const rejects = open();
    rejects.add([reject('{"xpid":\r\n 9223372036854775807}'), reject('1,"é"', 8)]);
    rejects.sync();
    rejects.add([reject('[]', 9)]);
    rejects.sync();
    rejects.close();
    rejects.close();
    const text = [
      `${place()},"row":{"xpid":  9223372036854775807}}\n`,
      `${place(8)},"text":"1,\\"é\\""}\n`,
      `${place(9)},"row":[]}\n`,
    ].join('');
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(rejects.bytes).toBe(Buffer.byteLength(text));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is written and synced once for several rows, and reports that it is full before buffered rows use much memory', () => {
    const rejects = open();
    const calls = diskCalls(() => {
      rejects.add([reject('x')]);
      expect(rejects.isFull).toBe(false);
      rejects.add([reject('x'.repeat(2_000_000))]);
      expect(rejects.isFull).toBe(true);
      rejects.sync();
      expect(rejects.isFull).toBe(false);
    });
    rejects.close();
    expect(calls).toEqual(['write', 'sync']);
  });

  it("never replaces another run's rejects file", () => {
    writeFileSync(path, 'theirs\n');
    expect(() => open()).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: `${path} already exists and was not overwritten.`,
        hint: expect.stringContaining('--rejects FILE') as string,
      }),
    );
    expect(readFileSync(path, 'utf8')).toBe('theirs\n');
  });

  it('never replaces a file that another process created', () => {
    const rejects = open();
    writeFileSync(path, 'theirs\n');
    rejects.add([reject('x')]);
    expect(() => rejects.sync()).toThrow(
      expect.objectContaining({
        code: 'files.write',
        message: `Cannot write ${path}: another process created it.`,
        hint: expect.stringContaining('--rejects FILE') as string,
      }),
    );
    expect(readFileSync(path, 'utf8')).toBe('theirs\n');
  });

  it('is appended to if it was not changed, even if an older program version wrote the journal', () => {
    const { bytes, ...kept } = written('old');
    expect(resumed({ ...kept, bytes })).toBe(path);
    expect(readFileSync(path, 'utf8')).toBe(LINE('old') + LINE('new'));
    const now = statSync(path).size;
    expect(resumed({ path, bytes: now })).toBe(path);
    expect(readFileSync(path, 'utf8')).toBe(LINE('old') + LINE('new') + LINE('new'));
    expect(warnings).toEqual([]);
  });

  it.each([
    ['a checkpoint', ['old']],
    ['its first checkpoint', []],
  ])('loses only the rows that a killed run wrote after %s', (_what, texts) => {
    const before = written(...texts);
    const rejects = texts.length > 0 ? open(before) : open();
    rejects.add([reject('killed')]);
    const killed = rejects.state();
    rejects.sync();
    rejects.close();
    expect(resumed(killed)).toBe(path);
    expect(readFileSync(path, 'utf8')).toBe([...texts, 'new'].map(LINE).join(''));
    expect(warnings).toEqual([]);
  });

  it.each<[string, string]>([
    ['corrected without changing its length', LINE('odl')],
    ['extended', LINE('old') + LINE('mine')],
    ['shortened', LINE('o')],
    ['emptied', ''],
  ])('is kept if it was %s after the run, and more rows are written to a numbered file', (_what, text) => {
    const kept = written('old');
    writeFileSync(path, text);
    const other = path.replace('r.ndjson', 'r-2.ndjson');
    expect(resumed(kept)).toBe(other);
    expect([readFileSync(path, 'utf8'), readFileSync(other, 'utf8')]).toEqual([text, LINE('new')]);
    expect(warnings).toEqual([
      `${path} was changed after the run, so it is kept. Further rejected rows are written to ${other}.`,
    ]);
  });

  it('records each file that was kept because it had been changed', () => {
    const kept = written('old');
    writeFileSync(path, 'corrected once');
    const second = open(kept);
    second.add([reject('new')]);
    second.sync();
    second.close();
    writeFileSync(second.path, 'corrected twice');
    const third = openRejects(second.path, second.state(), () => undefined);
    expect(third.others).toEqual([path, second.path]);
    expect(third.state()).toMatchObject({ others: [path, second.path] });
  });

  it('is kept if it was changed after a killed run wrote its first rows', () => {
    const rejects = open();
    rejects.add([reject('killed')]);
    const killed = rejects.state();
    rejects.sync();
    rejects.close();
    appendFileSync(path, LINE('mine'));
    expect(resumed(killed)).not.toBe(path);
    expect(readFileSync(path, 'utf8')).toBe(LINE('killed') + LINE('mine'));
  });

  it('is created again, with a warning, if it was moved away', () => {
    const kept = written('old');
    rmSync(path);
    expect(resumed(kept)).toBe(path);
    expect(readFileSync(path, 'utf8')).toBe(LINE('new'));
    expect(warnings).toEqual([
      `${path} no longer exists. Its rows are missing from the new file, which contains only rows rejected from now on.`,
    ]);
  });

  it('causes an error if it cannot be written', () => {
    path = join(temporaryFolder(), 'gone', 'r.ndjson');
    const rejects = open();
    rejects.add([reject('x')]);
    expect(() => rejects.sync()).toThrow(expect.objectContaining({ code: 'files.write' }));
    mkdirSync(path, { recursive: true });
    expect(() => open({ path, bytes: statSync(path).size })).toThrow(expect.objectContaining({ code: 'files.write' }));
  });
});
