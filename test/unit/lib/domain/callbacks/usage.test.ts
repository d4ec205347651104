// What extensions allow, field by field: in doubt nothing.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DerError, type Extension } from '../../../../../src/lib/domain/callbacks/der.ts';
import { authorityIssue, signingIssue, unknownCondition } from '../../../../../src/lib/domain/callbacks/usage.ts';
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
/** A bit string: how many bits at its end do not count, then the bits. */
const bits = (...bytes: number[]): Buffer => der(0x03, [0, ...bytes]);

describe('a condition', () => {
  it.each([BASIC, USAGE, PURPOSE, NAMES, '551d11', '551d20'])('%s is known, critical or not', (name) => {
    expect(unknownCondition(extensions({ [name]: Buffer.alloc(0) }, true))).toBeUndefined();
  });

  it('that is not known does no harm unless it is critical', () => {
    const issue = 'has a critical extension that is not known here';
    expect(unknownCondition(extensions({ '2a03': Buffer.alloc(0) }))).toBeUndefined();
    expect(unknownCondition(extensions({ '2a03': Buffer.alloc(0) }, true))).toBe(issue);
    expect(unknownCondition(extensions({ [BASIC]: Buffer.alloc(0), '2a03': Buffer.alloc(0) }, true))).toBe(issue);
    expect(unknownCondition(new Map())).toBeUndefined();
  });
});

describe('signing messages', () => {
  const NO_SIGNATURES = 'is not meant for signatures';
  const OTHER_PURPOSE = 'is meant for another purpose than to prove a server';
  const server = objectId('2b06010505070301');
  const any = objectId('551d2500');
  const client = objectId('2b06010505070302');

  it.each<[string, Record<string, Buffer>, string | undefined]>([
    ['nothing', {}, undefined],
    ['signatures', { [USAGE]: bits(0x80) }, undefined],
    ['signatures among others', { [USAGE]: bits(0xa0) }, undefined],
    ['everything but signatures', { [USAGE]: bits(0x7f, 0x80) }, NO_SIGNATURES],
    ['no use at all', { [USAGE]: bits() }, NO_SIGNATURES],
    ['a use that is empty', { [USAGE]: der(0x03) }, NO_SIGNATURES],
    ['servers', { [PURPOSE]: sequence(server) }, undefined],
    ['servers among others', { [PURPOSE]: sequence(client, server) }, undefined],
    ['every purpose', { [PURPOSE]: sequence(any) }, undefined],
    ['clients', { [PURPOSE]: sequence(client) }, OTHER_PURPOSE],
    ['no purpose', { [PURPOSE]: sequence() }, OTHER_PURPOSE],
    ['servers, but no signatures', { [PURPOSE]: sequence(server), [USAGE]: bits(0x20) }, NO_SIGNATURES],
    ['signatures, but for clients', { [PURPOSE]: sequence(client), [USAGE]: bits(0x80) }, OTHER_PURPOSE],
  ])('of what speaks of %s', (_what, of, issue) => {
    expect(signingIssue(extensions(of))).toBe(issue);
  });
});

