// Checks what a certificate's extensions allow it to be used for. A malformed extension allows nothing.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DerError, type Extension } from '../../../../../src/lib/domain/callbacks/der.ts';
import { authorityIssue, signingIssue, unknownCondition } from '../../../../../src/lib/domain/callbacks/certificate.ts';
import { runs } from '../../../../helpers/size.ts';
import { der, FALSE, objectId, sequence, TRUE } from '../../../../helpers/der-bytes.ts';

const BASIC = '551d13';
const USAGE = '551d0f';
const PURPOSE = '551d25';
const NAMES = '551d1e';
const DOMAIN = 'opendsr.platform.example';

type Extensions = Map<string, Extension>;
const extensions = (of: Record<string, Buffer>, critical = false): Extensions =>
  new Map(Object.entries(of).map(([name, value]) => [name, { critical, value }]));
const integer = (...bytes: number[]): Buffer => der(0x02, bytes);
/** Returns a DER bit string that contains these bytes. */
const bits = (...bytes: number[]): Buffer => der(0x03, [0, ...bytes]);

describe('an extension', () => {
  it.each([BASIC, USAGE, PURPOSE, NAMES, '551d11', '551d20'])('is accepted even if it is critical: %s', (name) => {
    expect(unknownCondition(extensions({ [name]: Buffer.alloc(0) }, true))).toBeUndefined();
  });

  it('is reported if it is unknown and critical', () => {
    const issue = 'has an unknown critical extension';
    expect(unknownCondition(extensions({ '2a03': Buffer.alloc(0) }))).toBeUndefined();
    expect(unknownCondition(extensions({ '2a03': Buffer.alloc(0) }, true))).toBe(issue);
    expect(unknownCondition(extensions({ [BASIC]: Buffer.alloc(0), '2a03': Buffer.alloc(0) }, true))).toBe(issue);
    expect(unknownCondition(new Map())).toBeUndefined();
  });
});

describe('signing messages', () => {
  const NO_SIGNATURES = 'does not allow digital signatures (key usage)';
  const OTHER_PURPOSE = 'does not allow server authentication (extended key usage)';
  const server = objectId('2b06010505070301');
  const any = objectId('551d2500');
  const client = objectId('2b06010505070302');

  it.each<[string, Record<string, Buffer>]>([
    ['any use', {}],
    ['signatures', { [USAGE]: bits(0x80) }],
    ['signatures and other uses', { [USAGE]: bits(0xa0) }],
    ['server authentication', { [PURPOSE]: sequence(server) }],
    ['client and server authentication', { [PURPOSE]: sequence(client, server) }],
    ['any purpose', { [PURPOSE]: sequence(any) }],
  ])('is allowed if the extensions allow %s', (_what, of) => {
    expect(signingIssue(extensions(of))).toBeUndefined();
  });

  it.each<[string, Record<string, Buffer>, string]>([
    ['all uses except signatures', { [USAGE]: bits(0x7f, 0x80) }, NO_SIGNATURES],
    ['no use', { [USAGE]: bits() }, NO_SIGNATURES],
    ['nothing because the key usage is empty', { [USAGE]: der(0x03) }, NO_SIGNATURES],
    ['only client authentication', { [PURPOSE]: sequence(client) }, OTHER_PURPOSE],
    ['no purpose', { [PURPOSE]: sequence() }, OTHER_PURPOSE],
    ['server authentication but not signatures', { [PURPOSE]: sequence(server), [USAGE]: bits(0x20) }, NO_SIGNATURES],
    ['signatures but only client authentication', { [PURPOSE]: sequence(client), [USAGE]: bits(0x80) }, OTHER_PURPOSE],
  ])('is not allowed if the extensions allow %s', (_what, of, issue) => {
    expect(signingIssue(extensions(of))).toBe(issue);
  });
});

