// Streams a column of a row group: reads and decompresses page by page, and returns the entries one by one. An entry is
// a value or a null, with the levels that define its position in the row.
import { crc32 } from 'node:zlib';
import type { ColumnMetaData, Compressors, DataReader, Encoding, PageHeader, SchemaElement } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { deltaBinaryUnpack, deltaByteArray, deltaLengthByteArray } from 'hyparquet/src/delta.js';
import { byteStreamSplit, readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { smallest } from '../kernel/words.ts';

export type Raw = boolean | number | bigint | Buffer;

export interface ChunkFile {
  read(start: number, end: number): Promise<Buffer>;
  compressors: Compressors;
  /** Called with the change in the number of page bytes in memory. */
  onHeld(bytes: number): void;
}

/** A leaf of the schema, and the levels at which it has a value. */
export interface Leaf {
  element: SchemaElement;
  maxRepetition: number;
  maxDefinition: number;
  /** Converts a stored value to an exact value. */
  convert(raw: Raw): unknown;
}

interface Page {
  size: number;
  count: number;
  /** Number of entries and values read so far. */
  at: number;
  valueAt: number;
  repetition: Uint8Array | undefined;
  definition: Uint8Array | undefined;
  value(index: number): unknown;
}

const HEADER_BYTES = 1024;
/** Bytes added after a page: hyparquet reads past the last value, where the page may already end. */
const PADDING = 64;
/** Maximum number of values in a page, which no writer exceeds: memory is allocated before the values are read. */
const MOST_VALUES = 2 ** 24;
/** Enough bits to index `MOST_VALUES` values; hyparquet silently misreads wider indexes. */
const MOST_BITS = 24;

export class ColumnChunk {
  /** Repetition and definition levels of the current entry; 0 and -1 after the last loaded entry. */
  repetition = 0;
  definition = -1;
  readonly #file: ChunkFile;
  readonly #leaf: Leaf;
  readonly #meta: ColumnMetaData;
  readonly #end: number;
  #at: number;
  #dictionary: { values: unknown[]; size: number } = { values: [], size: 0 };
  #page: Page | undefined;
  #pages: Page[] = [];
  /** Number of entries not loaded yet. */
  #entries: number;
  /** Number of rows that start in the loaded pages and have not been read. */
  #rows = 0;
  /** True if the last of these rows may continue on the next page. */
  #isOpen = false;

  constructor(file: ChunkFile, leaf: Leaf, meta: ColumnMetaData) {
    this.#file = file;
    this.#leaf = leaf;
    this.#meta = meta;
    // Some writers omit the dictionary offset or set it to 0.
    const first = [meta.dictionary_page_offset, meta.data_page_offset].filter((offset) => offset);
    this.#at = smallest(first.map(Number));
    this.#end = this.#at + Number(meta.total_compressed_size);
    this.#entries = Number(meta.num_values);
  }

  /** Loads pages until a complete row can be read. Returns the number of complete rows. */
  async load(): Promise<number> {
    for (;;) {
      const ready = this.#entries > 0 && this.#isOpen ? this.#rows - 1 : this.#rows;
      if (ready > 0) return ready;
      if (this.#entries <= 0) throw new Error(`its column ${this.#meta.path_in_schema.join('.')} ends early`);
      await this.#loadPage();
      if (this.definition < 0) this.#advance();
    }
  }

  drop(rows: number): void {
    this.#rows -= rows;
  }

  close(): void {
    for (const page of [this.#page, ...this.#pages, this.#dictionary]) this.#file.onHeld(-(page?.size ?? 0));
    this.#page = undefined;
    this.#pages = [];
  }

  /** Returns the value of the current entry, or null, and moves to the next entry. */
  take(): unknown {
    const page = this.#page;
    const isValue = page !== undefined && this.definition === this.#leaf.maxDefinition;
    const value = isValue ? page.value(page.valueAt++) : null;
    this.#advance();
    return value;
  }

  #advance(): void {
    while (this.#page === undefined || this.#page.at === this.#page.count) {
      if (this.#page !== undefined) this.#file.onHeld(-this.#page.size);
      this.#page = this.#pages.shift();
      if (this.#page === undefined) {
        this.repetition = 0;
        this.definition = -1;
        return;
      }
    }
    const page = this.#page;
    this.repetition = page.repetition?.[page.at] ?? 0;
    this.definition = page.definition?.[page.at] ?? this.#leaf.maxDefinition;
    page.at++;
  }

  async #loadPage(): Promise<void> {
    const header = await this.#readHeader();
    const { compressed_page_size: packedSize, uncompressed_page_size: size } = header;
    // In a damaged file, a size might not be a number.
    if (!(packedSize >= 0 && this.#at + packedSize <= this.#end)) throw new Error('a page extends beyond its column');
    if (!(size >= 0)) throw new Error('a page has no size');
    this.#file.onHeld(size);
    const bytes = await this.#file.read(this.#at, this.#at + packedSize);
    if (bytes.length < packedSize) throw new Error('it is truncated');
    this.#at += packedSize;
    if (header.crc !== undefined && crc32(bytes) !== header.crc >>> 0)
      throw new Error('the checksum of a page is invalid: the file is damaged');
    const count = (header.dictionary_page_header ?? header.data_page_header ?? header.data_page_header_v2)?.num_values;
    if (count === undefined) this.#file.onHeld(-size);
    else if (!(count >= 0 && count <= MOST_VALUES)) throw new Error('a page has too many values');
    else if (header.type === 'DICTIONARY_PAGE') {
      const value = this.#values(this.#unpack(bytes, header), size, 'PLAIN', count);
      this.#dictionary = { size, values: Array.from({ length: count }, (_, index) => value(index)) };
    } else this.#add(header, bytes, count);
  }

  /** The length of a header is known only after the header is read. */
  async #readHeader(): Promise<PageHeader> {
    for (let size = HEADER_BYTES; ; size *= 8) {
      const bytes = await this.#file.read(this.#at, Math.min(this.#at + size, this.#end));
      const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
      try {
        const header = parquetHeader(reader);
        this.#at += reader.offset;
        return header;
      } catch (error) {
        if (this.#at + size >= this.#end) throw error;
      }
    }
  }

  /** Decompresses and pads the bytes of a page. In version 2, the levels before `begin` are not compressed. */
  #unpack(packed: Buffer, header: PageHeader, begin = 0): DataReader {
    const size = header.uncompressed_page_size;
    const bytes = new Uint8Array(size + PADDING);
    bytes.set(packed.subarray(0, begin));
    const rest = packed.subarray(begin);
    const isPlain = header.data_page_header_v2?.is_compressed === false || size === begin;
    const { codec } = this.#meta;
    bytes.set(isPlain ? rest : decompressPage(rest, size - begin, codec, this.#file.compressors), begin);
    return { view: new DataView(bytes.buffer), offset: 0 };
  }

  #add({ data_page_header: v1, ...header }: PageHeader, packed: Buffer, count: number): void {
    if (count > this.#entries) throw new Error('a page has more values than its column');
    const { data_page_header_v2: v2, uncompressed_page_size: size } = header;
    const { maxRepetition, maxDefinition } = this.#leaf;
    const begin = v2 ? v2.repetition_levels_byte_length + v2.definition_levels_byte_length : 0;
    const reader = this.#unpack(packed, header, begin);
    const levels = (max: number, encoding = 'RLE', bytes?: number): Uint8Array | undefined => {
      if (max === 0) return undefined;
      if (encoding !== 'RLE') throw new Error(`it uses the encoding ${encoding} for levels`);
      const found = new Uint8Array(count);
      readRleBitPackedHybrid(reader, 32 - Math.clz32(max), found, bytes);
      return found;
    };
    const repetition = levels(maxRepetition, v1?.repetition_level_encoding, v2?.repetition_levels_byte_length);
    if (v2) reader.offset = v2.repetition_levels_byte_length;
    const definition = levels(maxDefinition, v1?.definition_level_encoding, v2?.definition_levels_byte_length);
    if (v2) reader.offset = begin;
    const present = definition ? countOf(definition, maxDefinition) : count;
    const value = this.#values(reader, size, (v1 ?? v2)?.encoding, present);
    this.#entries -= count;
    this.#rows += repetition ? countOf(repetition, 0) : count;
    // A version 2 page always ends at the end of a row.
    this.#isOpen = repetition !== undefined && v2 === undefined;
    this.#pages.push({ size, count, at: 0, valueAt: 0, repetition, definition, value });
  }

  /** Reads the values of a page, and returns a function that converts the value at an index. */
  #values(reader: DataReader, size: number, encoding: Encoding | undefined, count: number): Page['value'] {
    const { convert, element } = this.#leaf;
    if (encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY') {
      const { values } = this.#dictionary;
      const width = reader.view.getUint8(reader.offset++);
      if (width > MOST_BITS) throw new Error(`it uses dictionary indexes of ${width} bits`);
      const indexes = width > 8 ? new Uint32Array(count) : new Uint8Array(count);
      if (width > 0) readRleBitPackedHybrid(reader, width, indexes, 0);
      return (index) => {
        const found = indexes[index] ?? values.length;
        if (found >= values.length) throw new Error('a value is not in its dictionary');
        return values[found];
      };
    }
    const values = unpackValues(reader, element, encoding, count);
    if (reader.offset > size) throw new Error('its values end early');
    return (index) => {
      const value = values[index];
      if (value === undefined) throw new Error('its values end early');
      if (encoding === 'RLE') return convert(value === 1);
      return convert(value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length) : value);
    };
  }
}

function unpackValues(
  reader: DataReader,
  { type = 'INT32', type_length }: SchemaElement,
  encoding: Encoding | undefined,
  count: number,
): ArrayLike<boolean | number | bigint | Uint8Array> {
  if (count === 0) return [];
  switch (encoding) {
    case 'PLAIN':
      return readPlain(reader, type, count, type_length) as Uint8Array[];
    case 'RLE': {
      const bits = new Uint8Array(count);
      readRleBitPackedHybrid(reader, 1, bits);
      return bits;
    }
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
      return byteStreamSplit(reader, count, type, type_length) as Uint8Array[];
    default:
      throw new Error(`it uses the encoding ${encoding}`);
  }
}

function countOf(levels: Uint8Array, wanted: number): number {
  let found = 0;
  for (const level of levels) if (level === wanted) found++;
  return found;
}
