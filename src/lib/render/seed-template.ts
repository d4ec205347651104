// A starter seed file that uses every calculation type.
const DATE = '2026-01-01';

const COLUMNS: readonly [column: string, first: string, second: string][] = [
  ['xpid', '-7201284209016359738', ''],
  ['identity:email', '', 'user@example.com'],
  ['identity:customer_id', '', 'c-1002'],
  ['attr:Orders:count', '12', '3'],
  ['attr:Revenue:sum', '1250.50', '99'],
  ['attr:Smallest order:minimum', '5.20', ''],
  ['attr:Largest order:maximum', '410', ''],
  ['attr:Average order:average:sum', '1250.50', '99'],
  ['attr:Average order:average:count', '12', '3'],
  ['attr:First page:first_occurrence', '/home', ''],
  ['attr:Last page:last_occurrence', '/checkout', ''],
  ['attr:First seen:first_occurrence_timestamp', '1609459200000', ''],
  ['attr:Last seen:last_occurrence_timestamp', '1767225600000', ''],
  ['attr:Colors:unique_list', 'red|blue', ''],
  ['attr:Distinct pages:unique_values_count', '/home|/checkout', ''],
  ['attr:Favorite color:most_frequent', 'red=7|blue=2', ''],
  ['user:tier', 'gold', 'silver'],
];

/** The text ends with a newline. A CSV file contains two users, and an NDJSON file contains one user. */
export function templateText(format: 'csv' | 'ndjson', target: { workspace: string; environment: string }): string {
  return format === 'csv' ? csvText(target.environment) : `${JSON.stringify(body(target))}\n`;
}

function csvText(environment: string): string {
  const line = (pick: (column: (typeof COLUMNS)[number]) => string, last: string[]): string =>
    `${[...COLUMNS.map(pick), ...last].join(',')}\n`;
  return [
    line(([column]) => column, ['environment', 'cutoff_date']),
    line(([, first]) => first, [environment, DATE]),
    line(([, , second]) => second, [environment, DATE]),
  ].join('');
}

function body({ workspace, environment }: { workspace: string; environment: string }): Record<string, unknown> {
  const seed = (name: string, type: string, form: Record<string, unknown>) => {
    return { attribute_name: name, calculation_type: type, cutoff_date: DATE, seed: form };
  };
  return {
    environment,
    identities: { email: 'user@example.com', customer_id: 'c-1002' },
    calculated_attributes: {
      [workspace]: [
        seed('Orders', 'count', { value: '12' }),
        seed('Revenue', 'sum', { value: '1250.50' }),
        seed('Smallest order', 'minimum', { value: '5.20' }),
        seed('Largest order', 'maximum', { value: '410' }),
        seed('Average order', 'average', { key_value_pairs: { sum: '1250.50', count: '12' } }),
        seed('First page', 'first_occurrence', { value: '/home' }),
        seed('Last page', 'last_occurrence', { value: '/checkout' }),
        seed('First seen', 'first_occurrence_timestamp', { value: '1609459200000' }),
        seed('Last seen', 'last_occurrence_timestamp', { value: '1767225600000' }),
        seed('Colors', 'unique_list', { list: ['red', 'blue'] }),
        seed('Distinct pages', 'unique_values_count', { list: ['/home', '/checkout'] }),
        seed('Favorite color', 'most_frequent', { key_value_pairs: { red: '7', blue: '2' } }),
      ],
    },
    user_attributes: { [workspace]: [{ attribute_name: 'tier', attribute_value: 'gold' }] },
  };
}
