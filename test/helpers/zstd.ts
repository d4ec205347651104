// Wraps bytes in the zstd format, because not every supported Node has an encoder.

/** Returns a frame of raw blocks, each of at most this many bytes. */
export function zstd(text: string | Buffer, block = 100_000): Buffer {
  const content = Buffer.from(text);
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  header.writeUInt32LE(content.length, 5);
  const parts: Buffer[] = [header];
  for (let at = 0; at < content.length || at === 0; at += block) {
    const bytes = content.subarray(at, at + block);
    const head = Buffer.alloc(3);
    head.writeUIntLE((bytes.length << 3) | (at + block >= content.length ? 1 : 0), 0, 3);
    parts.push(head, bytes);
  }
  return Buffer.concat(parts);
}
