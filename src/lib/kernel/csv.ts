// CSV (RFC 4180): writes cells and lines, and detects a file's separator.

/** Quotes a cell if necessary, or if a reader could trim its spaces. `delimiter` is one character. */
export function csvCell(text: string, delimiter = ','): string {
  return text.includes(delimiter) || /["\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvLine(cells: readonly string[], delimiter = ',', lineEnd = '\n'): string {
  return cells.map((cell) => csvCell(cell, delimiter)).join(delimiter) + lineEnd;
}

/** Returns the most frequent separator outside quotes in a header line; in a tie, the first of the list (D162). */
export function separatorOf(headings: string): string {
  const bare = headings.replace(/"[^"]*"/g, '');
  const count = (sign: string): number => bare.split(sign).length;
  return [',', ';', '\t', '|'].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}
