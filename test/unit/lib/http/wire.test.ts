// The headers of every request.
import { describe, expect, it } from 'vitest';
import type { BuiltRequest } from '../../../../src/lib/http/call/request.ts';
import { headersOf } from '../../../../src/lib/http/call/wire.ts';
import { VERSION } from '../../../../src/lib/kernel/version.ts';

const request: BuiltRequest = { method: 'GET', origin: 'https://api.example', path: '/', query: '', body: undefined };

describe('request headers', () => {
  it('accept compressed JSON and identify the client', () => {
    expect(headersOf({ authorization: undefined, id: 'id-1', request })).toStrictEqual({
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': `cdpadm/${VERSION}`,
      'x-request-id': 'id-1',
    });
  });

  it('accept other types only uncompressed', () => {
    expect(headersOf({ authorization: undefined, id: 'id-1', request: { ...request, accept: '*/*' } })).toMatchObject({
      accept: '*/*',
      'accept-encoding': 'identity',
    });
  });

  it('include the content type of a body and the credentials, if any', () => {
    expect(headersOf({ authorization: 'Bearer x', id: 'id-1', request: { ...request, body: '' } })).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer x',
    });
  });
});
