// Certificates as bytes: what is read of a whole one, and that bytes of any other kind are refused as such.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childrenOf, DerError, readCertificate, readDer } from '../../../../../src/lib/domain/callbacks/der.ts';
import { runs } from '../../../../helpers/size.ts';
import { der, FALSE, objectId, octets, sequence, TRUE } from '../../../../helpers/der-bytes.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('a value', () => {
  it.each([
    ['nothing in it', '05 00', 0x05, '', 2],
    ['a few bytes, and others behind it', '04 02 01 02 ff ff', 0x04, '01 02', 4],
    ['the longest of a short length', `04 7f ${'aa'.repeat(127)}`, 0x04, 'aa'.repeat(127), 129],
    ['a length of one byte', `04 81 80 ${'aa'.repeat(128)}`, 0x04, 'aa'.repeat(128), 131],
    ['a length of two bytes', `04 82 01 00 ${'aa'.repeat(256)}`, 0x04, 'aa'.repeat(256), 260],
    ['a length of four bytes', '04 84 00 00 00 01 aa', 0x04, 'aa', 7],
    ['a long length of nothing', '04 81 00', 0x04, '', 3],
    ['the last tag of one byte', '1e 00', 0x1e, '', 2],
    ['a tag of a class of its own', 'a3 01 07', 0xa3, '07', 3],
  ])('with %s is read', (_what, bytes, tag, content, end) => {
    expect(readDer(hex(bytes), 0)).toEqual({ tag, content: hex(content), end });
    expect(readDer(hex(`0500 ${bytes}`), 2)).toEqual({ tag, content: hex(content), end: end + 2 });
  });

  it.each([
    ['no bytes', '', 'it is cut short'],
    ['a tag alone', '04', 'it is cut short'],
    ['a tag of several bytes', '1f 81 00', 'it is cut short'],
    ['a tag of several bytes in a class of its own', 'bf 00', 'it is cut short'],
    ['a byte too few', '04 02 01', 'a length is wrong'],
    ['a length that only an end would tell', '30 80 00 00', 'a length is wrong'],
    ['such a length, and much behind it', `30 80 ${'00'.repeat(200)}`, 'a length is wrong'],
    ['a length that is cut short', '04 82 01', 'a length is wrong'],
    ['a length of five bytes', '04 85 00 00 00 00 01 aa', 'a length is wrong'],
    ['a length of more than there is', '04 84 ff ff ff ff 00', 'a length is wrong'],
    ['a long length of a byte too few', '04 81 02 01', 'a length is wrong'],
  ])('with %s is none', (_what, bytes, why) => {
    expect(() => readDer(hex(bytes), 0)).toThrow(new DerError(why));
  });

  it('of any length is read whole, and no part of it is', () => {
    const anyLength = fc.oneof(fc.nat(300), fc.constantFrom(127, 128, 255, 256, 65_535, 65_536));
    fc.assert(
      fc.property(fc.constantFrom(0x01, 0x04, 0x30, 0xa3), anyLength, fc.nat(), (tag, length, cut) => {
        const content = Buffer.alloc(length, 7);
        const bytes = der(tag, content);
        const found = readDer(bytes, 0);
        expect([found.tag, found.content.equals(content), found.end]).toEqual([tag, true, bytes.length]);
        expect(() => readDer(bytes.subarray(0, cut % bytes.length), 0)).toThrow(DerError);
      }),
      runs(200),
    );
  });

  it('that holds others gives them in their order', () => {
    const inner = [der(0x02, [5]), sequence(der(0x02, [6])), der(0x05)];
    const found = childrenOf(readDer(sequence(...inner), 0));
    expect(found.map(({ tag }) => tag)).toEqual([0x02, 0x30, 0x05]);
    expect(childrenOf(readDer(sequence(), 0))).toEqual([]);
    expect(() => childrenOf(readDer(sequence(Buffer.from([0x02])), 0))).toThrow(DerError);
  });
});

