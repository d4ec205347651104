// Reads the small integers of a Parquet page (levels, indexes into a dictionary) one by one, without unpacking them all:
// a run that repeats one value, or a group of values packed side by side.

export class RunReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #width: number;
  #at: number;
  /** Values left of the current run. */
  #left = 0;
  #value = 0;
  /** Offset of the next packed value in bits; -1 in a run of one value. */
  #bit = -1;

  /** Reads values of `width` bits from `at`; the bytes of the runs end at `end`. */
  constructor(bytes: Uint8Array, at: number, end: number, width: number) {
    if (!(at >= 0 && end <= bytes.length && width <= 32)) throw new Error('its levels are damaged');
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end;
    this.#width = width;
  }

  /** Throws when there is no further value. */
  next(): number {
    if (this.#width === 0) return 0;
    while (this.#left === 0) this.#begin();
    this.#left--;
    return this.#bit < 0 ? this.#value : this.#unpack();
  }

  /** How many of the next `total` values are `wanted`. Reads them. */
  count(total: number, wanted: number): number {
    let found = 0;
    for (let index = 0; index < total; index++) if (this.next() === wanted) found++;
    return found;
  }

  #begin(): void {
    const header = this.#varint();
    if (header & 1) {
      this.#left = (header >>> 1) * 8;
      this.#bit = this.#at * 8;
      this.#at += (this.#left * this.#width) / 8;
      return;
    }
    this.#left = header >>> 1;
    this.#bit = -1;
    this.#value = 0;
    for (let shift = 0; shift < this.#width; shift += 8) this.#value += this.#byte() * 2 ** shift;
  }

  #varint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  #byte(): number {
    if (this.#at >= this.#end) throw new Error('its levels or indexes end early');
    return this.#bytes[this.#at++] as number;
  }

  /** Writers may omit the bytes after the last value of a group; they count as zeros. */
  #unpack(): number {
    let value = 0;
    for (let got = 0; got < this.#width;) {
      const offset = this.#bit & 7;
      const take = Math.min(8 - offset, this.#width - got);
      const byte = this.#bytes[this.#bit >>> 3] ?? 0;
      value += ((byte >> offset) & ((1 << take) - 1)) * 2 ** got;
      got += take;
      this.#bit += take;
    }
    return value;
  }
}

/** Bits that hold values up to `largest`. */
export function bitWidth(largest: number): number {
  return 32 - Math.clz32(largest);
}
