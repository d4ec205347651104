// Names of files and requests without `node:crypto`, whose loading costs a call a tenth of Node's own start.
// Neither keeps a secret: where one does, `node:crypto` is the right module.

/** The fractional parts of the first `count` primes' roots, as SHA-2 takes them (FIPS 180-4, 4.2.2 and 5.3.3). */
function primeRoots(count: number, exponent: number): Int32Array {
  const roots = new Int32Array(count);
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate++) {
    if (primes.some((prime) => candidate % prime === 0)) continue;
    roots[primes.length] = (candidate ** exponent % 1) * 2 ** 32;
    primes.push(candidate);
  }
  return roots;
}

let constants: Int32Array | undefined;

/** SHA-256 of a text's UTF-8 bytes, 64 digits: what `node:crypto` gives, for short texts. */
export function sha256Hex(text: string): string {
  constants ??= primeRoots(64, 1 / 3);
  const state = primeRoots(8, 1 / 2);
  const bytes = Buffer.from(text);
  const padded = Buffer.alloc(((bytes.length + 72) >> 6) << 6);
  bytes.copy(padded);
  padded[bytes.length] = 0x80;
  padded.writeUInt32BE(bytes.length * 8, padded.length - 4);
  for (let at = 0; at < padded.length; at += 64) addBlock(state, constants, padded, at);
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** The compression of one block (FIPS 180-4, 6.2.2), into `state`. Plain, because it runs before anything is optimised. */
function addBlock(state: Int32Array, factors: Int32Array, bytes: Buffer, start: number): void {
  const words = new Int32Array(64);
  const mixed = Int32Array.from(state);
  for (let round = 0; round < 64; round++) {
    words[round] = round < 16 ? bytes.readInt32BE(start + 4 * round) : scheduled(words, round);
    const a = at(mixed, 0);
    const e = at(mixed, 4);
    const choice = (e & at(mixed, 5)) ^ (~e & at(mixed, 6));
    const majority = (a & at(mixed, 1)) ^ (a & at(mixed, 2)) ^ (at(mixed, 1) & at(mixed, 2));
    const first = at(mixed, 7) + sum(e, 6, 11, 25) + choice + at(factors, round) + at(words, round);
    mixed.copyWithin(1, 0, 7);
    mixed[4] = at(mixed, 4) + first;
    mixed[0] = first + sum(a, 2, 13, 22) + majority;
  }
  for (let index = 0; index < 8; index++) state[index] = at(state, index) + at(mixed, index);
}

function scheduled(words: Int32Array, round: number): number {
  const early = at(words, round - 15);
  const late = at(words, round - 2);
  const lower = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
  const upper = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
  return at(words, round - 16) + lower + at(words, round - 7) + upper;
}

function sum(value: number, first: number, second: number, third: number): number {
  return rotated(value, first) ^ rotated(value, second) ^ rotated(value, third);
}

function rotated(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits));
}

function at(words: Int32Array, index: number): number {
  return words[index] ?? 0;
}

/** A UUID of version 4, from `Math.random`: a name to find a request by. */
export function requestId(): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (kind) => {
    const digit = Math.floor(Math.random() * 16);
    return (kind === 'x' ? digit : 8 + (digit & 3)).toString(16);
  });
}
