// Turns rows of a table into users: at once into the text of their body where every cell is plainly right, else into a
// value that the contract judges. Both ways give the same body.
import { SEED_RULES } from '../../contract/seed-rules.ts';
import { isCalendarDate } from '../../contract/shared.ts';
import type { CalculationType } from '../../contract/seeding.ts';
import { asText, type Cell, createSeedWriter, isEmpty, isPlainLong, pairsOf, quoted } from './cells.ts';
import type { Column } from './columns.ts';

/** What holds for every row that does not say otherwise. */
export interface TableDefaults {
  workspace: string;
  environment: string | undefined;
  cutoffDate: string | undefined;
}

export interface Table {
  /** The text of a user's body; undefined where a cell is not plainly right. Takes words as they are on the wire. */
  text(cells: readonly string[]): string | undefined;
  /** The same as a value, right or wrong. Cells may be values of a Parquet file. */
  value(cells: readonly unknown[]): Record<string, unknown>;
}

interface Attribute {
  name: string;
  type: CalculationType;
  cells: Cell[];
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

  const attributeTexts = attributes.map((attribute) => ({
    seed: createSeedWriter(attribute.type, attribute.cells),
    head: `{"attribute_name":${JSON.stringify(attribute.name)},"calculation_type":"${attribute.type}","cutoff_date":"`,
  }));
  const identityTexts = identities.map(({ index, type }) => ({ index, head: `${JSON.stringify(toWire(type))}:` }));
  const userTexts = users.map(({ index, name }) => {
    return { index, head: `{"attribute_name":${JSON.stringify(name)},"attribute_value":` };
  });
  const workspace = JSON.stringify(defaults.workspace);
  const xpidHead = `","${toWire('xpid')}":`;
  const identitiesHead = `","${toWire('identities')}":{`;
  const defaultDate = defaults.cutoffDate ?? '';
  // Most rows of a file share their date.
  let knownDate = isCalendarDate(defaultDate) ? defaultDate : undefined;

  function text(cells: readonly string[]): string | undefined {
    const environment = (environmentAt < 0 ? '' : cells[environmentAt]) || defaults.environment;
    if (environment !== 'production' && environment !== 'development') return undefined;
    const date = (dateAt < 0 ? '' : (cells[dateAt] as string)) || defaultDate;
    if (date !== knownDate) {
      if (!isCalendarDate(date)) return undefined;
      knownDate = date;
    }
    let body = `{"environment":"${environment}`;
    const xpid = xpidAt < 0 ? '' : (cells[xpidAt] as string);
    if (xpid !== '') {
      if (!isPlainLong(xpid)) return undefined;
      body += xpidHead + xpid;
    }
    let joint = identitiesHead;
    for (const { index, head } of identityTexts) {
      const cell = cells[index] as string;
      if (cell === '') continue;
      if (cell.length > 1000) return undefined;
      // Behind the xpid no quote is open any more.
      body += (joint === identitiesHead && xpid !== '' ? identitiesHead.slice(1) : joint) + head + quoted(cell);
      joint = ',';
    }
    if (joint === ',') body += '}';
    else if (xpid === '') return undefined;
    body += `,"calculated_attributes":{${workspace}:[`;
    joint = '';
    for (const attribute of attributeTexts) {
      const seed = attribute.seed(cells);
      if (seed === undefined) return undefined;
      if (seed === '') continue;
      body += `${joint}${attribute.head}${date}","seed":{${seed}}}`;
      joint = ',';
    }
    body += ']}';
    joint = `,"user_attributes":{${workspace}:[`;
    for (const { index, head } of userTexts) {
      const cell = cells[index] as string;
      if (cell === '') continue;
      body += `${joint}${head}${quoted(cell)}}`;
      joint = ',';
    }
    return joint === ',' ? `${body}]}}` : `${body}}`;
  }

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

  return { text, value };
}

function groupAttributes(columns: readonly (Column | undefined)[]): Attribute[] {
  const groups = new Map<string, Attribute>();
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

function seedValue({ type, cells: places }: Attribute, cells: readonly unknown[]): Record<string, unknown> | undefined {
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
