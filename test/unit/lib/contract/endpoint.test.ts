// An id in a path can never turn into another path, a query or a different host.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { fillPath } from '../../../../src/lib/contract/endpoint.ts';
import { allEndpoints } from '../../../../src/lib/contract/index.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { thrownBy } from '../../../helpers/failure.ts';
import { runs } from '../../../helpers/size.ts';

const TEMPLATE = '/platform/v2/{first}/middle/{second}/';

const anyId = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.stringMatching(/^[./\\%?#@:;&=+ ~$'"<>{}|^`[\]-]{1,12}$/),
    fc.constantFrom(
      '...',
      './..',
      '../..',
      '%2e%2e',
      '%2E',
      '..%2f',
      '//evil.example',
      '?x=1',
      '#f',
      '\r\nX: y',
      '$&',
      '{second}',
    ),
  )
  .filter((id) => id !== '.' && id !== '..');

describe('fillPath', () => {
  it('keeps every id within its own path segment, with every URL parser', () => {
    fc.assert(
      fc.property(anyId, anyId, (first, second) => {
        const path = fillPath(TEMPLATE, { first, second });
        const url = new URL(path, 'https://api.example');
        expect(url.origin + url.search + url.hash).toBe('https://api.example');
        expect(url.pathname).toBe(path);
        const segments = url.pathname.split('/');
        expect(segments).toHaveLength(7);
        expect([segments[3], segments[5]].map((segment) => decodeURIComponent(segment ?? ''))).toEqual([first, second]);
        expect(path).toMatch(/^[\x21-\x7e]+$/);
      }),
      runs(3000),
    );
  });

  it.each([
    ['a b', 'a%20b'],
    ['user:core', 'user%3Acore'],
    ['audiences:*', 'audiences%3A*'],
    ['á/b', '%C3%A1%2Fb'],
    ['100%', '100%25'],
    [7, '7'],
    [9223372036854775807n, '9223372036854775807'],
  ])('encodes %s as %s', (id, segment) => {
    expect(fillPath('/x/{id}', { id })).toBe(`/x/${segment}`);
  });

  it.each(['', '.', '..', '\ud800', 'a\udc00b'])(
    'rejects %j, which no encoding can represent, as a usage error',
    (id) => {
      const failure = thrownBy(() => fillPath('/x/{roleId}/y', { roleId: id }));
      expect(failure).toBeInstanceOf(KnownError);
      expect(failure).toMatchObject({ code: 'usage', message: expect.stringMatching(/^roleId .*\.$/) as unknown });
    },
  );

  it('throws a TypeError for a missing value, which is a bug', () => {
    expect(() => fillPath('/x/{id}', {})).toThrow(new TypeError('path /x/{id} lacks id'));
    expect(() => fillPath('/x/{constructor}', Object.create(null) as Record<string, string>)).toThrow(TypeError);
  });

  it('returns a path without placeholders unchanged', () => {
    expect(fillPath('/oauth/token', {})).toBe('/oauth/token');
    expect(fillPath('/v2/groups/', { id: 'x' })).toBe('/v2/groups/');
  });
});

test('defines which field of each single-resource response repeats the id from the path', () => {
  const own = allEndpoints.filter(({ path, reply }) => reply && path.endsWith('}'));
  expect(own.length).toBeGreaterThan(8);
  for (const { about = {}, id, path } of own) {
    expect(Object.keys(about), id).toContain(/\{(\w+)\}$/.exec(path)?.[1]);
  }
});
