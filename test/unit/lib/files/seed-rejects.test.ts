// The rejects file: every row can be used as input again, and a resumed run appends to it.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRejects, type Reject } from '../../../../src/lib/files/seed-rejects.ts';
import { diskCalls } from '../../../helpers/disk-calls.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const reject = (original: string, line = 7): Reject => ({ file: 'a.csv', line, reason: 'no "xpid"', original });
const place = (line = 7): string => `{"rejected":{"file":"a.csv","line":${line},"reason":"no \\"xpid\\""}`;

describe('the rejects file', () => {
  it('is not created before the first row', () => {
    const path = join(temporaryFolder(), 'r.ndjson');
    const rejects = openRejects(path, undefined);
    rejects.add([]);
    rejects.sync();
    rejects.close();
    expect([rejects.path, rejects.bytes, existsSync(path)]).toEqual([path, null, false]);
  });

  it('contains each row with its position and reason, as unchanged JSON or as text', () => {
    const path = join(temporaryFolder(), 'r.ndjson');
    const rejects = openRejects(path, undefined);
    rejects.add([reject('{"xpid":\r\n 9223372036854775807}'), reject('1,"é"', 8)]);
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

  it('is synced to disk', () => {
    const rejects = openRejects(join(temporaryFolder(), 'r.ndjson'), undefined);
    const calls = diskCalls(() => {
      rejects.add([reject('x')]);
      rejects.sync();
    });
    rejects.close();
    expect(calls).toEqual(['write', 'sync']);
  });

  it("never replaces another run's rejects file", () => {
    const path = join(temporaryFolder(), 'r.ndjson');
    writeFileSync(path, 'theirs\n');
    expect(() => openRejects(path, undefined)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: `${path} already exists; it contains the rejected rows of another run.`,
        hint: expect.stringContaining('--rejects FILE') as string,
      }),
    );
    expect(readFileSync(path, 'utf8')).toBe('theirs\n');
  });

  it('never replaces a file that another process created', () => {
    const path = join(temporaryFolder(), 'r.ndjson');
    const rejects = openRejects(path, undefined);
    writeFileSync(path, 'theirs\n');
    expect(() => rejects.add([reject('x')])).toThrow(
      expect.objectContaining({
        code: 'files.write',
        message: `Cannot write ${path}: another process created it.`,
        hint: expect.stringContaining('--resume') as string,
      }),
    );
    expect(readFileSync(path, 'utf8')).toBe('theirs\n');
  });

  it("keeps an earlier run's rows up to the last checkpoint", () => {
    const path = join(temporaryFolder(), 'r.ndjson');
    writeFileSync(path, 'kept\nnot completed any more\n');
    const rejects = openRejects(path, 5);
    expect(rejects.bytes).toBe(5);
    rejects.add([reject('x')]);
    rejects.close();
    expect(readFileSync(path, 'utf8')).toBe(`kept\n${place()},"text":"x"}\n`);
  });

  it('is created again if no row in the old file is complete, or if the file is missing', () => {
    const path = join(temporaryFolder(), 'r.ndjson');
    writeFileSync(path, 'old\n');
    expect(openRejects(path, 0).bytes).toBeNull();
    expect(existsSync(path)).toBe(false);
    const rejects = openRejects(path, 5);
    expect(rejects.bytes).toBeNull();
    rejects.add([reject('x')]);
    rejects.close();
    expect(readFileSync(path, 'utf8')).toBe(`${place()},"text":"x"}\n`);
  });

  it('is reported if it cannot be written', () => {
    const folder = join(temporaryFolder(), 'gone');
    expect(() => openRejects(join(folder, 'r.ndjson'), undefined).add([reject('x')])).toThrow(
      expect.objectContaining({ code: 'files.write' }),
    );
    mkdirSync(join(folder, 'r.ndjson'), { recursive: true });
    expect(() => openRejects(join(folder, 'r.ndjson'), 5)).toThrow(expect.objectContaining({ code: 'files.write' }));
  });
});
