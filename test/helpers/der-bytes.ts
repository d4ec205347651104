// Writes DER by hand, including structures that openssl cannot produce.

/** Encodes one value: its tag, length and contents. */
export function der(tag: number, ...content: (Uint8Array | readonly number[])[]): Buffer {
  const bytes = Buffer.concat(content.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([tag]), lengthOf(bytes.length), bytes]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const size = length < 0x100 ? 1 : length < 0x1_0000 ? 2 : length < 0x100_0000 ? 3 : 4;
  const bytes = Buffer.alloc(size + 1, 0x80 | size);
  bytes.writeUIntBE(length, 1, size);
  return bytes;
}

export const sequence = (...content: Buffer[]): Buffer => der(0x30, ...content);
export const objectId = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
export const octets = (...content: (Uint8Array | readonly number[])[]): Buffer => der(0x04, ...content);
export const TRUE = der(0x01, [0xff]);
export const FALSE = der(0x01, [0x00]);
