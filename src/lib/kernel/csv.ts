// CSV (RFC 4180): how cells are written, and what separates those of a file.

/** In quotes where it must be, and where a reader might trim it; `delimiter` is one character. */
export function csvCell(text: string, delimiter = ','): string {
  return text.includes(delimiter) || /["\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One line; cells are quoted where they must be. */
export function csvLine(cells: readonly string[], delimiter = ',', lineEnd = '\n'): string {
  return cells.map((cell) => csvCell(cell, delimiter)).join(delimiter) + lineEnd;
}

/**
 * Of comma, semicolon, tab and pipe the one that a line of headings has most of outside of quotes; the first of equals.
 * (decision: D162)
 */
export function separatorOf(headings: string): string {
  const bare = headings.replace(/"[^"]*"/g, '');
  const count = (sign: string): number => bare.split(sign).length;
  return [',', ';', '\t', '|'].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}
