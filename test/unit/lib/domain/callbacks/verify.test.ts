// Checks a callback's domain and signature, and combines all checks into a verdict.
import { constants, createPublicKey, createSign, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type Check,
  checkDomain,
  checkSignature,
  type HeaderLines,
  verdictOf,
} from '../../../../../src/lib/domain/callbacks/verify.ts';
import { newKey } from '../../../../helpers/keys.ts';

const DOMAIN = 'opendsr.platform.example';

describe('the domain header', () => {
  const NAME = 'x-opendsr-processor-domain';
  const lines = (...values: string[]): HeaderLines => values.map((value) => ['X-OpenDSR-Processor-Domain', value]);
  const NONE = 'the header does not contain a domain';
  const long = (length: number): string => `${'a.'.repeat((length - 1) / 2)}a`;

  it.each<[HeaderLines, string]>([
    [lines(DOMAIN), DOMAIN],
    [lines(` ${DOMAIN.toUpperCase()} `), DOMAIN],
    [[['host', 'a'], ...lines(DOMAIN), ['via', 'b']], DOMAIN],
    [[[NAME, DOMAIN]], DOMAIN],
    [lines('a-1.b2'), 'a-1.b2'],
    [lines('1.2'), '1.2'],
    [lines(long(253)), long(253)],
  ])('is accepted: %j', (headers, domain) => {
    const allow = ['first.example', 'OpenDSR.platform.example', 'a-1.b2', '1.2', long(253)];
    expect(checkDomain(headers, allow)).toEqual({ name: 'domain', ok: true, detail: `${domain} is allowed`, domain });
  });

  it.each<[HeaderLines, string]>([
    [lines(), `the header ${NAME} is missing`],
    [[['x-opendsr-signature', DOMAIN]], `the header ${NAME} is missing`],
    [lines(''), `the header ${NAME} is empty`],
    [lines('  '), `the header ${NAME} is empty`],
    [lines(DOMAIN, DOMAIN), `the header ${NAME} occurs 2 times`],
    [lines(DOMAIN, 'evil.example', DOMAIN), `the header ${NAME} occurs 3 times`],
    [lines('evil.example'), `evil.example is not allowed; allowed: ${DOMAIN}, b.example`],
    [lines(`a.${DOMAIN}`), `a.${DOMAIN} is not allowed; allowed: ${DOMAIN}, b.example`],
    [lines('platform.example'), `platform.example is not allowed; allowed: ${DOMAIN}, b.example`],
    [lines(`${DOMAIN}.evil.example`), `${DOMAIN}.evil.example is not allowed; allowed: ${DOMAIN}, b.example`],
    [lines(`${DOMAIN}, evil.example`), NONE],
    [lines(`${DOMAIN}.`), NONE],
    [lines(`.${DOMAIN}`), NONE],
    [lines('opendsr..example'), NONE],
    [lines('-opendsr.example'), NONE],
    [lines('opendsr-.example'), NONE],
    [lines('opendsr.-example'), NONE],
    [lines('opendsr.example-'), NONE],
    [lines('opendsr.ex_ample'), NONE],
    [lines('localhost'), NONE],
    [lines(`evil.example/${DOMAIN}`), NONE],
    [lines(`${DOMAIN}/path`), NONE],
    [lines(`${DOMAIN}:443`), NONE],
    [lines(`${DOMAIN}\u0000.evil.example`), NONE],
    [lines('*.platform.example'), NONE],
    [lines(`ｏpendsr.platform.example`), NONE],
    [lines(long(255)), NONE],
  ])('is rejected: %j', (headers, detail) => {
    expect(checkDomain(headers, [DOMAIN, 'b.example'])).toEqual({ name: 'domain', ok: false, detail });
  });

  it('is rejected if no domain is allowed', () => {
    expect(checkDomain(lines(DOMAIN), []).detail).toBe(`${DOMAIN} is not allowed; allowed: nothing`);
  });
});

