// Reads the parts of a DER certificate, and rejects bytes that are not a certificate.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childrenOf, DerError, readCertificate, readDer } from '../../../../../src/lib/domain/callbacks/der.ts';
import { runs } from '../../../../helpers/size.ts';
import { der, FALSE, objectId, octets, sequence, TRUE } from '../../../../helpers/der-bytes.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('a DER value', () => {
  it.each([
    ['no content', '05 00', 0x05, '', 2],
    ['a few bytes of content and other bytes after them', '04 02 01 02 ff ff', 0x04, '01 02', 4],
    ['the longest short-form length', `04 7f ${'aa'.repeat(127)}`, 0x04, 'aa'.repeat(127), 129],
    ['a length of one byte', `04 81 80 ${'aa'.repeat(128)}`, 0x04, 'aa'.repeat(128), 131],
    ['a length of two bytes', `04 82 01 00 ${'aa'.repeat(256)}`, 0x04, 'aa'.repeat(256), 260],
    ['a length of four bytes', '04 84 00 00 00 01 aa', 0x04, 'aa', 7],
    ['a long-form length of zero', '04 81 00', 0x04, '', 3],
    ['the last tag of one byte', '1e 00', 0x1e, '', 2],
    ['a context-specific tag', 'a3 01 07', 0xa3, '07', 3],
  ])('is read with %s', (_what, bytes, tag, content, end) => {
    expect(readDer(hex(bytes), 0)).toEqual({ tag, content: hex(content), end });
    expect(readDer(hex(`0500 ${bytes}`), 2)).toEqual({ tag, content: hex(content), end: end + 2 });
  });

  it.each([
    ['no bytes', '', 'it is truncated'],
    ['only a tag', '04', 'it is truncated'],
    ['a tag of several bytes', '1f 81 00', 'it is truncated'],
    ['a context-specific tag of several bytes', 'bf 00', 'it is truncated'],
    ['one byte too few', '04 02 01', 'a length is invalid'],
    ['an indefinite length', '30 80 00 00', 'a length is invalid'],
    ['an indefinite length with many bytes after it', `30 80 ${'00'.repeat(200)}`, 'a length is invalid'],
    ['a truncated length', '04 82 01', 'a length is invalid'],
    ['a length of five bytes', '04 85 00 00 00 00 01 aa', 'a length is invalid'],
    ['a length beyond the input', '04 84 ff ff ff ff 00', 'a length is invalid'],
    ['a long-form length with one byte too few', '04 81 02 01', 'a length is invalid'],
  ])('is rejected with %s', (_what, bytes, why) => {
    expect(() => readDer(hex(bytes), 0)).toThrow(new DerError(why));
  });

  it('is read in full at any length, and rejected if it is truncated anywhere', () => {
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

  it('contains its children in order', () => {
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
  it('is read with its signature algorithm and its extensions, each with its critical flag', () => {
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
    ['an empty list of extensions', certificate([])],
    ['no list of extensions', sequence(sequence(NUMBER), SIGNATURE)],
  ])('is accepted with %s', (_what, bytes) => {
    expect(readCertificate(bytes)).toEqual({ signatureAlgorithm: '2b6570', extensions: new Map() });
  });

  const PSS = '2a864886f70d01010a';
  it.each([
    ['RSA-PSS alone if the hash is missing, which means SHA-1', [sequence(der(0xa2, der(0x02, [20])))], PSS],
    ['RSA-PSS and its hash', [sequence(der(0xa0, sequence(objectId('2b0e03021a'))))], `${PSS} 2b0e03021a`],
  ])('is read with the signature algorithm %s', (_what, parameters, expected) => {
    const bytes = certificate([], sequence(objectId(PSS), ...parameters));
    expect(readCertificate(bytes).signatureAlgorithm).toBe(expected);
  });

  it("has a critical extension if the extension's critical flag is malformed", () => {
    const { extensions } = readCertificate(certificate([sequence(objectId('2a'), der(0x01), octets([1]))]));
    expect(extensions.get('2a')).toHaveProperty('critical', true);
  });

  const OTHER_FORM = 'it is not structured like a certificate';
  it.each([
    ['is not a sequence', der(0x31, sequence(NUMBER), SIGNATURE), OTHER_FORM],
    ['is empty', sequence(), OTHER_FORM],
    ['has no sequence of fields', sequence(NUMBER, SIGNATURE), OTHER_FORM],
    ['has no signature algorithm', sequence(sequence(NUMBER)), OTHER_FORM],
    ['has a signature algorithm outside a sequence', certificate([], objectId('2b6570')), OTHER_FORM],
    ['has a number as the signature algorithm', certificate([], sequence(NUMBER)), OTHER_FORM],
    ['has an empty signature algorithm', certificate([], sequence()), OTHER_FORM],
    ['has RSA-PSS without parameters', certificate([], sequence(objectId(PSS))), OTHER_FORM],
    [
      'has RSA-PSS with an empty hash',
      certificate([], sequence(objectId(PSS), sequence(der(0xa0, sequence())))),
      OTHER_FORM,
    ],
    ['has extensions that are not a sequence', sequence(sequence(der(0xa3, NUMBER)), SIGNATURE), OTHER_FORM],
    ['has an empty field for extensions', sequence(sequence(der(0xa3)), SIGNATURE), 'it is truncated'],
    ['has an extension that is not a sequence', certificate([objectId('2a')]), OTHER_FORM],
    ['has an extension without a name', certificate([sequence()]), OTHER_FORM],
    ['has an extension named by a number', certificate([sequence(NUMBER, octets([1]))]), OTHER_FORM],
    ['has an extension without a value', certificate([sequence(objectId('2a'))]), OTHER_FORM],
    ['has an extension with only a critical flag', certificate([sequence(objectId('2a'), TRUE)]), OTHER_FORM],
    ['has an extension with a number as its value', certificate([sequence(objectId('2a'), NUMBER)]), OTHER_FORM],
    [
      'has a duplicate extension',
      certificate([sequence(objectId('2a'), octets([1])), sequence(objectId('2a'), octets([1]))]),
      'an extension appears twice',
    ],
  ])('is rejected if it %s', (_what, bytes, why) => {
    expect(() => readCertificate(bytes)).toThrow(new DerError(why));
  });

  it('is either read or rejected with a DerError, for any bytes', () => {
    const valid = certificate([sequence(objectId('551d0f'), TRUE, octets([1, 2]))]);
    const damaged = fc
      .array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
      .map((changes) => {
        const bytes = Buffer.from(valid);
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
          expect(readCertificate(bytes).signatureAlgorithm).toMatch(/^[0-9a-f ]*$/);
        } catch (error) {
          expect(error).toBeInstanceOf(DerError);
        }
      }),
      runs(2000),
    );
  });
});
