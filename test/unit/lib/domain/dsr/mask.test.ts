// A masked identity is recognizable only to its owner.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskIdentity } from '../../../../../src/lib/render/dsr-request.ts';

describe('maskIdentity', () => {
  it.each([
    ['ada@example.org', 'a***@***.org'],
    ['a@b.co.uk', 'a***@***.uk'],
    ['ada@localhost', 'a***@***'],
    ['ada@example.x', 'a***@***'],
    ['ada@10.0.0.7', 'a***@***'],
    ['ada@example.org and more', 'ad***'],
    ['to ada@example.org', 'to***'],
    ['+491701234567', '+4***'],
    ['12345', '***'],
    ['123456', '12***'],
    ['😀😀😀😀😀', '***'],
    ['😀😀😀😀😀😀', '😀😀***'],
  ])('masks %s as %s', (value, masked) => {
    expect(maskIdentity(value)).toBe(masked);
  });
});

it('masks any email address', () => {
  fc.assert(
    fc.property(fc.emailAddress(), (mail) => {
      const masked = maskIdentity(mail);
      expect(masked).not.toBe(mail);
      expect(masked.length).toBeLessThan(mail.length + 6);
      // Check only the local part: the mask shows the end of the domain, which may contain the same letters.
      expect(masked.split('@')[0]).toBe(`${mail.charAt(0)}***`);
    }),
  );
});
