// Finds the records in a stream of CSV bytes (RFC 4180, with any of the separators) and converts them to users.
import { invalidInput } from '../../kernel/errors.ts';
import { SEED_RULES } from '../../contract/seed-rules.ts';
import { isRecord } from '../../kernel/json.ts';
import { counted } from '../../kernel/words.ts';
import { CsvFeed } from '../csv/feed.ts';
import { type Dialect, withDecimalPoint } from '../csv/dialect.ts';
import { cellsOf } from '../csv/record.ts';
import type { TableDefaults } from './body-writer.ts';
import { type Column, type ColumnMap, isField, type SkippedColumn, readHeader } from './columns.ts';
import type { RecordTable, RowPacker } from './packer.ts';
import { COMMA, type RowReader } from './scan.ts';
import { createTable, type OnNullWord, type Table } from './table.ts';
import type { RowIssue, RowRules } from './read-row.ts';

export interface TableOptions {
  name: string;
  defaults: TableDefaults;
  map: ColumnMap | undefined;
  rules: RowRules;
  /** Mapped columns that no JSON record has had yet; `unseen` is undefined before the first record of all inputs. */
  mapped?: { unseen?: Set<string> };
  /** Called once with the columns that the map does not contain. */
  onSkippedColumns?: ((name: string, columns: readonly SkippedColumn[]) => void) | undefined;
  /** Called once for each column, as `OnNullWord` is. */
  onNullWord?: ((name: string, column: string, word: string) => void) | undefined;
}

export interface CsvOptions extends TableOptions {
  dialect?: Dialect;
  /** True if the record with this 0-based number belongs to our shard (`--shard`). */
  isOurs(record: number): boolean;
}

const NO_MAP =
  'Map the columns with --map COLUMN=FIELD or --map-file. For a file without a header, pass --headerless --columns A,B.';

/** Reads CSV rows. A row's position is its first line. Throws invalid input (9) for an unusable header. */
export function createCsvReader(packer: RowPacker, options: CsvOptions): RowReader {
  const { dialect = {} } = options;
  const feed = new CsvFeed(options.name, take, dialect);
  const { scan } = feed;
  const { record } = scan;
  let number = -1;
  let table: Table | undefined;
  let readNumbers: ((cells: unknown[]) => RowIssue[]) | undefined;
  let titles: string[] = [];

  function take(): void {
    if (table !== undefined) takeRecord(table);
    else if (dialect.columns === undefined) takeHeader();
    else takeRecord(useHeader(dialect.columns));
  }

  function takeHeader(): void {
    if (!feed.isSound) throw feed.error('contains invalid UTF-8; save the file as UTF-8');
    if (record.fault) throw feed.error(record.fault.message, record.fault.at);
    useHeader(scan.texts());
  }

  function useHeader(header: readonly string[]): Table {
    table = tableOf(header, { ...options, line: feed.line });
    titles = header.map((text) => text.trim());
    const isLocal = dialect.isLocal === true && feed.separator !== COMMA;
    const separator = String.fromCharCode(feed.separator);
    const floats = dialect.floats === true;
    if (floats || isLocal) readNumbers = createNumberReader(header, table.columns, { floats, isLocal, separator });
    // The byte writer would accept `1.234` as a fraction.
    if (isLocal) table = { ...table, writer: undefined };
    return table;
  }

  function takeRecord({ value, writer, issue, nulls }: Table): void {
    const { line } = feed;
    number++;
    if (!options.isOurs(number)) return;
    const wrong = wrongWith();
    if (wrong !== undefined) {
      packer.reject(line, wrong, feed.source, true);
      return;
    }
    const cells = record.isPlain ? scan.cells : cellsOf(scan.texts());
    const length = record.isPlain ? record.end - record.start : cells.bytes.length;
    if (nulls.clear(cells) && writer && packer.takeCells(writer, cells, length, line)) return;
    const found = nulls.cleared(scan.texts());
    const odd = readNumbers?.(found) ?? [];
    if (odd.length > 0) {
      packer.rejectWith(line, odd, feed.source, true);
      return;
    }
    packer.takeValue(value(found), line, (one) => {
      const { path, message } = issue(one, found);
      const cell = /must be a (whole )?number/.test(message) ? found[titles.indexOf(path)] : undefined;
      return { path, message: message + (typeof cell === 'string' ? numberAdvice(cell, feed.separator) : '') };
    });
  }

  function wrongWith(): string | undefined {
    if (!feed.isSound) return 'contains invalid UTF-8';
    if (record.fault) return record.fault.message;
    if (record.count === titles.length) return undefined;
    return `has ${counted(record.count, 'column')}; the header has ${titles.length}`;
  }

  return {
    feed: (chunk) => feed.feed(chunk),
    end: () => feed.end(),
  };
}

