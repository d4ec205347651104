// One column of a row group as a stream: page after page is read and decompressed, and its entries are read from there
// one by one. An entry is a value or a null, with the levels that say where in the row it belongs.
import { crc32 } from 'node:zlib';
import type { ColumnMetaData, Compressors, PageHeader, SchemaElement } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { rawReader, type Raw } from './parquet-plain.ts';
import { bitWidth, RunReader } from './parquet-runs.ts';

export interface ChunkFile {
  /** Bytes from `start` to `end`; fewer at the end of the file. */
  read(start: number, end: number): Promise<Buffer>;
  compressors: Compressors;
  /** Told how many bytes of pages are held more (or, if negative, fewer). */
  onHeld(bytes: number): void;
}

/** A leaf of the schema, and the levels at which it has a value. */
export interface Leaf {
  element: SchemaElement;
  maxRepetition: number;
  maxDefinition: number;
  /** The exact value of what is stored. */
  convert(raw: Raw): unknown;
}

interface Page {
  left: number;
  size: number;
  repetition: RunReader | undefined;
  definition: RunReader | undefined;
  next(): unknown;
}

/** Read at once: most headers, and many pages, are no longer. */
const WINDOW_BYTES = 64 * 1024;

export class ColumnChunk {
  /** The levels of the current entry; 0 and -1 after the last loaded one. */
  repetition = 0;
  definition = -1;
  readonly #file: ChunkFile;
  readonly #leaf: Leaf;
  readonly #meta: ColumnMetaData;
  readonly #end: number;
  #at: number;
  #window: Buffer = Buffer.alloc(0);
  #windowAt = 0;
  #dictionary: { values: unknown[]; size: number } = { values: [], size: 0 };
  #page: Page | undefined;
  #pages: Page[] = [];
  /** Entries that are yet to be loaded. */
  #entries: number;
  /** Rows that begin in what was loaded, and were not read. */
  #rows = 0;
  /** Whether the last of these may continue on the next page. */
  #isOpen = false;

  constructor(file: ChunkFile, leaf: Leaf, meta: ColumnMetaData) {
    this.#file = file;
    this.#leaf = leaf;
    this.#meta = meta;
    // A few writers name no offset of the dictionary, or 0.
    const first = [meta.dictionary_page_offset, meta.data_page_offset].filter((offset) => offset);
    this.#at = Math.min(...first.map(Number));
    this.#end = this.#at + Number(meta.total_compressed_size);
    this.#entries = Number(meta.num_values);
  }