describe('the signature', () => {
  const NAME = 'x-opendsr-signature';
  const body = Buffer.from('{"request_status":"completed"}');
  const [ownKey, otherKey] = [newKey('rsa'), newKey('rsa')];
  const signed = (bytes: Buffer, algorithm = 'sha256', key = ownKey): string =>
    createSign(algorithm).update(bytes).sign(key, 'base64');
  const check = (values: string[], over: Buffer = body, title = NAME): Check => {
    const key = createPublicKey(ownKey);
    return checkSignature(
      values.map((value) => [title, value]),
      over,
      key,
    );
  };

  it('is valid only for exactly the signed bytes, whatever the letter case of the header name', () => {
    const valid = { name: 'signature', ok: true, detail: 'valid for the body' };
    expect(check([signed(body)])).toEqual(valid);
    expect(check([` ${signed(body)} `], body, 'X-OpenDSR-Signature')).toEqual(valid);
    expect(check([signed(Buffer.alloc(0))], Buffer.alloc(0))).toEqual(valid);
  });

  const OTHER = 'not valid for the body';
  const NO_BASE64 = 'the signature is not Base64';
  it.each<[string, () => string[], string, Buffer?]>([
    ['is missing', () => [], `the header ${NAME} is missing`],
    ['is empty', () => [''], `the header ${NAME} is empty`],
    ['is repeated', () => [signed(body), signed(body)], `the header ${NAME} occurs 2 times`],
    ['is from another key', () => [signed(body, 'sha256', otherKey)], OTHER],
    ['uses SHA-1', () => [signed(body, 'sha1')], OTHER],
    ['uses SHA-512', () => [signed(body, 'sha512')], OTHER],
    [
      'uses PSS padding',
      () => [sign('sha256', body, { key: ownKey, padding: constants.RSA_PKCS1_PSS_PADDING }).toString('base64')],
      OTHER,
    ],
    ['is for other bytes', () => [signed(Buffer.from('{}'))], OTHER],
    [
      'is for the same JSON with other spaces',
      () => [signed(body)],
      OTHER,
      Buffer.from('{"request_status": "completed"}'),
    ],
    ['is for the body and a newline', () => [signed(body)], OTHER, Buffer.concat([body, Buffer.from('\n')])],
    ['is truncated', () => [signed(body).slice(0, 200)], OTHER],
    ['is Base64url', () => [`-_${signed(body).slice(2)}`], NO_BASE64],
    ['contains spaces', () => [`${signed(body).slice(0, 8)} ${signed(body).slice(8)}`], NO_BASE64],
    ['has text after it', () => [`${signed(body)}====`], NO_BASE64],
    ['has text before it', () => [`====${signed(body)}`], NO_BASE64],
    ['has incomplete padding', () => [signed(body).slice(0, -1)], NO_BASE64],
    ['is only padding', () => ['===='], NO_BASE64],
    ['is not canonical Base64', () => [signed(body).replace(/.==$/, (end) => `${next(end)}==`)], NO_BASE64],
    ['is hex', () => [Buffer.from(signed(body), 'base64').toString('hex')], OTHER],
  ])('is rejected if it %s', (_what, values, detail, over) => {
    expect(check(values(), over)).toEqual({ name: 'signature', ok: false, detail });
  });

  /** Returns the Base64 digit that follows the first character of `end`. A lenient decoder ignores the difference. */
  function next(end: string): string {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    return letters.charAt(letters.indexOf(end.charAt(0)) + 1);
  }
});

describe('the verdict', () => {
  const ORDER = ['domain', 'certificate_fetched', 'certificate', 'signature'] as const;
  const good = ORDER.map((name): Check => ({ name, ok: true, detail: `${name} holds` }));
  const skipped = (name: Check['name']): Check => ({
    name,
    ok: false,
    detail: 'skipped, because an earlier check failed',
  });

  it('is valid if all four checks pass, in any order', () => {
    expect(verdictOf(good)).toEqual({ valid: true, checks: good });
    expect(verdictOf(good.toReversed())).toEqual({ valid: true, checks: good });
  });

  it.each(ORDER.map((name, index) => [name, index] as const))('is invalid if %s fails', (name, index) => {
    const failed: Check = { name, ok: false, detail: 'no' };
    const done = [...good.slice(0, index), failed];
    expect(verdictOf(done)).toEqual({ valid: false, checks: [...done, ...ORDER.slice(index + 1).map(skipped)] });
    expect(verdictOf([...done, ...good.slice(index + 1)]).valid).toBe(false);
  });

  it.each(ORDER)('is invalid if %s both passed and failed, in any order', (name) => {
    const failed: Check = { name, ok: false, detail: 'no' };
    expect(verdictOf([...good, failed]).valid).toBe(false);
    expect(verdictOf([failed, ...good]).valid).toBe(false);
  });

  it.each(ORDER)('is invalid if %s was not checked', (name) => {
    expect(verdictOf(good.filter((check) => check.name !== name)).valid).toBe(false);
  });

  it('contains only the name, result and detail of each check', () => {
    const { checks } = verdictOf([{ ...good[0], domain: DOMAIN } as Check]);
    expect(checks[0]).toEqual(good[0]);
  });
});
