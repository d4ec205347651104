// What every request says of itself.
import { describe, expect, it } from 'vitest';
import type { BuiltRequest } from '../../../../src/lib/http/call/request.ts';
import { headersOf } from '../../../../src/lib/http/call/wire.ts';
import { VERSION } from '../../../../src/lib/kernel/version.ts';

const request: BuiltRequest = { method: 'GET', origin: 'https://api.example', path: '/', query: '', body: undefined };

describe('headersOf', () => {
  it('asks for JSON, compressed as servers like it, and says who asks', () => {
    expect(headersOf({ authorization: undefined, id: 'id-1', request })).toStrictEqual({
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': `cdpadm/${VERSION}`,
      'x-request-id': 'id-1',
    });
  });

  it('asks for anything else as it is', () => {
    expect(headersOf({ authorization: undefined, id: 'id-1', request: { ...request, accept: '*/*' } })).toMatchObject({
      accept: '*/*',
      'accept-encoding': 'identity',
    });
  });

  it('names the type of a body and carries credentials, where there are such', () => {
    expect(headersOf({ authorization: 'Bearer x', id: 'id-1', request: { ...request, body: '' } })).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer x',
    });
  });
});