describe('an authority', () => {
  const CA = sequence(TRUE);
  const NONE = 'is not a certificate authority';
  const MANY = 'is not allowed to sign a chain of this length';
  const NO_SIGNING = 'is not allowed to sign certificates';

  it.each<[string, Record<string, Buffer>, number]>([
    ['has the CA flag', { [BASIC]: CA }, 0],
    ['has no path length', { [BASIC]: CA }, 5],
    ['has path length 0 and no authority below', { [BASIC]: sequence(TRUE, integer(0)) }, 0],
    ['has as many authorities below as its path length', { [BASIC]: sequence(TRUE, integer(3)) }, 3],
    ['has a path length of two bytes', { [BASIC]: sequence(TRUE, integer(1, 0)) }, 5],
    ['has a path length beyond a safe integer', { [BASIC]: sequence(TRUE, integer(...Array<number>(9).fill(1))) }, 5],
    ['is meant to sign certificates', { [BASIC]: CA, [USAGE]: bits(0x04) }, 0],
    ['is meant to sign certificates and revocation lists', { [BASIC]: CA, [USAGE]: bits(0x06) }, 0],
  ])('is accepted if it %s', (_what, of, below) => {
    expect(authorityIssue(extensions(of), below, DOMAIN)).toBeUndefined();
  });

  it.each<[string, Record<string, Buffer>, number, string]>([
    ['has no basic constraints', {}, 0, NONE],
    ['has empty basic constraints', { [BASIC]: sequence() }, 0, NONE],
    ['has a false CA flag', { [BASIC]: sequence(FALSE) }, 0, NONE],
    ['has a malformed CA flag', { [BASIC]: sequence(der(0x01)) }, 0, NONE],
    ['has only a path length', { [BASIC]: sequence(integer(1)) }, 0, NONE],
    ['has path length 0 and one authority below', { [BASIC]: sequence(TRUE, integer(0)) }, 1, MANY],
    ['has one authority too many below', { [BASIC]: sequence(TRUE, integer(3)) }, 4, MANY],
    ['has an empty path length', { [BASIC]: sequence(TRUE, integer()) }, 0, MANY],
    ['is meant for everything except signing certificates', { [BASIC]: CA, [USAGE]: bits(0xfb, 0x80) }, 0, NO_SIGNING],
    ['has an empty key usage', { [BASIC]: CA, [USAGE]: bits() }, 0, NO_SIGNING],
  ])('is rejected if it %s', (_what, of, below, issue) => {
    expect(authorityIssue(extensions(of), below, DOMAIN)).toBe(issue);
  });

  const VOUCH = 'is not allowed to sign for this domain';
  const dns = (name: string): Buffer => sequence(der(0x82, Buffer.from(name)));
  const permitted = (...of: Buffer[]): Buffer => der(0xa0, ...of);
  const excluded = (...of: Buffer[]): Buffer => der(0xa1, ...of);
  it.each<[string, Buffer[]]>([
    ['every name, because the list is empty', []],
    ['the domain', [permitted(dns(DOMAIN))]],
    ["the domain's parent", [permitted(dns('platform.example'))]],
    ["the domain's parent in capitals", [permitted(dns('PLATFORM.Example'))]],
    ["the subdomains of the domain's parent", [permitted(dns('.platform.example'))]],
    ['every name', [permitted(dns(''))]],
    ['another domain and this one', [permitted(dns('other.example'), dns(DOMAIN))]],
    ['names of another type', [permitted(sequence(der(0x81, Buffer.from('other.example'))))]],
    ['all but a name with other labels', [excluded(dns('plat.form.example'))]],
    [
      'all but another domain, whose entry has more fields',
      [excluded(sequence(der(0x82, Buffer.from('a.example')), der(0x82, Buffer.from(DOMAIN))))],
    ],
    ['all but another domain', [excluded(dns('other.example'))]],
    ['the domain, but not another one', [permitted(dns(DOMAIN)), excluded(dns('other.example'))]],
    [
      "the domain's parent, with a depth",
      [
        permitted(
          sequence(der(0x82, Buffer.from('platform.example')), der(0x80, [0]), der(0x82, Buffer.from('other.example'))),
        ),
      ],
    ],
    ['an unknown kind of name', [der(0xa2, dns('other.example'))]],
  ])('is allowed to sign for the domain if its name constraints allow %s', (_what, lists) => {
    expect(authorityIssue(extensions({ [BASIC]: CA, [NAMES]: sequence(...lists) }), 0, DOMAIN)).toBeUndefined();
  });

  it.each<[string, Buffer[], string]>([
    ["only the domain's subdomains", [permitted(dns(`.${DOMAIN}`))], VOUCH],
    ['a name with the same ending', [permitted(dns('form.example'))], VOUCH],
    ['only one subdomain of the domain', [permitted(dns(`a.${DOMAIN}`))], VOUCH],
    ['other domains', [permitted(dns('other.example'), dns('third.example'))], VOUCH],
    [
      'the domain as a name of another type, and another domain',
      [permitted(sequence(der(0x81, Buffer.from(DOMAIN))), dns('a.example'))],
      VOUCH,
    ],
    ['all but the domain', [excluded(dns(DOMAIN))], VOUCH],
    ["all but the domain's parent", [excluded(dns('platform.example'))], VOUCH],
    ["all but the subdomains of the domain's parent", [excluded(dns('.platform.example'))], VOUCH],
    ["all but the domain's subdomains", [excluded(dns(`.${DOMAIN}`))], VOUCH],
    ['no name', [excluded(dns(''))], VOUCH],
    ['only the name `.`', [permitted(dns('.'))], VOUCH],
    ['all but the name `.`', [excluded(dns('.'))], VOUCH],
    ['all but another domain and this one', [excluded(dns('other.example'), dns(DOMAIN))], VOUCH],
    ['the domain, but not its parent', [permitted(dns(DOMAIN)), excluded(dns('platform.example'))], VOUCH],
  ])('is not allowed to sign for the domain if its name constraints allow %s', (_what, lists, issue) => {
    expect(authorityIssue(extensions({ [BASIC]: CA, [NAMES]: sequence(...lists) }), 0, DOMAIN)).toBe(issue);
  });
});

it('either checks extensions or rejects them, whatever bytes they contain', () => {
  const anyDer: fc.Arbitrary<Buffer> = fc.oneof(
    fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
    fc
      .tuple(fc.constantFrom(0x01, 0x02, 0x03, 0x06, 0x30, 0x82, 0xa0, 0xa1), fc.uint8Array({ maxLength: 8 }))
      .map(([tag, content]) => der(tag, content)),
  );
  const value = fc.oneof(
    anyDer,
    fc.array(anyDer, { maxLength: 3 }).map((pieces) => sequence(...pieces)),
  );
  const anyExtensions = fc.record(
    { [BASIC]: value, [USAGE]: value, [PURPOSE]: value, [NAMES]: value },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(anyExtensions, (of) => {
      const found = extensions(of as Record<string, Buffer>);
      for (const judge of [() => signingIssue(found), () => authorityIssue(found, 1, DOMAIN)]) {
        try {
          expect([undefined, expect.any(String)]).toContainEqual(judge());
        } catch (error) {
          expect(error).toBeInstanceOf(DerError);
        }
      }
    }),
    runs(3000),
  );
});
