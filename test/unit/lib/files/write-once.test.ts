// A new private file exists under its final name only when it is complete.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeNewFile } from '../../../../src/lib/kernel/durable.ts';
import { diskCalls } from '../../../helpers/disk-calls.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

/** Yields the strings, and calls `during` before the last one. */
async function* parts(texts: readonly string[], during: () => void = () => undefined): AsyncGenerator<string> {
  yield* texts.slice(0, -1);
  during();
  yield await Promise.resolve(texts.at(-1) ?? '');
}

describe('writeNewFile', () => {
  it('writes a private file, and gives it its final name when it is complete', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'lines');
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index} ${'é'.repeat(60)}\n`);
    let modes: number[] = [];
    const during = (): void => {
      expect(readdirSync(folder)).not.toContain('lines');
      modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
    };
    await writeNewFile(path, parts(lines, during));
    expect(modes).toEqual([0o600]);
    expect(readFileSync(path, 'utf8')).toBe(lines.join(''));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['lines']);
  });

  it('syncs the file before linking it to its final name', async () => {
    const path = join(temporaryFolder(), 'lines');
    expect(await diskCalls(() => writeNewFile(path, parts(['a line\n'])))).toEqual([
      'write',
      'sync',
      'link',
      'sync folder',
    ]);
  });

  it('does not leave a file if reading the parts fails', async () => {
    const folder = temporaryFolder();
    const failing = parts(['a\n', 'b\n'], () => {
      throw new Error('no more');
    });
    await expect(writeNewFile(join(folder, 'lines'), failing)).rejects.toThrow('no more');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('never replaces a file, and does not leave temporary files', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'lines');
    const taken = parts(['mine\n'], () => writeFileSync(path, 'theirs\n'));
    await expect(writeNewFile(path, taken)).rejects.toMatchObject({
      code: 'usage',
      message: `${path} already exists and was not overwritten.`,
    });
    expect(readdirSync(folder)).toEqual(['lines']);
    expect(readFileSync(path, 'utf8')).toBe('theirs\n');
  });

  it('reports a folder that does not exist', async () => {
    await expect(writeNewFile(join(temporaryFolder(), 'gone', 'lines'), parts(['x']))).rejects.toMatchObject({
      code: 'files.write',
      message: expect.stringContaining('the folder does not exist') as string,
    });
  });
});
