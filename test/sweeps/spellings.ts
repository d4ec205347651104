// The encodings that a secret may leak in unnoticed.

/** The secret itself, in JSON, in a URL, in hex, and in base64 at each alignment. */
export function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const inside = [0, 1, 2].map((shift) => {
    // Bytes at an offset, without the base64 characters that depend on their neighbors.
    const text = Buffer.concat([Buffer.alloc(shift, 'x'), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return text.slice(shift === 0 ? 0 : 4, -2);
  });
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), bytes.toString('hex'), ...inside];
}