  /** Loads until a whole row can be read, and returns how many can. */
  async load(): Promise<number> {
    for (;;) {
      const ready = this.#entries > 0 && this.#isOpen ? this.#rows - 1 : this.#rows;
      if (ready > 0) return ready;
      if (this.#entries <= 0) throw new Error(`its column ${this.#meta.path_in_schema.join('.')} ends early`);
      await this.#loadPage();
      if (this.definition < 0) this.#advance();
    }
  }

  /** Counts rows that were read. */
  drop(rows: number): void {
    this.#rows -= rows;
  }

  /** Lets the pages go. */
  close(): void {
    for (const page of [this.#page, ...this.#pages, this.#dictionary]) this.#file.onHeld(-(page?.size ?? 0));
    this.#page = undefined;
    this.#pages = [];
  }

  /** The value of the current entry, or null; moves to the next entry. */
  take(): unknown {
    const value = this.definition === this.#leaf.maxDefinition ? this.#page?.next() : null;
    this.#advance();
    return value;
  }

  #advance(): void {
    while (this.#page === undefined || this.#page.left === 0) {
      if (this.#page !== undefined) this.#file.onHeld(-this.#page.size);
      this.#page = this.#pages.shift();
      if (this.#page === undefined) {
        this.repetition = 0;
        this.definition = -1;
        return;
      }
    }
    const page = this.#page;
    page.left--;
    this.repetition = page.repetition?.next() ?? 0;
    this.definition = page.definition?.next() ?? this.#leaf.maxDefinition;
  }

  async #loadPage(): Promise<void> {
    const header = await this.#readHeader();
    const size = header.compressed_page_size;
    // A damaged file may have no number here.
    if (!(size >= 0 && this.#at + size <= this.#end)) throw new Error('a page extends beyond its column');
    if (!(header.uncompressed_page_size >= 0)) throw new Error('a page has no size');
    this.#file.onHeld(header.uncompressed_page_size);
    const bytes = await this.#read(size);
    this.#at += size;
    if (header.crc !== undefined && crc32(bytes) !== header.crc >>> 0) {
      throw new Error('the checksum of a page is invalid: the file is damaged');
    }
    if (header.type === 'DICTIONARY_PAGE') this.#loadDictionary(header, bytes);
    else if (header.data_page_header_v2 !== undefined) this.#loadPage2(header, bytes);
    else if (header.data_page_header !== undefined) this.#loadPage1(header, bytes);
    else this.#file.onHeld(-header.uncompressed_page_size);
  }

  /** A header says its own length by ending. */
  async #readHeader(): Promise<PageHeader> {
    for (let size = 256; ; size *= 8) {
      const bytes = await this.#read(Math.min(size, this.#end - this.#at));
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

  async #read(size: number): Promise<Buffer> {
    const from = this.#at - this.#windowAt;
    if (from < 0 || from + size > this.#window.length) {
      const wanted = Math.min(this.#end, this.#at + Math.max(size, WINDOW_BYTES));
      const bytes = await this.#file.read(this.#at, wanted);
      if (bytes.length < size) throw new Error('it is cut off');
      // A large page is not kept: only what comes before the next header is read again.
      if (size > WINDOW_BYTES) return bytes;
      this.#window = bytes;
      this.#windowAt = this.#at;
    }
    return this.#window.subarray(this.#at - this.#windowAt, this.#at - this.#windowAt + size);
  }

  #decompress(bytes: Buffer, size: number): Buffer {
    if (size === 0) return Buffer.alloc(0);
    const { buffer, byteOffset, length } = decompressPage(bytes, size, this.#meta.codec, this.#file.compressors);
    return Buffer.from(buffer, byteOffset, length);
  }

  #loadDictionary({ dictionary_page_header: header, uncompressed_page_size: size }: PageHeader, bytes: Buffer): void {
    const count = header?.num_values ?? 0;
    const next = rawReader(this.#decompress(bytes, size), 0, this.#leaf.element, 'PLAIN', () => count);
    this.#dictionary = { size, values: Array.from({ length: count }, () => this.#leaf.convert(next())) };
  }

  #loadPage1({ data_page_header: header, uncompressed_page_size: size }: PageHeader, packed: Buffer): void {
    if (header === undefined) return;
    const bytes = this.#decompress(packed, size);
    let at = 0;
    const levels = (max: number, encoding: string): (() => RunReader) | undefined => {
      if (max === 0) return undefined;
      if (encoding !== 'RLE') throw new Error(`it uses the encoding ${encoding} for levels`);
      const begin = at + 4;
      const end = begin + bytes.readUInt32LE(at);
      at = end;
      return () => new RunReader(bytes, begin, end, bitWidth(max));
    };
    const { maxRepetition, maxDefinition } = this.#leaf;
    const { num_values: left } = header;
    const repetition = levels(maxRepetition, header.repetition_level_encoding);
    const definition = levels(maxDefinition, header.definition_level_encoding);
    const next = this.#values(bytes, at, header.encoding, () => definition?.().count(left, maxDefinition) ?? left);
    this.#rows += repetition?.().count(left, 0) ?? left;
    this.#isOpen = repetition !== undefined;
    this.#add({ left, size, next, repetition: repetition?.(), definition: definition?.() });
  }

  #loadPage2({ data_page_header_v2: header, uncompressed_page_size: size }: PageHeader, packed: Buffer): void {
    if (header === undefined) return;
    const { num_values: left, repetition_levels_byte_length: middle } = header;
    const end = middle + header.definition_levels_byte_length;
    const rest = packed.subarray(end);
    const bytes = header.is_compressed === false ? rest : this.#decompress(rest, size - end);
    const { maxRepetition, maxDefinition } = this.#leaf;
    const next = this.#values(bytes, 0, header.encoding, () => left - header.num_nulls);
    this.#rows += header.num_rows;
    this.#isOpen = false;
    this.#add({
      left,
      size,
      next,
      repetition: maxRepetition === 0 ? undefined : new RunReader(packed, 0, middle, bitWidth(maxRepetition)),
      definition: maxDefinition === 0 ? undefined : new RunReader(packed, middle, end, bitWidth(maxDefinition)),
    });
  }

  #values(bytes: Buffer, at: number, encoding: string, count: () => number): () => unknown {
    const { convert, element } = this.#leaf;
    if (encoding !== 'PLAIN_DICTIONARY' && encoding !== 'RLE_DICTIONARY') {
      const next = rawReader(bytes, at, element, encoding as never, count);
      return () => convert(next());
    }
    const { values } = this.#dictionary;
    // A page of nothing but nulls may say nothing more.
    const width = bytes[at] ?? 0;
    const indexes = new RunReader(bytes, Math.min(at + 1, bytes.length), bytes.length, width);
    return () => {
      const index = indexes.next();
      if (index >= values.length) throw new Error('a value is not in its dictionary');
      return values[index];
    };
  }

  #add(page: Page): void {
    if (!(page.left >= 0 && page.left <= this.#entries)) throw new Error('a page has more values than its column');
    this.#entries -= page.left;
    this.#pages.push(page);
  }
}