describe('an authority', () => {
  const CA = sequence(TRUE);
  const NONE = 'is no authority';
  const MANY = 'may not stand above so many others';
  const NO_SIGNING = 'may not sign certificates';

  it.each<[string, Record<string, Buffer>, number, string | undefined]>([
    ['is one that says so', { [BASIC]: CA }, 0, undefined],
    ['stands above any number without a limit', { [BASIC]: CA }, 5, undefined],
    ['does not say so', {}, 0, NONE],
    ['says nothing', { [BASIC]: sequence() }, 0, NONE],
    ['says no', { [BASIC]: sequence(FALSE) }, 0, NONE],
    ['says neither yes nor no', { [BASIC]: sequence(der(0x01)) }, 0, NONE],
    ['says only how many', { [BASIC]: sequence(integer(1)) }, 0, NONE],
    ['stands above none with a limit of none', { [BASIC]: sequence(TRUE, integer(0)) }, 0, undefined],
    ['stands above one with a limit of none', { [BASIC]: sequence(TRUE, integer(0)) }, 1, MANY],
    ['stands above as many as it may', { [BASIC]: sequence(TRUE, integer(3)) }, 3, undefined],
    ['stands above one too many', { [BASIC]: sequence(TRUE, integer(3)) }, 4, MANY],
    ['has a limit of two bytes', { [BASIC]: sequence(TRUE, integer(1, 0)) }, 5, undefined],
    [
      'has a limit of more than can be counted',
      { [BASIC]: sequence(TRUE, integer(...Array<number>(9).fill(1))) },
      5,
      undefined,
    ],
    ['has an empty limit', { [BASIC]: sequence(TRUE, integer()) }, 0, MANY],
    ['may sign certificates', { [BASIC]: CA, [USAGE]: bits(0x04) }, 0, undefined],
    ['may sign certificates and lists', { [BASIC]: CA, [USAGE]: bits(0x06) }, 0, undefined],
    ['may do all but sign certificates', { [BASIC]: CA, [USAGE]: bits(0xfb, 0x80) }, 0, NO_SIGNING],
    ['may do nothing', { [BASIC]: CA, [USAGE]: bits() }, 0, NO_SIGNING],
  ])('%s', (_what, of, below, issue) => {
    expect(authorityIssue(extensions(of), below, DOMAIN)).toBe(issue);
  });

  const VOUCH = 'may not vouch for this domain';
  const dns = (name: string): Buffer => sequence(der(0x82, Buffer.from(name)));
  const permitted = (...of: Buffer[]): Buffer => der(0xa0, ...of);
  const excluded = (...of: Buffer[]): Buffer => der(0xa1, ...of);
  it.each<[string, Buffer[], string | undefined]>([
    ['nothing', [], undefined],
    ['the domain', [permitted(dns(DOMAIN))], undefined],
    ['its parent', [permitted(dns('platform.example'))], undefined],
    ['its parent in capitals', [permitted(dns('PLATFORM.Example'))], undefined],
    ['all below its parent', [permitted(dns('.platform.example'))], undefined],
    ['all below itself', [permitted(dns(`.${DOMAIN}`))], VOUCH],
    ['every name', [permitted(dns(''))], undefined],
    ['a name that ends alike', [permitted(dns('form.example'))], VOUCH],
    ['a name below it', [permitted(dns(`a.${DOMAIN}`))], VOUCH],
    ['another, and its own', [permitted(dns('other.example'), dns(DOMAIN))], undefined],
    ['others', [permitted(dns('other.example'), dns('third.example'))], VOUCH],
    ['names of another kind', [permitted(sequence(der(0x81, Buffer.from('other.example'))))], undefined],
    [
      'its own by a name of another kind, and another',
      [permitted(sequence(der(0x81, Buffer.from(DOMAIN))), dns('a.example'))],
      VOUCH,
    ],
    ['not the domain', [excluded(dns(DOMAIN))], VOUCH],
    ['not its parent', [excluded(dns('platform.example'))], VOUCH],
    ['not what is below its parent', [excluded(dns('.platform.example'))], VOUCH],
    ['not what is below itself', [excluded(dns(`.${DOMAIN}`))], VOUCH],
    ['no name', [excluded(dns(''))], VOUCH],
    ['not a name of other parts', [excluded(dns('plat.form.example'))], undefined],
    [
      'not another, whose limits are told',
      [excluded(sequence(der(0x82, Buffer.from('a.example')), der(0x82, Buffer.from(DOMAIN))))],
      undefined,
    ],
    ['what is below the root of all names', [permitted(dns('.'))], VOUCH],
    ['nothing below the root of all names', [excluded(dns('.'))], VOUCH],
    ['not another', [excluded(dns('other.example'))], undefined],
    ['not another and not it', [excluded(dns('other.example'), dns(DOMAIN))], VOUCH],
    ['it, but not its parent', [permitted(dns(DOMAIN)), excluded(dns('platform.example'))], VOUCH],
    ['it, but not another', [permitted(dns(DOMAIN)), excluded(dns('other.example'))], undefined],
    [
      'its parent, of which a depth is told',
      [
        permitted(
          sequence(der(0x82, Buffer.from('platform.example')), der(0x80, [0]), der(0x82, Buffer.from('other.example'))),
        ),
      ],
      undefined,
    ],
    ['something of an unknown kind', [der(0xa2, dns('other.example'))], undefined],
  ])('whose names are limited to %s', (_what, lists, issue) => {
    expect(authorityIssue(extensions({ [BASIC]: CA, [NAMES]: sequence(...lists) }), 0, DOMAIN)).toBe(issue);
  });
});

it('extensions of any bytes are judged or refused as damaged', () => {
  const piece: fc.Arbitrary<Buffer> = fc.oneof(
    fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
    fc
      .tuple(fc.constantFrom(0x01, 0x02, 0x03, 0x06, 0x30, 0x82, 0xa0, 0xa1), fc.uint8Array({ maxLength: 8 }))
      .map(([tag, content]) => der(tag, content)),
  );
  const value = fc.oneof(
    piece,
    fc.array(piece, { maxLength: 3 }).map((pieces) => sequence(...pieces)),
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
