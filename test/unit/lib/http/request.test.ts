// Builds a request's URL and body from an endpoint and its input.
import { describe, expect, it } from 'vitest';
import { buildRequest, urlOf } from '../../../../src/lib/http/call/request.ts';
import { getThing, putThing } from './endpoints.ts';

const BASE = 'https://api.example/v3/';

describe('buildRequest', () => {
  it('appends the path to the address, and does not add a body by default', () => {
    const request = buildRequest(getThing, { params: { thingId: 'a' } }, BASE);
    expect(request).toEqual({
      method: 'GET',
      origin: 'https://api.example',
      path: '/v3/things/a',
      query: '',
      body: undefined,
    });
    expect(urlOf(request)).toBe('https://api.example/v3/things/a');
  });

  it('writes integers in the body exactly', () => {
    const body = { id: 'a', run: 2n ** 63n };
    expect(buildRequest(putThing, { params: { thingId: 'a' }, body }, BASE)).toMatchObject({
      method: 'PUT',
      body: '{"id":"a","run":9223372036854775808}',
    });
  });

  it.each<[Record<string, string | number | bigint | boolean | undefined>, string]>([
    [{}, ''],
    [{ page: undefined }, ''],
    [{ page: 2 }, '?page=2'],
    [{ filter: '', page: undefined }, '?filter='],
    [{ filter: 'a&b=c d+é', page: 2, all: false }, '?filter=a%26b%3Dc%20d%2B%C3%A9&page=2&all=false'],
    [{ 'a b': 'x' }, '?a%20b=x'],
  ])('writes the query %o as "%s"', (query, written) => {
    const request = buildRequest(getThing, { params: { thingId: 'a' }, query }, BASE);
    expect(request.query).toBe(written);
    expect(urlOf(request)).toBe(`https://api.example/v3/things/a${written}`);
  });

  it('rejects a missing path parameter', () => {
    expect(() => buildRequest(getThing, {}, BASE)).toThrow('path /things/{thingId} lacks thingId');
  });
});
