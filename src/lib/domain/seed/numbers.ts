// Converts other programs' numbers to JSON: those with decimal commas, and whole numbers that pandas wrote as floats.
import { SEED_RULES } from '../../contract/seed-rules.ts';
import { type Dialect, withDecimalPoint } from '../csv/dialect.ts';
import type { RowIssue } from './batch.ts';
import type { Column } from './columns.ts';
import { COMMA } from './scan.ts';

/**
 * Returns a function that rewrites the cells of a record in place and returns their issues. `header` contains the
 * column names. In the dialect, `isLocal` must be true only if the numbers have decimal commas.
 */
export function createNumberReader(
  header: readonly string[],
  columns: readonly (Column | undefined)[],
  { floats, isLocal }: Dialect,
): (cells: unknown[]) => RowIssue[] {
  const kinds = columns.map(kindOf);
  return (cells) => {
    const issues: RowIssue[] = [];
    for (const [index, kind] of kinds.entries()) {
      const cell = cells[index];
      if (kind === undefined || typeof cell !== 'string') continue;
      if (floats && kind === 'whole') cells[index] = cell.replace(/^(\d{1,19})\.0$/, '$1');
      if (!isLocal) continue;
      const number = withDecimalPoint(cell);
      const message = `\`${cell}\` may be a fraction, or the point may separate thousands; write it without the point`;
      if (number === undefined) issues.push({ path: (header[index] ?? '').trim(), message });
      else cells[index] = number;
    }
    return issues;
  };
}

/** Returns advice about the flag that accepts the number in a cell; empty if no flag does. */
export function numberAdvice(cell: string, separator: number): string {
  if (/^\d{1,19}\.0$/.test(cell)) return '; for numbers that pandas wrote, pass --source pandas';
  return separator !== COMMA && /^-?[\d.]{1,20},\d+$/.test(cell) ? '; for decimal commas, pass --source excel' : '';
}

function kindOf(column: Column | undefined): 'number' | 'whole' | undefined {
  if (column?.kind !== 'attribute') return undefined;
  const rule = SEED_RULES[column.type];
  if (rule.form === 'value')
    return rule.holds === 'number' ? 'number' : rule.holds === 'anything' ? undefined : 'whole';
  if (rule.form === 'list' || column.key === undefined) return undefined;
  return column.type === 'average' && column.key === 'sum' ? 'number' : 'whole';
}
