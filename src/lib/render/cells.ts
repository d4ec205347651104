// Cells of a list: their heading and their text, before any format draws them.
import { usageError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';
import { cleanLine } from './clean.ts';
import type { CellValue, Column } from './view.ts';

/** A cell as text: nothing for what is absent. */
export function cellText(value: CellValue): string {
  return value === null || value === undefined ? '' : String(value);
}

/** `display_name` -> `DISPLAY NAME`, unless the column has a title of its own. */
export function columnTitle<Row>(column: Column<Row>): string {
  // A title may come from the platform: a role's id above its column.
  const title = cleanLine(column.title ?? column.key.replaceAll('_', ' '));
  return column.idTitle ? title : title.toUpperCase();
}

/** The columns that `--fields` names, in its order. Throws KnownError usage (2) for a name that no column has. */
export function chooseColumns<C extends { key: string }>(columns: readonly C[], fields: string[] | undefined): C[] {
  if (fields === undefined) return [...columns];
  const known = columns.map((column) => column.key);
  return fields.map((field) => {
    const column = columns.find(({ key }) => key === field);
    if (column) return column;
    const guess = nearest(field, known);
    throw usageError(
      `--fields names \`${field}\`, which this result does not have.`,
      `${guess === undefined ? '' : `Did you mean \`${guess}\`? `}There are ${known.join(', ')}.`,
    );
  });
}