const SIGNATURE = sequence(objectId('2b6570'));
const NUMBER = der(0x02, [1]);
const certificate = (extensions: Buffer[], signature = SIGNATURE): Buffer =>
  sequence(sequence(NUMBER, SIGNATURE, der(0xa3, sequence(...extensions))), signature, der(0x03, [0]));

describe('a certificate', () => {
  it('tells how it was signed, and its extensions with their weight', () => {
    const bytes = certificate([
      sequence(objectId('551d0f'), TRUE, octets([1, 2])),
      sequence(objectId('551d11'), FALSE, octets([3])),
      sequence(objectId('551d13'), octets()),
    ]);
    expect(readCertificate(bytes)).toEqual({
      signatureAlgorithm: '2b6570',
      extensions: new Map([
        ['551d0f', { critical: true, value: Buffer.from([1, 2]) }],
        ['551d11', { critical: false, value: Buffer.from([3]) }],
        ['551d13', { critical: false, value: Buffer.alloc(0) }],
      ]),
    });
  });

  it.each([
    ['no extensions in the part for them', certificate([])],
    ['no part for extensions', sequence(sequence(NUMBER), SIGNATURE)],
  ])('may have %s', (_what, bytes) => {
    expect(readCertificate(bytes)).toEqual({ signatureAlgorithm: '2b6570', extensions: new Map() });
  });

  it('takes a weight that is no plain yes or no for yes', () => {
    const { extensions } = readCertificate(certificate([sequence(objectId('2a'), der(0x01), octets([1]))]));
    expect(extensions.get('2a')).toHaveProperty('critical', true);
  });

  const OTHER_FORM = 'it has another form than a certificate';
  it.each([
    ['is no list', der(0x31, sequence(NUMBER), SIGNATURE), OTHER_FORM],
    ['is empty', sequence(), OTHER_FORM],
    ['holds no list of fields', sequence(NUMBER, SIGNATURE), OTHER_FORM],
    ['does not say how it was signed', sequence(sequence(NUMBER)), OTHER_FORM],
    ['says how it was signed without a list', certificate([], objectId('2b6570')), OTHER_FORM],
    ['says how it was signed by a number', certificate([], sequence(NUMBER)), OTHER_FORM],
    ['says how it was signed by nothing', certificate([], sequence()), OTHER_FORM],
    ['has extensions that are no list', sequence(sequence(der(0xa3, NUMBER)), SIGNATURE), OTHER_FORM],
    ['has an empty part for extensions', sequence(sequence(der(0xa3)), SIGNATURE), 'it is cut short'],
    ['has an extension that is no list', certificate([objectId('2a')]), OTHER_FORM],
    ['has an extension without a name', certificate([sequence()]), OTHER_FORM],
    ['has an extension named by a number', certificate([sequence(NUMBER, octets([1]))]), OTHER_FORM],
    ['has an extension without a value', certificate([sequence(objectId('2a'))]), OTHER_FORM],
    ['has an extension with its weight alone', certificate([sequence(objectId('2a'), TRUE)]), OTHER_FORM],
    ['has an extension with a number as its value', certificate([sequence(objectId('2a'), NUMBER)]), OTHER_FORM],
    [
      'has an extension twice',
      certificate([sequence(objectId('2a'), octets([1])), sequence(objectId('2a'), octets([1]))]),
      'an extension stands twice',
    ],
  ])('is refused where it %s', (_what, bytes, why) => {
    expect(() => readCertificate(bytes)).toThrow(new DerError(why));
  });

  it('is read or refused as none, whatever the bytes are', () => {
    const whole = certificate([sequence(objectId('551d0f'), TRUE, octets([1, 2]))]);
    const damaged = fc
      .array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
      .map((changes) => {
        const bytes = Buffer.from(whole);
        for (const [at, byte] of changes) bytes[at] = byte;
        return bytes;
      });
    const anyBytes = fc.oneof(
      damaged,
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    );
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        try {
          expect(readCertificate(bytes).signatureAlgorithm).toMatch(/^[0-9a-f]*$/);
        } catch (error) {
          expect(error).toBeInstanceOf(DerError);
        }
      }),
      runs(2000),
    );
  });
});
