// The redactor masks canaries in every encoding and leaves harmless text unchanged.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, MASK, type Redactor } from '../../../../src/lib/kernel/redact.ts';
import { runs } from '../../../helpers/size.ts';

const CANARY = 'c4n/ry+S€cret "with" \\ all=kinds&of%chars';

function redactorOf(...secrets: string[]): Redactor {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor;
}

function bytes(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}

function ascii(text: string): string {
  return JSON.stringify(text).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const SPELLINGS: [string, (secret: string) => string][] = [
  ['plain text', (secret) => secret],
  ['Base64', (secret) => bytes(secret).toString('base64')],
  ['Base64 without padding', (secret) => bytes(secret).toString('base64').replace(/=+$/, '')],
  ['Base64url', (secret) => bytes(secret).toString('base64url')],
  ['lowercase hex', (secret) => bytes(secret).toString('hex')],
  ['uppercase hex', (secret) => bytes(secret).toString('hex').toUpperCase()],
  ['a URL', (secret) => encodeURIComponent(secret)],
  [
    'a URL with lowercase hex digits',
    (secret) => encodeURIComponent(secret).replace(/%../g, (octet) => octet.toLowerCase()),
  ],
  ['a path', (secret) => encodeURIComponent(secret).replaceAll('%2F', '/')],
  ['a whole URL', (secret) => encodeURI(secret)],
  ['a form', (secret) => new URLSearchParams({ a: secret }).toString().slice(2)],
  ['JSON', (secret) => JSON.stringify(secret)],
  ['JSON in ASCII', ascii],
  ['JSON with escaped slashes', (secret) => JSON.stringify(secret).replaceAll('/', '\\/')],
  ['JSON in JSON', (secret) => JSON.stringify(JSON.stringify(secret))],
];

describe('a known secret', () => {
  it.each(SPELLINGS)('is masked in %s', (_name, spell) => {
    const written = spell(CANARY);
    const shown = redactorOf(CANARY).text(`before ${written} after, and ${written}`);
    expect(shown.replace(/[\\"]/g, '')).toBe(`before ${MASK} after, and ${MASK}`);
  });

  it('is masked in every encoding, with any characters and any surrounding text', () => {
    const secret = fc.string({ unit: 'binary', minLength: 8, maxLength: 40 }).filter((text) => !/^\*+$/.test(text));
    fc.assert(
      fc.property(secret, fc.constantFrom(...SPELLINGS), fc.string(), fc.string(), (text, [, spell], before, after) => {
        const core = spell(text).replace(/^\\*"|\\*"$/g, '');
        expect(redactorOf(text).text(`${before}${core}${after}`)).not.toContain(core);
      }),
      runs(2000),
    );
  });

  it('is masked at any position inside longer Base64', () => {
    const secret = 'tN7-qLx2_VbR9fJc4ZsD1mWy';
    for (const key of ['k', 'ke', 'key', 'workspace-key', '']) {
      const encoded = bytes(`${key}:${secret}\n`).toString('base64');
      const shown = redactorOf(secret).text(`sent ${encoded}`);
      const rest = Buffer.from(shown.replace('sent ', '').replace(MASK, ''), 'base64').toString('latin1');
      expect(shown).toContain(MASK);
      for (let at = 0; at + 3 <= secret.length; at++) expect(rest).not.toContain(secret.slice(at, at + 3));
      expect(rest.length).toBeLessThan(key.length + 8);
    }
  });

  it('is masked completely if it overlaps or contains another secret', () => {
    const redactor = redactorOf('abcdefgh', 'fghijklm', 'abcd', 'hijk');
    expect(redactor.text('x abcdefghijklm y')).toBe(`x ${MASK} y`);
    expect(redactor.text('x abcdx fghijklm')).toBe(`x ${MASK}x ${MASK}`);
    expect(redactorOf('aaaa').text('aaaaaaa')).toBe(MASK);
  });

  it('is masked in each of its lines if it has several lines', () => {
    const lines = [
      'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw',
      'ggSjAgEAAoIBAQC7VJTUt9Us8cKjMzEfYyji',
      'WA4R4/M2bS1GB4t7NXp98C3SC6dVMvDu',
    ];
    const pem = `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
    for (const secret of [pem, JSON.stringify({ type: 'service_account', private_key: pem })]) {
      for (const line of lines) expect(redactorOf(secret).text(`key: ${line}`)).toBe(`key: ${MASK}`);
      expect(redactorOf(secret).text('-----BEGIN PRIVATE KEY-----')).toBe('-----BEGIN PRIVATE KEY-----');
    }
  });

  it('has each of its members masked if it is a JSON document, except members that identify the account', () => {
    const document = {
      type: 'service_account',
      client_email: 'cdp@crm.example',
      token_uri: 'https://login.example/token',
      key: 'tN7+qLx2/VbR9',
      nested: [{ pass: 'fJc4ZsD1mWyP' }],
      short: 'on',
    };
    for (const secret of [JSON.stringify(document), JSON.stringify(document, undefined, 2)]) {
      const redactor = redactorOf(secret);
      for (const value of ['tN7+qLx2/VbR9', 'fJc4ZsD1mWyP']) {
        for (const [, spell] of SPELLINGS)
          expect(redactor.text(`a ${spell(value)} b`)).toMatch(/^a ["\\]*\*{8}["\\]* b$/);
      }
      const harmless = 'service_account cdp@crm.example https://login.example/token on';
      expect(redactor.text(harmless)).toBe(harmless);
    }
    expect(redactorOf('{"no JSON, but a secret').text('a {"no JSON, but a secret b')).toBe(`a ${MASK} b`);
  });

  it('is ignored if it is too short or is a mask', () => {
    const redactor = redactorOf('', 'abc', '****', '********************');
    const text = 'abc **** ******************** and so on';
    expect(redactor.text(text)).toBe(text);
  });

  it('is masked even if it is added late or contains unpaired surrogates', () => {
    const redactor = createRedactor();
    expect(redactor.text('late-secret')).toBe('late-secret');
    redactor.add('late-secret');
    redactor.add('late-secret');
    redactor.add('\ud800broken\udfff');
    expect(redactor.text('late-secret \ud800broken\udfff')).toBe(`${MASK} ${MASK}`);
  });

  it('is not treated as a regular expression', () => {
    const redactor = redactorOf('.*[a-z]+$&', '$1$&$$');
    expect(redactor.text('innocent .*[a-z]+$& text $1$&$$')).toBe(`innocent ${MASK} text ${MASK}`);
  });
});

describe('a likely secret', () => {
  it.each([
    ['Authorization: Bearer eyJhbGciOi.J9.x-_~', `Authorization: Bearer ${MASK}`],
    ['authorization: bearer abc123', `authorization: bearer ${MASK}`],
    ['BASIC  dXNlcjpwYXNz', `BASIC  ${MASK}`],
    ["curl -H 'Authorization: Basic a2V5OnNlY3JldA=='", `curl -H 'Authorization: Basic ${MASK}'`],
    ['{"client_secret":"x\\"y","grant_type":"z"}', `{"client_secret":"${MASK}","grant_type":"z"}`],
    ['{"Password" : "p w", "a":1}', `{"Password" : "${MASK}", "a":1}`],
    ['"{\\"access_token\\":\\"abc\\",\\"expires_in\\":1}"', `"{\\"access_token\\":\\"${MASK}\\",\\"expires_in\\":1}"`],
    ['{"password":"cut off in the mid', `{"password":"${MASK}`],
    ['POST a=1&client_secret=x%20y&b=2', `POST a=1&client_secret=${MASK}&b=2`],
    ['CDPADM_CLIENT_SECRET=abc CDPADM_ORG_ID=1', `CDPADM_CLIENT_SECRET=${MASK} CDPADM_ORG_ID=1`],
    ['via http://user:pass@proxy.example:8080/', `via http://user:${MASK}@proxy.example:8080/`],
  ])('is masked: %s', (text, shown) => {
    const redactor = createRedactor();
    expect(redactor.text(text)).toBe(shown);
    expect(redactor.text(shown)).toBe(shown);
  });

  it.each([
    'The area uses Basic authentication; a Bearer token is needed for the others.',
    'basic credentials, Basic auth., bearer TOKEN',
    "curl -H 'Authorization: Bearer $CDPADM_ACCESS_TOKEN' https://api.example/x?page=2",
    '{"client_secret":"$CDPADM_CLIENT_SECRET"} client_secret=$SECRET password="$PASSWORD"',
    'https://host.example:8080/a@b:c http://[::1]:4010/ a://b',
    '{"token_type":"Bearer","next":"password","secretary":"Ms. X","keyboard":"qwerty"}',
    'roles audiences:* user:core 9223372036854775807 2026-11-21T08:00:00Z',
    '',
  ])('is left unchanged if it is harmless: %j', (text) => {
    expect(createRedactor().text(text)).toBe(text);
  });
});

describe('values', () => {
  const redactor = redactorOf('canary-secret', '9223372036854775807', '31415926');

  it('are masked by key, by content and in keys, at every depth, without mutating the source', () => {
    const source = {
      client_secret: 'x',
      nested: [{ config: { password: { deep: 1 }, partner_feed_key: 7, user: 'u' } }, 'has canary-secret inside'],
      'canary-secret': 1,
      accessToken: 'y',
      'Proxy-Authorization': 'z',
      id: 9223372036854775807n,
      other: 9223372036854775806n,
      number: 31415926,
      count: 3,
      none: null,
      gone: undefined,
      secret: null,
      token: true,
    };
    const copy = structuredClone(source);
    expect(redactor.value(source)).toEqual({
      client_secret: MASK,
      nested: [{ config: { password: MASK, partner_feed_key: MASK, user: 'u' } }, `has ${MASK} inside`],
      [MASK]: 1,
      accessToken: MASK,
      'Proxy-Authorization': MASK,
      id: MASK,
      other: 9223372036854775806n,
      number: MASK,
      count: 3,
      none: null,
      gone: undefined,
      secret: null,
      token: true,
    });
    expect(source).toEqual(copy);
  });

  it('are masked in errors, dates, addresses and bytes', () => {
    const error = Object.assign(new TypeError('no canary-secret'), { code: 'E_X', token: 'abc' });
    expect(redactor.value(error)).toEqual({ name: 'TypeError', message: `no ${MASK}`, code: 'E_X', token: MASK });
    expect(redactor.value(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
    expect(redactor.value(new URL('https://u:p@h.example/canary-secret'))).toBe(`https://u:${MASK}@h.example/${MASK}`);
    expect(redactor.value({ body: bytes('a canary-secret') })).toEqual({ body: `a ${MASK}` });
  });

  it('are masked even if they are circular, contain an object twice, or contain `__proto__`', () => {
    const shared = { a: 'canary-secret' };
    const circle: Record<string, unknown> = { one: shared, two: shared };
    circle['self'] = circle;
    expect(redactor.value(circle)).toEqual({ one: { a: MASK }, two: { a: MASK }, self: '[circular]' });
    const hostile = redactor.value(JSON.parse('{"__proto__":{"polluted":"canary-secret"}}')) as object;
    expect(Object.getPrototypeOf(hostile)).toBe(Object.prototype);
    expect(JSON.stringify(hostile)).toBe(`{"__proto__":{"polluted":"${MASK}"}}`);
  });

  it('do not reveal a secret at any depth', () => {
    const secret = fc.constantFrom('canary-secret', 'a canary-secret b', 'canary-secretcanary-secret', 31415926);
    const key = fc.constantFrom('a', 'canary-secret', 'b canary-secret');
    fc.assert(
      fc.property(secret, fc.object({ key, values: [secret, fc.string(), fc.boolean()] }), (one, others) => {
        expect(JSON.stringify(redactor.value({ others, one }))).not.toMatch(/canary-secret|31415926/);
      }),
    );
  });
});

describe('headers', () => {
  it('are masked by name (in any letter case) and by content', () => {
    const secret = {
      Authorization: 'Digest x',
      'proxy-authorization': 'y',
      Cookie: 'a=b',
      'set-cookie': 'c=d',
      'X-API-Key': 'k',
    };
    const redactor = redactorOf('canary-secret');
    expect(redactor.headers({ ...secret, 'x-request-id': 'canary-secret-1', accept: 'application/json' })).toEqual({
      ...Object.fromEntries(Object.keys(secret).map((name) => [name, MASK])),
      'x-request-id': `${MASK}-1`,
      accept: 'application/json',
    });
  });
});

describe('large strings', () => {
  const secrets = Array.from({ length: 50 }, (_, index) => `secret-number-${index}-of-fifty-with-some-length`);

  it.each([
    [
      'harmless lines',
      '{"id":9223372036854775807,"email":"user@mail.example","note":"nothing to see"}\n'.repeat(13_000),
      0,
    ],
    ['secrets everywhere', `${secrets.join(' ')} `.repeat(500), 25_000],
    ['prefixes of a secret', 'secret-number-'.repeat(75_000), 0],
    ['authorization schemes', 'basic '.repeat(170_000), 0],
    ['unterminated members', '"password":"'.repeat(90_000), undefined],
    ['escaped quotes', `"password":"${'\\"'.repeat(500_000)}`, 1],
    ['one long value', `"password":"${'x'.repeat(10_000_000)}"`, 1],
    ['addresses', 'http://a:'.repeat(110_000), undefined],
    ['spaces', `Bearer${' '.repeat(1_000_000)}x`, 0],
  ])('are redacted in a reasonable time: %s', (_name, text, masks) => {
    const redactor = redactorOf(...secrets);
    const shown = redactor.text(text);
    if (masks !== undefined) expect(shown.split(MASK)).toHaveLength(masks + 1);
    for (const secret of secrets) expect(shown.includes(secret)).toBe(false);
  });
});

describe('a private value', () => {
  const value = "José.O'Neil&Co@Example.org";

  it.each([
    ['in another letter case', value.toUpperCase()],
    ['in a URL', encodeURIComponent(value).toLowerCase()],
    ['in HTML', 'José.O&#39;Neil&amp;Co@Example.org'],
    ['in HTML with a hexadecimal entity', 'jos\u00e9.o&#x27;neil&amp;co@example.org'],
    ['in decomposed Unicode', value.normalize('NFD')],
  ])('is masked %s, until it is released', (_where, written) => {
    const redactor = createRedactor();
    const releases = [redactor.hide(value), redactor.hide(value)];
    expect(redactor.text(`no ${written}.`)).toBe(`no ${MASK}.`);
    releases[0]?.();
    expect(redactor.text(`no ${written}.`)).toBe(`no ${MASK}.`);
    releases[1]?.();
    expect(redactor.text(`no ${written}.`)).toBe(`no ${written}.`);
  });
});
