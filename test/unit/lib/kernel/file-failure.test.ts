// The message and the hint for a file that cannot be written.
import { describe, expect, it } from 'vitest';
import { cannotWrite } from '../../../../src/lib/kernel/file-failure.ts';

const failed = (code: string): Error => Object.assign(new Error(`${code}: failed`), { code });

describe('cannotWrite', () => {
  it.each([
    ['ENOSPC', 'the disk is full', 'Free some space'],
    ['EDQUOT', 'the disk quota is used up', 'Free some space'],
    ['EROFS', 'the file system is read-only', 'Make it writable'],
    ['EACCES', 'permission denied', 'Make it writable'],
  ])('names the reason of %s, a remedy, and that the file is unchanged', (code, reason, remedy) => {
    const { message, hint } = cannotWrite('/state/token.json', failed(code));
    expect(message).toBe(`Cannot write /state/token.json: ${reason}.`);
    expect(hint).toContain(remedy);
    expect(hint).toContain('cdpadm help environment');
    expect(hint).toMatch(/^The file is unchanged\. /);
  });

  it('names no remedy for any other failure', () => {
    expect(cannotWrite('a', failed('EIO')).hint).toBe('The file is unchanged.');
  });

  it('prefers the hint of the caller', () => {
    expect(cannotWrite('a', failed('ENOSPC'), 'Fix that.').hint).toBe('Fix that.');
  });
});
