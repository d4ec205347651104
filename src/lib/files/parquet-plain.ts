// Reads the values of a Parquet page one by one, in the physical types of the format, whatever they are encoded as.
import type { Encoding, SchemaElement } from 'hyparquet';
import { deltaBinaryUnpack, deltaByteArray, deltaLengthByteArray } from 'hyparquet/src/delta.js';
import { byteStreamSplit } from 'hyparquet/src/encoding.js';
import { RunReader } from './parquet-runs.ts';

/** A value as it is stored. INT96 is given as nanoseconds since 1970. */
export type Raw = boolean | number | bigint | Buffer;

type Next = () => Raw;

/** Values from `at` on; `count` is how many there are. Throws for an encoding that is not known. */
export function rawReader(
  bytes: Buffer,
  at: number,
  element: Pick<SchemaElement, 'type' | 'type_length'>,
  encoding: Encoding,
  count: () => number,
): Next {
  if (encoding === 'PLAIN') return plainReader(bytes, at, element);
  if (encoding === 'RLE') {
    const runs = new RunReader(bytes, at + 4, at + 4 + bytes.readUInt32LE(at), 1);
    return () => runs.next() === 1;
  }
  const values = unpacked(bytes, at, element, encoding, count());
  let index = 0;
  return () => {
    const value = values[index++];
    if (value === undefined) throw new Error('its values end early');
    return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length) : value;
  };
}

/** No writer puts more on a page. Memory for them is allocated before they are read. */
const MOST_VALUES = 2 ** 24;

type Values = ArrayLike<number | bigint | Uint8Array>;

function unpacked(
  bytes: Buffer,
  offset: number,
  { type, type_length }: Pick<SchemaElement, 'type' | 'type_length'>,
  encoding: Encoding,
  count: number,
): Values {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset };
  if (count === 0) return [];
  if (count > MOST_VALUES) throw new Error('a page has too many values');
  switch (encoding) {
    case 'DELTA_BINARY_PACKED': {
      const values = type === 'INT32' ? new Int32Array(count) : new BigInt64Array(count);
      deltaBinaryUnpack(reader, count, values);
      return values;
    }
    case 'DELTA_LENGTH_BYTE_ARRAY':
    case 'DELTA_BYTE_ARRAY': {
      const values = new Array<Uint8Array>(count);
      (encoding === 'DELTA_BYTE_ARRAY' ? deltaByteArray : deltaLengthByteArray)(reader, count, values);
      return values;
    }
    case 'BYTE_STREAM_SPLIT':
      return byteStreamSplit(reader, count, type ?? 'INT32', type_length) as Values;
    default:
      throw new Error(`it uses the encoding ${encoding}`);
  }
}

const JULIAN_1970 = 2_440_588;
const NANOSECONDS_PER_DAY = 86_400_000_000_000n;

function plainReader(
  bytes: Buffer,
  begin: number,
  { type, type_length }: Pick<SchemaElement, 'type' | 'type_length'>,
): Next {
  let at = begin;
  const fixed =
    <T extends Raw>(size: number, read: (offset: number) => T) =>
    () => {
      const value = read(at);
      at += size;
      return value;
    };
  const slice = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('its values end early');
    return bytes.subarray(at, (at += length));
  };
  switch (type) {
    case 'BOOLEAN': {
      let bit = begin * 8;
      return () => ((bytes.readUInt8(bit >>> 3) >> (bit++ & 7)) & 1) === 1;
    }
    case 'INT32':
      return fixed(4, (offset) => bytes.readInt32LE(offset));
    case 'INT64':
      return fixed(8, (offset) => bytes.readBigInt64LE(offset));
    case 'INT96':
      return fixed(12, (offset) => {
        const days = BigInt(bytes.readInt32LE(offset + 8) - JULIAN_1970);
        return days * NANOSECONDS_PER_DAY + bytes.readBigInt64LE(offset);
      });
    case 'FLOAT':
      return fixed(4, (offset) => bytes.readFloatLE(offset));
    case 'DOUBLE':
      return fixed(8, (offset) => bytes.readDoubleLE(offset));
    case 'BYTE_ARRAY':
      return () => {
        const length = bytes.readUInt32LE(at);
        at += 4;
        return slice(length);
      };
    case 'FIXED_LEN_BYTE_ARRAY':
      return () => slice(type_length ?? 0);
    default:
      throw new Error('a column has no type');
  }
}
