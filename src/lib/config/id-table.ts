// A million ids in little memory: each gets the number of its first appearance.
import { createHash } from 'node:crypto';

/** 128 bits. */
const WORDS = 4;

/** Ids and their numbers, from 0 in the order in which they came. Open addressing over typed arrays: some 30 bytes an id, where a Map of texts takes five times as much. */
export function createIdTable() {
  let keys = new Uint32Array(1024 * WORDS);
  /** Number and one more, by place; 0 is free. */
  let places = new Uint32Array(2048);
  let size = 0;
  const key = new Uint32Array(WORDS);

  /** The place of the key, or the free one where it belongs. */
  function placeOf(words: Uint32Array, from: number): number {
    const mask = places.length - 1;
    let place = ((words[from] ?? 0) ^ (words[from + 3] ?? 0)) & mask;
    for (let held = places[place] ?? 0; held !== 0; held = places[place] ?? 0) {
      const at = (held - 1) * WORDS;
      if (
        keys[at] === words[from] &&
        keys[at + 1] === words[from + 1] &&
        keys[at + 2] === words[from + 2] &&
        keys[at + 3] === words[from + 3]
      )
        return place;
      place = (place + 1) & mask;
    }
    return place;
  }

  function grow(): void {
    keys = doubled(keys, Uint32Array);
    places = new Uint32Array(places.length * 2);
    for (let number = 0; number < size; number++) places[placeOf(keys, number * WORDS)] = number + 1;
  }

  return {
    get size(): number {
      return size;
    },
    /** The number of an id; a new one is taken up. */
    add: (id: string): number => {
      readKey(id, key);
      const place = placeOf(key, 0);
      const held = places[place] ?? 0;
      if (held !== 0) return held - 1;
      keys.set(key, size * WORDS);
      places[place] = ++size;
      if (size * WORDS === keys.length) grow();
      return size - 1;
    },
    /** The number of an id; undefined for one that is not here. */
    find: (id: string): number | undefined => {
      readKey(id, key);
      const held = places[placeOf(key, 0)] ?? 0;
      return held === 0 ? undefined : held - 1;
    },
  };
}

/** The same numbers with room for as many more. */
export function doubled<T extends Float64Array | Uint16Array | Uint32Array>(
  numbers: T,
  Kind: new (length: number) => T,
): T {
  const larger = new Kind(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

/** A UUID is 128 bits by itself; of any other text it is a digest's beginning. */
function readKey(id: string, key: Uint32Array): void {
  if (readUuid(id, key)) return;
  const digest = createHash('sha256').update(id).digest();
  for (let word = 0; word < WORDS; word++) key[word] = digest.readUInt32LE(word * 4);
}

function readUuid(id: string, key: Uint32Array): boolean {
  if (id.length !== 36) return false;
  let word = 0;
  let digits = 0;
  for (let at = 0; at < 36; at++) {
    const code = id.charCodeAt(at);
    if (at === 8 || at === 13 || at === 18 || at === 23) {
      if (code !== HYPHEN) return false;
      continue;
    }
    const digit = code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87 : -1;
    if (digit < 0) return false;
    word = (word << 4) | digit;
    digits++;
    if (digits % 8 === 0) key[digits / 8 - 1] = word;
  }
  return true;
}

const HYPHEN = 0x2d;
