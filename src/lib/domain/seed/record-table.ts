// Reads flat JSON records, as BigQuery exports them, as rows of a table with the help of a map.
import { isRecord } from '../../kernel/json.ts';
import type { RecordTable } from './batch.ts';
import type { ColumnMap } from './columns.ts';
import { type TableOptions, tableOf } from './csv-rows.ts';
import type { Table } from './table.ts';

/** The columns are those of the map and of the first record: some exports omit fields that are null. */
export function createRecordTable(map: ColumnMap, options: TableOptions): RecordTable {
  const bodyField = options.rules.names.toWire('calculated_attributes');
  let header: string[] = [];
  let table: Table | undefined;
  return (record) => {
    if (!isRecord(record) || bodyField in record) return undefined;
    if (table === undefined) {
      header = [...new Set([...map.keys(), ...Object.keys(record)])];
      table = tableOf(header, options);
    }
    const { issue, nulls, value } = table;
    const cells = nulls.cleared(header.map((column) => (Object.hasOwn(record, column) ? record[column] : undefined)));
    return { value: value(cells), locate: (found) => issue(found, cells) };
  };
}
