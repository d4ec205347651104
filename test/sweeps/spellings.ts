// Encodings in which a secret may leak unnoticed.

/** Returns the secret itself, in JSON, in a URL, in hex, and in base64 at each alignment. */
export function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const inside = [0, 1, 2].map((shift) => {
    // Encodes at each base64 alignment and drops the characters that depend on neighboring bytes.
    const text = Buffer.concat([Buffer.alloc(shift, 'x'), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return text.slice(shift === 0 ? 0 : 4, -2);
  });
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), bytes.toString('hex'), ...inside];
}
