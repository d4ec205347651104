// Turns rows of a table into users: as the bytes of a body, or as a value for the exact check, with the same result.
import { createBodyWriter, type TableDefaults } from './body-writer.ts';
import { asText, isEmpty, seedValue, type TableAttribute } from './cells.ts';
import { createColumnFinder } from './column-finder.ts';
import type { Column } from './columns.ts';
import { createNullCells, type OnNullWord } from './null-cells.ts';
import type { RowRules } from './row-rules.ts';

export type Table = ReturnType<typeof createTable>;

/** `header` contains the column names. `onNullWord` gets null words that are sent as text. */
export function createTable(
  header: readonly string[],
  columns: readonly (Column | undefined)[],
  defaults: TableDefaults,
  { names, nulls }: Pick<RowRules, 'names' | 'nulls'>,
  onNullWord?: OnNullWord,
) {
  const { toWire } = names;
  const at = (kind: Column['kind']): number => columns.findIndex((column) => column?.kind === kind);
  const xpidAt = at('xpid');
  const environmentAt = at('environment');
  const dateAt = at('cutoff_date');
  const identities = columns.flatMap((column, index) =>
    column?.kind === 'identity' ? [{ index, type: column.type }] : [],
  );
  const users = columns.flatMap((column, index) => (column?.kind === 'user' ? [{ index, name: column.name }] : []));
  const attributes = groupAttributes(columns);

  /** The body as a value, which may be invalid. Cells may be values from a Parquet file. */
  function value(cells: readonly unknown[]): Record<string, unknown> {
    const cell = (index: number): unknown => (index < 0 || isEmpty(cells[index]) ? undefined : cells[index]);
    const date = dateText(cell(dateAt)) ?? defaults.cutoffDate;
    const xpid = cell(xpidAt);
    const found = identities.flatMap(({ index, type }) =>
      isEmpty(cells[index]) ? [] : [[type, identityText(cells[index])]],
    );
    const seeds = attributes.flatMap((attribute) => {
      const seed = seedValue(attribute, cells);
      if (seed === undefined) return [];
      return [
        {
          attribute_name: attribute.name,
          calculation_type: attribute.type,
          ...(date !== undefined && { cutoff_date: date }),
          seed,
        },
      ];
    });
    const owned = users.flatMap(({ index, name }) => {
      return isEmpty(cells[index]) ? [] : [{ attribute_name: name, attribute_value: asText(cells[index]) }];
    });
    return {
      environment: cell(environmentAt) ?? defaults.environment,
      ...(xpid !== undefined && { xpid }),
      ...(found.length > 0 && { identities: Object.fromEntries(found) as Record<string, unknown> }),
      calculated_attributes: { [defaults.workspace]: seeds },
      ...(owned.length > 0 && { user_attributes: { [defaults.workspace]: owned } }),
    };
  }

  const issue = createColumnFinder(header, columns, attributes, toWire);
  const writer = createBodyWriter(columns, attributes, defaults, toWire);
  return {
    /** One entry per column of the header; undefined for an ignored column. */
    columns,
    nulls: createNullCells(columns, nulls, onNullWord),
    /** Writes bodies with wire names; undefined if every row needs the exact check. */
    writer,
    value,
    /** Adds the column to an issue with that value. */
    issue,
  };
}

/** A floating-point number above 2^53 is rejected instead of converted, because several ids may round to it. */
function identityText(cell: unknown): unknown {
  return typeof cell === 'number' && Math.abs(cell) > Number.MAX_SAFE_INTEGER ? cell : asText(cell);
}

function groupAttributes(columns: readonly (Column | undefined)[]): TableAttribute[] {
  const groups = new Map<string, TableAttribute>();
  for (const [index, column] of columns.entries()) {
    if (column?.kind !== 'attribute') continue;
    const { name, type, key } = column;
    const id = JSON.stringify([name, type]);
    const group = groups.get(id) ?? { name, type, cells: [] };
    groups.set(id, group);
    group.cells.push({ index, key });
  }
  return [...groups.values()];
}

/** The date part of a time. Anything else is returned unchanged. */
function dateText(cell: unknown): unknown {
  return typeof cell === 'string' && /^\d{4}-\d\d-\d\d[T ]\d/.test(cell) ? cell.slice(0, 10) : cell;
}
