// Turns rows of a table into users: at once into the bytes of their body where every cell is plainly right, else into a
// value that the contract judges. Both ways give the same body.
import { SEED_RULES } from '../../contract/seed-rules.ts';
import { type BodyWriter, createBodyWriter, type TableDefaults } from './body-writer.ts';
import { asText, isEmpty, pairsOf } from './cells.ts';
import type { Column } from './columns.ts';
import type { TableAttribute } from './seed-writer.ts';

export interface Table {
  /** Writes bodies in the words of the wire; undefined where every row is for the exact reading. */
  writer: BodyWriter | undefined;
  /** The body as a value, right or wrong. Cells may be values of a Parquet file. */
  value(cells: readonly unknown[]): Record<string, unknown>;
}

/** `toWire` gives the deployment's word for `xpid` and for identity types, for texts that go out as they are. */
export function createTable(
  columns: readonly (Column | undefined)[],
  defaults: TableDefaults,
  toWire: (word: string) => string,
): Table {
  const at = (kind: Column['kind']): number => columns.findIndex((column) => column?.kind === kind);
  const xpidAt = at('xpid');
  const environmentAt = at('environment');
  const dateAt = at('cutoff_date');
  const identities = columns.flatMap((column, index) =>
    column?.kind === 'identity' ? [{ index, type: column.type }] : [],
  );
  const users = columns.flatMap((column, index) => (column?.kind === 'user' ? [{ index, name: column.name }] : []));
  const attributes = groupAttributes(columns);

  function value(cells: readonly unknown[]): Record<string, unknown> {
    const cell = (index: number): unknown => (index < 0 || isEmpty(cells[index]) ? undefined : cells[index]);
    const date = dateText(cell(dateAt)) ?? defaults.cutoffDate;
    const xpid = cell(xpidAt);
    const found = identities.flatMap(({ index, type }) =>
      isEmpty(cells[index]) ? [] : [[type, asText(cells[index])]],
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

  return { writer: createBodyWriter(columns, attributes, defaults, toWire), value };
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

function seedValue(
  { type, cells: places }: TableAttribute,
  cells: readonly unknown[],
): Record<string, unknown> | undefined {
  const rule = SEED_RULES[type];
  const cell = places[0] === undefined ? undefined : cells[places[0].index];
  switch (rule.form) {
    case 'value':
      return isEmpty(cell) ? undefined : { value: cell instanceof Date ? cell.getTime() : asText(cell) };
    case 'list':
      if (isEmpty(cell)) return undefined;
      return { list: Array.isArray(cell) ? cell.map(asText) : String(cell).split('|') };
    case 'key_value_pairs': {
      const pairs = pairsOf(places, cells);
      return pairs.length === 0 ? undefined : { key_value_pairs: Object.fromEntries(pairs) };
    }
  }
}

function dateText(cell: unknown): unknown {
  return cell instanceof Date ? cell.toISOString().slice(0, 10) : cell;
}
