// JSON with exact integers, compared with JSON.parse and tested with hostile strings.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, JsonError, parseJson, stringifyJson } from '../../../../src/lib/kernel/json.ts';
import { thrownBy } from '../../../helpers/failure.ts';
import { runs, size } from '../../../helpers/size.ts';
import { damagedJson, parsesAsJson } from './damaged-json.ts';

/** Returns an integer as the type that `parseJson` returns. */
function asParsed(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function failure(text: string): JsonError {
  const error = thrownBy(() => parseJson(text));
  expect(error).toBeInstanceOf(JsonError);
  return error as JsonError;
}

const anyInteger = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  fc.bigInt({ min: 2n ** 53n - 20n, max: 2n ** 53n + 20n }),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
  fc.maxSafeInteger().map(BigInt),
);

/** Arbitrary values as `parseJson` returns them, including bigints. */
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    anyInteger.map(asParsed),
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.string({ unit: 'binary' }), tie('value'), { maxKeys: 5 }),
  ),
}));

/** Returns the value with unsafe integers as bigints and without `__proto__`, as `parseJson` does. */
function normalized(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e21)
    return asParsed(BigInt(String(value)));
  if (Array.isArray(value)) return value.map(normalized);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([key]) => key !== '__proto__');
  return Object.fromEntries(members.map(([key, item]) => [key, normalized(item)]));
}

