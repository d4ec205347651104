// The proxy variables: the proxy for an address, the exceptions in NO_PROXY, and the secrets in them.
import { describe, expect, it } from 'vitest';
import { proxyAuthorization, proxyFor, proxySecrets } from '../../../../src/lib/http/engines/proxy.ts';

const PROXY = 'http://proxy.example:3128';

describe('proxyFor', () => {
  it.each([
    ['https://api.example', { https: PROXY }, PROXY],
    ['https://api.example', { http: PROXY }, undefined],
    ['https://api.example', { https: 'proxy.example:3128' }, PROXY],
    ['https://api.example', { https: 'https://proxy.example' }, 'https://proxy.example'],
    ['https://api.example', { https: '' }, undefined],
    ['http://127.0.0.1:4010', { http: PROXY }, undefined],
    ['https://localhost:4010', { https: PROXY }, undefined],
    ['http://127.0.0.1:4010', { http: 'http://localhost:8080' }, 'http://localhost:8080'],
  ])('selects the proxy for %s with %j', (origin, settings, expected) => {
    expect(proxyFor(origin, settings)?.origin).toBe(expected);
  });

  it.each([
    ['http://127.0.0.1:4010', 'http://[::1]:8080', 'http://[::1]:8080'],
    ['http://127.0.0.1:4010', PROXY, undefined],
    ['http://api.example', PROXY, PROXY],
  ])('selects the proxy for %s with HTTP_PROXY=%s', (origin, http, expected) => {
    expect(proxyFor(origin, { http, https: 'http://other.example' })?.origin).toBe(expected);
  });

  it.each(['socks5://user:hunter2@proxy.example', 'http://', 'http://user:hunter2@[x'])(
    'rejects %s without printing it',
    (https) => {
      expect(() => proxyFor('https://api.example', { https })).toThrow(/^HTTPS_PROXY is not the address/);
      expect(() => proxyFor('https://api.example', { https })).not.toThrow(/hunter2/);
    },
  );

  it('names the invalid variable and the expected form', () => {
    const invalid = { https: 'ftp://proxy.example', http: 'http://' };
    expect(() => proxyFor('https://api.example', invalid)).toThrow(/^HTTPS_PROXY is not the address/);
    expect(() => proxyFor('http://api.example', invalid)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringMatching(/^HTTP_PROXY is not the address/) as string,
        hint: expect.stringContaining('http://host:port') as string,
      }),
    );
  });

  it.each([
    ['*', 'https://api.example', true],
    ['api.example', 'https://api.example', true],
    ['API.Example', 'https://api.example', true],
    ['example', 'https://api.example', true],
    ['example', 'https://apiexample', false],
    ['.example', 'https://api.example', true],
    ['.api.example', 'https://api.example', false],
    ['*.example', 'https://api.example', true],
    ['other, api.example ', 'https://api.example', true],
    ['other api.example', 'https://api.example', true],
    ['api.example:443', 'https://api.example', true],
    ['api.example:8443', 'https://api.example', false],
    ['api.example:8443', 'https://api.example:8443', true],
    ['10.1.2.3', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/16', 'https://10.1.2.3', false],
    ['10.0.0.0/99', 'https://10.1.2.3', false],
    ['.2.3', 'https://10.1.2.3', false],
    ['2001:db8::1', 'https://[2001:db8::1]', true],
    ['[2001:db8::1]:443', 'https://[2001:db8::1]', true],
    ['[2001:db8::1]:80', 'https://[2001:db8::1]', false],
    ['2001:DB8:0::/32', 'https://[2001:db8::1]', true],
    ['', 'https://api.example', false],
    [',. ,', 'https://api.example', false],
    ['api.example', 'https://other.api.example', true],
    ['.api.example', 'https://other.api.example', true],
    ['*.api.example', 'https://api.example', false],
    ['*example', 'https://api.example', false],
    ['pi.example', 'https://api.example', false],
    ['api.example', 'https://api.example.com', false],
    ['api.example:443', 'http://api.example', false],
    ['api.example:80', 'http://api.example', true],
    ['api.example:80x', 'https://api.example', false],
    ['api.example:443x', 'https://api.example', false],
    ['api.example:', 'https://api.example', false],
    [',. ,', 'https://api.example.', false],
    [',, ', 'https://10.1.2.3', false],
    ['x[2001:db8::1]', 'https://[2001:db8::1]', false],
    ['127.0.0.0/0', 'https://10.1.2.3', true],
    ['10.1.2.3/32', 'https://10.1.2.3', true],
    ['10.1.2.3/32', 'https://10.1.2.4', false],
    ['10.1.2.3', 'https://10.1.2.4', false],
    ['10.1.2.3/33', 'https://10.1.2.3', false],
    ['10.0.0.0/-1', 'https://10.1.2.3', false],
    ['10.0.0.0/8.5', 'https://10.1.2.3', false],
    ['10.0.0.0/x', 'https://10.1.2.3', false],
    ['10.1.2.3:443', 'https://10.1.2.3', true],
    ['10.1.2.3:444', 'https://10.1.2.3', false],
    ['10.1.2.3.example', 'https://10.1.2.3', false],
    ['2001:db8::/32', 'https://[2001:db9::1]', false],
    ['2001:db8::1/128', 'https://[2001:db8::1]', true],
    ['2001:db8::1', 'https://[2001:db8::2]', false],
    ['2001:db8::/129', 'https://[2001:db8::1]', false],
    ['[2001:db8::1]', 'https://[2001:db8::1]', true],
    ['[2001:db8::1]x', 'https://[2001:db8::1]', false],
    ['10.0.0.0/8', 'https://[2001:db8::1]', false],
    ['2001:db8::/32', 'https://10.1.2.3', false],
    ['other,\tapi.example', 'https://api.example', true],
  ])('connects with NO_PROXY=%s to %s directly: %s', (none, origin, direct) => {
    const settings = { https: PROXY, http: PROXY, none };
    expect(proxyFor(origin, settings) === undefined).toBe(direct);
  });
});

describe('proxy credentials', () => {
  it.each([
    ['http://proxy.example', undefined],
    ['http://user@proxy.example', 'user:'],
    ['http://user:p%40ss%C3%A9@proxy.example', 'user:p@ssé'],
    ['http://user:100%@proxy.example', 'user:100%'],
  ])('are read from %s', (address, userinfo) => {
    const basic = userinfo === undefined ? undefined : `Basic ${Buffer.from(userinfo, 'utf8').toString('base64')}`;
    expect(proxyAuthorization(new URL(address))).toBe(basic);
  });

  it('are secret, both encoded and decoded', () => {
    expect(proxySecrets({ https: 'http://user:p%40ss@proxy.example:3128' })).toEqual(['p%40ss', 'p@ss', 'user:p@ss']);
    expect(proxySecrets({ https: 'user:100%@proxy.example' })).toEqual(['100%', '100%', 'user:100%']);
    expect(proxySecrets({ https: 'http://proxy.example:3128', http: undefined })).toEqual([]);
  });

  it('are secret in both variables, with any scheme', () => {
    expect(proxySecrets({ https: 'HTTPS://a:word-1@proxy.example', http: 'b:word-2@proxy.example' })).toEqual([
      'word-1',
      'word-1',
      'a:word-1',
      'word-2',
      'word-2',
      'b:word-2',
    ]);
    expect(proxySecrets({ https: 'http://user@proxy.example', http: 'http://proxy.example:80/a@b' })).toEqual([]);
  });
});
