// A file of lines that nobody else may read: all of it under its name, or nothing.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPrivateLines } from '../../../../src/lib/files/private-lines.ts';
import { diskCalls } from '../../../helpers/disk-calls.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

describe('openPrivateLines', () => {
  it('writes every line, private, and gives the name only when all is there', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'lines');
    const file = openPrivateLines(path);
    const lines = Array.from({ length: 3000 }, (_, index) => `line ${index} ${'é'.repeat(60)}\n`);
    for (const line of lines) file.write(line);
    expect(readdirSync(folder)).not.toContain('lines');
    file.finish();
    expect(readFileSync(path, 'utf8')).toBe(lines.join(''));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['lines']);
  });

  it('is on the disk before it gets its name', () => {
    const path = join(temporaryFolder(), 'lines');
    const calls = diskCalls(() => {
      const file = openPrivateLines(path);
      file.write('a line\n');
      file.finish();
    });
    expect(calls).toEqual(['write', 'sync', 'link']);
  });

  it('is private from the first byte', () => {
    const folder = temporaryFolder();
    const file = openPrivateLines(join(folder, 'lines'));
    expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600]);
    file.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('never replaces what has the name, and leaves nothing beside it', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'lines');
    const file = openPrivateLines(path);
    file.write('mine\n');
    writeFileSync(path, 'theirs\n');
    expect(() => file.finish()).toThrow(
      expect.objectContaining({ code: 'usage', message: `${path} is there already and is not replaced.` }),
    );
    expect(readdirSync(folder)).toEqual(['lines']);
    expect(readFileSync(path, 'utf8')).toBe('theirs\n');
  });

  it('tells where it cannot be written', () => {
    const folder = temporaryFolder();
    expect(() => openPrivateLines(join(folder, 'gone', 'lines'))).toThrow(
      expect.objectContaining({
        code: 'files.write',
        message: expect.stringContaining('the folder does not exist') as string,
      }),
    );
  });
});