describe('JSON with 64-bit integers', () => {
  it('keeps random integers exact when it is parsed and written again', () => {
    const count = size(100_000, 10_000);
    const bytes = randomBytes(count * 8);
    for (let index = 0; index < count; index++) {
      const signed = bytes.readBigInt64LE(index * 8);
      const text = `{"id":${signed},"ids":[${-signed}, ${signed}]}`;
      const value = parseJson(text) as { id: number | bigint; ids: (number | bigint)[] };
      if (BigInt(value.id) !== signed || BigInt(value.ids[1] ?? 0) !== signed) expect(value.id, text).toBe(signed);
      if (stringifyJson(value) !== text.replace(' ', '')) expect(stringifyJson(value)).toBe(text);
    }
  });

  it.each([
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991', Number.MIN_SAFE_INTEGER],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['18446744073709551615', 2n ** 64n - 1n],
    ['0', 0],
    ['-0', -0],
    ['1e2', 100],
    ['1E+2', 100],
    ['1e-7', 1e-7],
    ['12345678901234567890.0', 12345678901234567000],
    ['12345678901234567890e0', 12345678901234567000],
    ['0.12345678901234567890', 0.12345678901234568],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['1e-400', 0],
  ])('is parsed exactly: %s', (text, value) => {
    expect(parseJson(text)).toBe(value);
    expect(parseJson(`[ ${text}\t]`)).toEqual([value]);
    expect(parseJson(`{"a":${text}}`)).toEqual({ a: value });
  });

  it('is parsed without changing digits in strings and keys', () => {
    const text =
      '{"12345678901234567890":"12345678901234567890","a":"\\"12345678901234567890","b\\\\":"[9007199254740993]"}';
    expect(parseJson(text)).toEqual(JSON.parse(text));
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  it.each([
    ['a key is an integer', '{12345678901234567890:1}'],
    ['a key is an integer before 500 spaces', `{12345678901234567890${' '.repeat(500)}:1}`],
    ['an integer starts with 0', '[012345678901234567890]'],
  ])('is rejected if %s', (_what, text) => {
    expect(failure(text).message).toMatch(/^not valid JSON: /);
  });

  it('is rejected if a number cannot be represented', () => {
    expect(failure('{"a": 1e400}')).toMatchObject({ offset: 6, message: 'a number is too large' });
    expect(failure('[-1.5E+309]')).toMatchObject({ offset: 1 });
    expect(failure(`[${'9'.repeat(1001)}]`)).toMatchObject({ message: 'a number has more than 1000 digits' });
    expect(failure(`["x", ${'9'.repeat(5_000_000)}]`)).toMatchObject({ offset: 6 });
    expect(parseJson('9'.repeat(1000))).toBe(BigInt('9'.repeat(1000)));
  });
});

describe('parseJson', () => {
  it.each(['0.1', '-12.50', '1e5', '1E-7', '0.000', '0e9', '1234567890123456.5', '1234567890123456.2', '1234567890123456.3', '0.10000000000000001', '1e-300', '9007199254740993', '0.1000000000000000055511151231257827'])(
    'accepts %s if numbers must be exact, because a double holds all its digits',
    (text) => expect(parseJson(text, Infinity, true)).toBe(parseJson(text)),
  ); // prettier-ignore

  it.each(['12345678901234567.25', '1e-400', '-0.12345678901234567890', '9007199254740993.0', '1.2345678901234567890e9', `0.${'123'.repeat(50)}`])(
    'rejects %s if numbers must be exact, because a double would round it',
    (text) => {
      const error = thrownBy(() => parseJson(`{"a":${text}}`, Infinity, true));
      expect(error).toMatchObject({ offset: 5, message: expect.stringContaining('write it in quotes') as string });
    },
  ); // prettier-ignore

  it('accepts every double as JSON.stringify writes it if numbers must be exact', () => {
    const large = fc
      .tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 12 }))
      .map(([units, bits]) => units / 2 ** bits);
    fc.assert(
      fc.property(fc.oneof(large, fc.double({ noNaN: true, noDefaultInfinity: true })), (value) => {
        expect(Number(parseJson(JSON.stringify(value), Infinity, true))).toBe(value === 0 ? 0 : value);
      }),
      runs(2000),
    );
  });

  it('returns the same values as JSON.parse if there are no big integers, and rejects the same texts', () => {
    fc.assert(
      fc.property(damagedJson(), (text) => {
        const plain = text.startsWith('\ufeff') ? text.slice(1) : text;
        if (!parsesAsJson(plain)) expect(failure(text).message).toMatch(/^not valid JSON: |^a number is too large$/);
        else if (!/\d{16}|e\+?\d{3}|__proto__/i.test(text)) expect(parseJson(text)).toEqual(JSON.parse(plain));
      }),
      runs(2000),
    );
  });

  it('reads back the output of stringifyJson, with and without indent', () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(undefined, 2), (value, indent) => {
        expect(parseJson(stringifyJson(value, indent))).toEqual(normalized(value));
      }),
      runs(2000),
    );
  });

  it('drops __proto__ in every spelling and does not change any prototype', () => {
    const spellings = [
      '__proto__',
      '\\u005f_proto__',
      '__\\u0070roto__',
      '__p\\u0072\\u006F\\u0074o__',
      '__prot\\u006f__',
      '__p\\u0072oto__',
      '__pro\\u0074o__',
      '_\\u005Fproto__',
    ];
    for (const key of spellings) {
      const value = parseJson(`{"a":{"${key}":{"polluted":true},"b":1},"c":[{"${key}":null}]}`);
      expect(value).toEqual({ a: { b: 1 }, c: [{}] });
      expect(Object.getPrototypeOf((value as { a: object }).a)).toBe(Object.prototype);
    }
    expect(parseJson('{"constructor":{"prototype":{"x":1}}}')).toEqual({ constructor: { prototype: { x: 1 } } });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('never mistakes a string in the input for an internal marker', () => {
    const marks = ['big-integer:', 'big-integer:0:9007199254740993', '\uE0000:9007199254740993'];
    const text = JSON.stringify({ marks, id: 1 }).replace('"id":1', '"id":9007199254740993');
    expect(parseJson(text)).toEqual({ marks, id: 9007199254740993n });
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  it('accepts 500 levels of nesting and rejects more, for text of any length', () => {
    const nested = (levels: number, open: string, close: string): string =>
      open.repeat(levels) + '1' + close.repeat(levels);
    expect(() => parseJson(nested(500, '[', ']'))).not.toThrow();
    expect(() => parseJson(nested(500, '{"a":', '}'))).not.toThrow();
    expect(failure(nested(501, '[', ']'))).toMatchObject({ offset: 500, message: 'nested deeper than 500 levels' });
    expect(failure(nested(200_000, '{"a":', '}'))).toMatchObject({ offset: 2500 });
    expect(failure('['.repeat(1_000_000))).toMatchObject({ offset: 500 });
    expect(parseJson(`"${'['.repeat(1000)}"`)).toBe('['.repeat(1000));
    expect(parseJson(`[${'[],'.repeat(1000)}[]]`)).toHaveLength(1001);
  });

  it('accepts one byte order mark and counts it in the offset of an error', () => {
    expect(parseJson('\ufeff{"id":9007199254740993}')).toEqual({ id: 9007199254740993n });
    expect(failure('\ufeff{"a" 1}')).toMatchObject({ offset: 6 });
    expect(failure('\ufeff\ufeff{}')).toMatchObject({ offset: 1 });
  });

  it("reports an error's offset in the original text, even after big integers", () => {
    expect(failure('{"id": 9007199254740993, "a": }')).toMatchObject({ offset: 30 });
    expect(failure('[9007199254740993,, 1]')).toMatchObject({
      offset: 18,
      message: 'not valid JSON: a value is missing here',
    });
  });

  it('takes time linear in the length of the text, for any text', () => {
    const half = 5_000_000;
    expect(parseJson(`{"a":"${'x'.repeat(2 * half)}","id":9007199254740993}`)).toMatchObject({ id: 9007199254740993n });
    expect(parseJson(`"${'\\"'.repeat(half)}9007199254740993"`)).toHaveLength(half + 16);
    for (const broken of [
      `"${'\\"'.repeat(half)}9007199254740993`,
      `${'"\\\n'.repeat(half / 2)}9007199254740993`,
      `[${'1-'.repeat(half)}]`,
      `[9007199254740993${' '.repeat(half)}x]`,
    ]) {
      expect(failure(broken).message).toMatch(/^not valid JSON/);
    }
  });
});

describe('stringifyJson', () => {
  it('writes the same text as JSON.stringify if there is no bigint', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
        expect(stringifyJson(value, indent)).toBe(JSON.stringify(value, undefined, indent));
      }),
    );
  });

  it('writes bigints without quotes at every depth', () => {
    expect(stringifyJson({ a: 1n, b: [-(2n ** 63n), { c: 2n ** 64n }], d: '1', e: undefined })).toBe(
      '{"a":1,"b":[-9223372036854775808,{"c":18446744073709551616}],"d":"1"}',
    );
    expect(stringifyJson([9007199254740993n], 2)).toBe('[\n  9007199254740993\n]');
    expect(stringifyJson(undefined)).toBe('null');
  });

  it('throws for a value that cannot be written', () => {
    const circle: unknown[] = [1n];
    circle.push(circle);
    expect(() => stringifyJson(circle)).toThrow(/circular/i);
  });
});

describe('canonicalJson', () => {
  it('ignores the order of keys', () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, item]) => [key, shuffled(item)]),
      );
    };
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('writes text that can be parsed again, and different text for different values', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (one, other) => {
        const same = canonicalJson(one) === canonicalJson(other);
        if (same) expect(normalized(one)).toEqual(normalized(other));
        const members = normalized(one);
        expect(canonicalJson(parseJson(canonicalJson(members)))).toBe(canonicalJson(members));
      }),
      runs(1000),
    );
  });

  it.each([
    [{ b: 1, a: [true, null, 'x"'] }, '{"a":[true,null,"x\\""],"b":1}'],
    [{ id: 9007199254740993n }, '{"id":9007199254740993}'],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    [[undefined], '[null]'],
    [1n, '1'],
    [{ é: 1, z: 2, Z: 3, 10: 4, 9: 5 }, '{"10":4,"9":5,"Z":3,"z":2,"é":1}'],
  ])('writes %o', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('distinguishes a list from an object with the same indexes as keys', () => {
    expect(canonicalJson(['a'])).not.toBe(canonicalJson({ 0: 'a' }));
  });
});
