// Cells of a table as the exact reading takes them.

/** A column that an attribute is made of; `key` for one of its pairs. */
export interface Cell {
  index: number;
  key: string | undefined;
}

/** `k=1|m=2` of a column without a key, and the cells of columns with one. */
export function pairsOf<T>(
  places: readonly Cell[],
  cells: readonly T[],
): [string, T extends string ? string : unknown][] {
  return places.flatMap(({ index, key }): [string, never][] => {
    const cell = cells[index];
    if (isEmpty(cell)) return [];
    if (key !== undefined) return [[key, asText(cell) as never]];
    if (typeof cell === 'object') return Object.entries(cell as object) as [string, never][];
    return String(cell)
      .split('|')
      .map((pair) => {
        const sign = pair.lastIndexOf('=');
        return (sign < 0 ? [pair, ''] : [pair.slice(0, sign), pair.slice(sign + 1)]) as [string, never];
      });
  });
}

export function isEmpty(cell: unknown): boolean {
  return cell === undefined || cell === null || cell === '';
}

/** Cells of a Parquet file as a CSV file would hold them; what is no single value stays, for the contract to refuse. */
export function asText(cell: unknown): unknown {
  if (cell instanceof Date) return cell.toISOString();
  return typeof cell === 'number' || typeof cell === 'bigint' || typeof cell === 'boolean' ? String(cell) : cell;
}
