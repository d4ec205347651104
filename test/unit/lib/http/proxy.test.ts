// The proxy variables: the proxy for an address, the exceptions in NO_PROXY, and the secrets in their values.
import { describe, expect, it } from 'vitest';
import { proxyAuthorization, proxyFor, proxySecrets } from '../../../../src/lib/http/engines/proxy.ts';

const PROXY = 'http://proxy.example:3128';
const OTHER = 'http://other.example';

describe('the proxy selection', () => {
  it.each([
    ['https://api.example', { https: PROXY }, PROXY],
    ['https://api.example', { https: 'proxy.example:3128' }, PROXY],
    ['https://api.example', { https: 'https://proxy.example' }, 'https://proxy.example'],
    ['http://127.0.0.1:4010', { http: 'http://localhost:8080' }, 'http://localhost:8080'],
    ['http://127.0.0.1:4010', { http: 'http://[::1]:8080', https: OTHER }, 'http://[::1]:8080'],
    ['http://api.example', { http: PROXY, https: OTHER }, PROXY],
  ])('for %s and the settings %j, selects the proxy %s', (origin, settings, expected) => {
    expect(proxyFor(origin, settings)?.origin).toBe(expected);
  });

  it.each([
    ['https://api.example', { http: PROXY }],
    ['https://api.example', { https: '' }],
    ['http://127.0.0.1:4010', { http: PROXY }],
    ['https://localhost:4010', { https: PROXY }],
    ['http://127.0.0.1:4010', { http: PROXY, https: OTHER }],
  ])('for %s and the settings %j, selects no proxy', (origin, settings) => {
    expect(proxyFor(origin, settings)).toBeUndefined();
  });

  it.each(['socks5://user:hunter2@proxy.example', 'http://', 'http://user:hunter2@[x'])(
    'rejects %s without printing it',
    (https) => {
      expect(() => proxyFor('https://api.example', { https })).toThrow(/^HTTPS_PROXY is not the address/);
      expect(() => proxyFor('https://api.example', { https })).not.toThrow(/hunter2/);
    },
  );

  it('reports the name of an invalid variable and the expected format', () => {
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
    ['*', 'https://api.example', 'directly'],
    ['api.example', 'https://api.example', 'directly'],
    ['API.Example', 'https://api.example', 'directly'],
    ['example', 'https://api.example', 'directly'],
    ['example', 'https://apiexample', 'through the proxy'],
    ['.example', 'https://api.example', 'directly'],
    ['.api.example', 'https://api.example', 'through the proxy'],
    ['*.example', 'https://api.example', 'directly'],
    ['other, api.example ', 'https://api.example', 'directly'],
    ['other api.example', 'https://api.example', 'directly'],
    ['api.example:443', 'https://api.example', 'directly'],
    ['api.example:8443', 'https://api.example', 'through the proxy'],
    ['api.example:8443', 'https://api.example:8443', 'directly'],
    ['10.1.2.3', 'https://10.1.2.3', 'directly'],
    ['10.0.0.0/8', 'https://10.1.2.3', 'directly'],
    ['10.0.0.0/16', 'https://10.1.2.3', 'through the proxy'],
    ['10.0.0.0/99', 'https://10.1.2.3', 'through the proxy'],
    ['.2.3', 'https://10.1.2.3', 'through the proxy'],
    ['2001:db8::1', 'https://[2001:db8::1]', 'directly'],
    ['[2001:db8::1]:443', 'https://[2001:db8::1]', 'directly'],
    ['[2001:db8::1]:80', 'https://[2001:db8::1]', 'through the proxy'],
    ['2001:DB8:0::/32', 'https://[2001:db8::1]', 'directly'],
    ['', 'https://api.example', 'through the proxy'],
    [',. ,', 'https://api.example', 'through the proxy'],
    ['api.example', 'https://other.api.example', 'directly'],
    ['.api.example', 'https://other.api.example', 'directly'],
    ['*.api.example', 'https://api.example', 'through the proxy'],
    ['*example', 'https://api.example', 'through the proxy'],
    ['pi.example', 'https://api.example', 'through the proxy'],
    ['api.example', 'https://api.example.com', 'through the proxy'],
    ['api.example:443', 'http://api.example', 'through the proxy'],
    ['api.example:80', 'http://api.example', 'directly'],
    ['api.example:80x', 'https://api.example', 'through the proxy'],
    ['api.example:443x', 'https://api.example', 'through the proxy'],
    ['api.example:', 'https://api.example', 'through the proxy'],
    [',. ,', 'https://api.example.', 'through the proxy'],
    [',, ', 'https://10.1.2.3', 'through the proxy'],
    ['x[2001:db8::1]', 'https://[2001:db8::1]', 'through the proxy'],
    ['127.0.0.0/0', 'https://10.1.2.3', 'directly'],
    ['10.1.2.3/32', 'https://10.1.2.3', 'directly'],
    ['10.1.2.3/32', 'https://10.1.2.4', 'through the proxy'],
    ['10.1.2.3', 'https://10.1.2.4', 'through the proxy'],
    ['10.1.2.3/33', 'https://10.1.2.3', 'through the proxy'],
    ['10.0.0.0/-1', 'https://10.1.2.3', 'through the proxy'],
    ['10.0.0.0/8.5', 'https://10.1.2.3', 'through the proxy'],
    ['10.0.0.0/x', 'https://10.1.2.3', 'through the proxy'],
    ['10.1.2.3:443', 'https://10.1.2.3', 'directly'],
    ['10.1.2.3:444', 'https://10.1.2.3', 'through the proxy'],
    ['10.1.2.3.example', 'https://10.1.2.3', 'through the proxy'],
    ['2001:db8::/32', 'https://[2001:db9::1]', 'through the proxy'],
    ['2001:db8::1/128', 'https://[2001:db8::1]', 'directly'],
    ['2001:db8::1', 'https://[2001:db8::2]', 'through the proxy'],
    ['2001:db8::/129', 'https://[2001:db8::1]', 'through the proxy'],
    ['[2001:db8::1]', 'https://[2001:db8::1]', 'directly'],
    ['[2001:db8::1]x', 'https://[2001:db8::1]', 'through the proxy'],
    ['10.0.0.0/8', 'https://[2001:db8::1]', 'through the proxy'],
    ['2001:db8::/32', 'https://10.1.2.3', 'through the proxy'],
    ['other,\tapi.example', 'https://api.example', 'directly'],
  ])('with NO_PROXY=%j, connects to %s %s', (none, origin, how) => {
    const settings = { https: PROXY, http: PROXY, none };
    expect(proxyFor(origin, settings) === undefined).toBe(how === 'directly');
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

  it('are treated as secrets, both encoded and decoded', () => {
    expect(proxySecrets({ https: 'http://user:p%40ss@proxy.example:3128' })).toEqual(['p%40ss', 'p@ss', 'user:p@ss']);
    expect(proxySecrets({ https: 'user:100%@proxy.example' })).toEqual(['100%', '100%', 'user:100%']);
    expect(proxySecrets({ https: 'http://proxy.example:3128', http: undefined })).toEqual([]);
  });

  it('are treated as secrets in both variables and with any scheme', () => {
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
