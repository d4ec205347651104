// What parts the cells of a CSV file (decision: D162).

/** The one of comma, semicolon and tab that a line of headings has most of outside of quotes; of equals the first. */
export function separatorOf(headings: string): string {
  const bare = headings.replace(/"[^"]*"/g, '');
  const count = (sign: string): number => bare.split(sign).length;
  return [',', ';', '\t'].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}
