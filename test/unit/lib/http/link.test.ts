// Links in responses: their allowed targets and credentials.
import { describe, expect, it } from 'vitest';
import { linkEndpoint, linkRequest, plainSink } from '../../../../src/lib/http/call/link.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { thrownBy } from '../../../helpers/failure.ts';

const BASE = 'https://api.example/v3';
const accept = 'text/csv';
const ours = (url: string) => linkRequest({ url, accept, service: 'dsr' }, () => BASE);
const anywhere = (url: string) =>
  linkRequest({ url, accept }, () => {
    throw new Error('unexpected address lookup');
  });

describe('linkEndpoint', () => {
  it('is a repeatable GET that sends credentials only to its own service', () => {
    const common = { method: 'GET', safety: 'repeat', service: 'dsr' };
    expect(linkEndpoint({ url: '', accept, service: 'dsr' })).toMatchObject({ ...common, auth: 'dsr-basic' });
    expect(linkEndpoint({ url: '', accept })).toMatchObject({ ...common, auth: 'none' });
  });
});

describe('linkRequest', () => {
  it('requests the link unchanged, except for its fragment', () => {
    expect(ours(`${BASE}/r/1%2F2?part=2#x`)).toEqual({
      method: 'GET',
      origin: 'https://api.example',
      path: '/v3/r/1%2F2',
      query: '?part=2',
      accept,
      body: undefined,
    });
  });

  it.each([
    ['http://127.0.0.1:4010/c.pem', 'http://127.0.0.1:4010'],
    ['http://localhost/c.pem', 'http://localhost'],
    ['https://elsewhere.example/c.pem', 'https://elsewhere.example'],
  ])('allows %s if the link has no service', (url, origin) => {
    expect(anywhere(url)).toMatchObject({ origin, path: '/c.pem', query: '' });
  });

  it.each<[string, () => unknown, string]>([
    ['an invalid address', () => ours('no address'), 'The platform sent an invalid link: no address.'],
    [
      'a user name',
      () => ours('https://name@api.example/v3/r'),
      'The link https://api.example contains a user name or password.',
    ],
    [
      'a password',
      () => anywhere('https://:pw@api.example/r'),
      'The link https://api.example contains a user name or password.',
    ],
    [
      'a different path',
      () => ours('https://api.example/v3x/r'),
      'The link https://api.example/v3x/r is outside https://api.example/v3.',
    ],
    [
      'a different host',
      () => ours('https://other.example/v3/r'),
      'The link https://other.example/v3/r is outside https://api.example/v3.',
    ],
    ['the base itself', () => ours(BASE), `The link ${BASE} is outside ${BASE}.`],
    [
      'plain http',
      () => anywhere('http://elsewhere.example/c'),
      'The link http://elsewhere.example/c is not encrypted.',
    ],
    ['a file', () => anywhere('file:///etc/passwd'), 'The link file:///etc/passwd is not encrypted.'],
    [
      'a different scheme on this machine',
      () => anywhere('ftp://localhost/c'),
      'The link ftp://localhost/c is not encrypted.',
    ],
  ])('rejects a link with %s', (_name, ask, message) => {
    const error = thrownBy(ask);
    expect(error).toBeInstanceOf(KnownError);
    expect(error).toMatchObject({
      code: 'http.foreign_link',
      message: `${message} Nothing was sent there.`,
      hint: expect.stringContaining("only to the profile's addresses") as string,
    });
  });
});

describe('plainSink', () => {
  const sink = () => {
    const started: unknown[] = [];
    const written: Buffer[] = [];
    return {
      started,
      written,
      of: plainSink({ begin: (headers) => started.push(headers), write: (chunk) => written.push(chunk) }),
    };
  };

  it.each([[{}], [{ 'content-encoding': 'identity' }]])('accepts uncompressed bytes with the headers %j', (headers) => {
    const { started, of, written } = sink();
    of.begin(headers, 200);
    of.write(Buffer.from('a'));
    expect(started).toEqual([headers]);
    expect(written).toEqual([Buffer.from('a')]);
  });

  it('rejects compressed content', () => {
    const { started, of } = sink();
    expect(thrownBy(() => of.begin({ 'content-encoding': 'gzip' }, 200))).toMatchObject({
      code: 'http.unreadable',
      message: 'Unreadable response: it is compressed (gzip), but the request did not ask for that.',
      hint: expect.stringContaining('proxy settings') as string,
    });
    expect(started).toEqual([]);
  });
});
