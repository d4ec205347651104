// The forms in which a secret may come out unnoticed.

/** As it is, in JSON, in a URL, in hex, and in base64 wherever it begins. */
export function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const inside = [0, 1, 2].map((shift) => {
    // The same bytes behind others: without the characters that depend on the neighbours.
    const text = Buffer.concat([Buffer.alloc(shift, 'x'), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return text.slice(shift === 0 ? 0 : 4, -2);
  });
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), bytes.toString('hex'), ...inside];
}
