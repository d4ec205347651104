// Messages and hints for files that cannot be written.
import { describe, expect, it } from 'vitest';
import { cannotCreate, cannotWrite } from '../../../../src/lib/kernel/errors.ts';

const failed = (code: string): Error => Object.assign(new Error(`${code}: failed`), { code });

describe('cannotWrite', () => {
  it.each([
    ['ENOSPC', 'the disk is full', 'Free some space'],
    ['EDQUOT', 'the disk quota is used up', 'Free some space'],
    ['EROFS', 'the file system is read-only', 'Make its folder writable'],
    ['EBUSY', 'it is a mount point, or another program uses it', 'Mount the folder instead of the file'],
    ['EACCES', 'permission denied', 'Make its folder writable'],
  ])('reports the reason for %s and a fix, and states that the file was not written', (code, reason, remedy) => {
    const { message, hint } = cannotWrite('/state/token.json', failed(code));
    expect(message).toBe(`Cannot write /state/token.json: ${reason}.`);
    expect(hint).toContain(remedy);
    expect(hint).toContain('use another folder');
    expect(hint).toMatch(/^The file was not written\. /);
  });

  it('suggests creating a missing folder, but does not suggest a fix for other failures', () => {
    expect(cannotWrite('a/b', failed('ENOENT')).hint).toBe(
      'The file was not written. Create the folder, or use another folder.',
    );
    expect(cannotWrite('a', failed('EIO')).hint).toBe('The file was not written.');
  });

  it("prefers the caller's hint over its own hint", () => {
    expect(cannotWrite('a', failed('ENOSPC'), 'Fix that.').hint).toBe('Fix that.');
  });
});

describe('cannotCreate', () => {
  it.each([
    ['EROFS', 'the file system is read-only', 'Make its folder writable by you'],
    ['EEXIST', 'there is a file where the folder should be', 'Fix the path'],
  ])('reports the reason for %s and the variables that set other folders', (code, reason, remedy) => {
    const { message, hint } = cannotCreate('/.local/share/cdpadm', failed(code));
    expect(message).toBe(`Cannot create the folder /.local/share/cdpadm: ${reason}.`);
    expect(hint).toBe(
      `${remedy}, or set other folders with CDPADM_CONFIG_DIR, CDPADM_STATE_DIR, CDPADM_CACHE_DIR and CDPADM_DATA_DIR.`,
    );
  });
});