/** Returns the table for a header. Throws invalid input (9) that lists every invalid column. */
export function tableOf(
  header: readonly string[],
  { name, defaults, map, rules, onSkippedColumns, onNullWord, line = 1 }: TableOptions & { line?: number },
): Table {
  const { columns, issues, skippedColumns } = readHeader(header, map, rules);
  if (skippedColumns.length > 0) onSkippedColumns?.(name, skippedColumns);
  // Without this check, each of a million rows would report the same issue.
  if (defaults.environment === undefined && !columns.some((column) => column?.kind === 'environment')) {
    const message =
      'there is no `environment` column, and the profile has no environment; CDPADM_ENVIRONMENT sets it for all rows';
    issues.push({ path: '', message });
  }
  const kinds = new Set(columns.map((column) => column?.kind));
  if (defaults.cutoffDate === undefined && kinds.has('attribute') && !kinds.has('cutoff_date'))
    issues.push({ path: '', message: 'there is no `cutoff_date` column, and --cutoff-date is not set' });
  if (issues.length > 0) {
    const places = issues.map((issue) => ({ file: name, line, ...issue }));
    throw invalidInput(`The header of ${name} cannot be used.`, places, map === undefined ? NO_MAP : undefined);
  }
  const report: OnNullWord = (column, word) => onNullWord?.(name, (header[column] ?? '').trim(), word);
  return createTable(header, columns, defaults, rules, report);
}

/** Reads flat JSON records as table rows. Exports may omit null fields, so a later record may add a column. */
export function createRecordTable(map: ColumnMap, options: TableOptions): RecordTable {
  const bodyField = options.rules.names.toWire('calculated_attributes');
  let header: string[] = [];
  let table: Table | undefined;
  return (record) => {
    if (!isRecord(record) || bodyField in record) return undefined;
    const keys = Object.keys(record);
    const unseen = options.mapped && (options.mapped.unseen ??= new Set(map.keys()));
    unseen?.forEach((key) => Object.hasOwn(record, key) && unseen.delete(key));
    if (table === undefined || keys.some((key) => isField(key) && !header.includes(key))) {
      header = [...new Set([...map.keys(), ...header, ...keys])];
      table = tableOf(header, table === undefined ? options : { ...options, onSkippedColumns: undefined });
    }
    const { issue, nulls, value } = table;
    const cells = nulls.cleared(header.map((column) => (Object.hasOwn(record, column) ? record[column] : undefined)));
    return { value: value(cells), locate: (found) => issue(found, cells) };
  };
}

/** Rewrites a record's cells in place and returns issues. `isLocal` must be true only for decimal commas. */
function createNumberReader(
  header: readonly string[],
  columns: readonly (Column | undefined)[],
  { floats, isLocal, separator }: Dialect,
): (cells: unknown[]) => RowIssue[] {
  const kinds = columns.map(kindOf);
  return (cells) => {
    const issues: RowIssue[] = [];
    for (const [index, kind] of kinds.entries()) {
      const cell = cells[index];
      if (kind === undefined || typeof cell !== 'string') continue;
      if (floats && kind === 'whole') cells[index] = cell.replace(/^(\d{1,19})\.0$/, '$1');
      if (!isLocal) continue;
      const number = withDecimalPoint(cell, separator === '\t');
      const message = `\`${cell}\` may be a fraction, or have thousands separators; write it without them`;
      if (number === undefined) issues.push({ path: (header[index] ?? '').trim(), message });
      else cells[index] = number;
    }
    return issues;
  };
}

/** Returns advice about the flag that accepts the number in a cell; empty if no flag does. */
function numberAdvice(cell: string, separator: number): string {
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
