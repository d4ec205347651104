// One cell of CSV (RFC 4180).

/** In quotes where it must be, and where a reader might trim it; `delimiter` is one character. */
export function csvCell(text: string, delimiter = ','): string {
  return text.includes(delimiter) || /["\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
