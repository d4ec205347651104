// Finds the records in a stream of CSV bytes (RFC 4180; also with semicolons or tabs) and turns them into users.
import { isUtf8 } from 'node:buffer';
import { separatorOf } from '../../kernel/csv-separator.ts';
import { type CliError, invalidInput } from '../../kernel/errors.ts';
import type { Cells, TableDefaults } from './body-writer.ts';
import { type ColumnMap, type PassedOver, readHeader } from './columns.ts';
import { cellsOf, createRecordScan, textsOf } from './csv-record.ts';
import type { RowPacker } from './packer.ts';
import { MAX_ROW_BYTES, Pending, type RowReader, SHOWN_BYTES } from './row-bytes.ts';
import type { OnNullWord } from './null-cells.ts';
import type { RowRules } from './row-rules.ts';
import { FAIL, LINE_FEED, markLength, skipSpace } from './scan.ts';
import { createTable, type Table } from './table.ts';

export interface CsvOptions {
  name: string;
  defaults: TableDefaults;
  map: ColumnMap | undefined;
  rules: RowRules;
  /** Told once, of the columns that the map leaves out. */
  onPassedOver?: ((columns: readonly PassedOver[]) => void) | undefined;
  /** Told once for each column with an attribute that looks like a null. */
  onNullWord?: ((column: string, word: string) => void) | undefined;
  /** Whether the record of this number, from 0, is ours (`--shard`). */
  isOurs(record: number): boolean;
}

const NO_MAP = 'A file with other columns is read with --map-file, which says what each of them means.';

/** Positions are the lines on which records begin. Throws invalid input (9) for a header that cannot be used. */
export function createCsvReader(packer: RowPacker, options: CsvOptions): RowReader {
  const pending = new Pending();
  const scan = createRecordScan();
  const { record } = scan;
  let separator = 0;
  let line = 1;
  let number = -1;
  let table: Table | undefined;
  let width = 0;
  /** Whether all that is at hand is UTF-8. */
  let sound = true;
  /** The cells that are written next. */
  let cells: Cells = scan.cells;

  const writeCells = (out: Buffer, at: number): number => table?.writer?.write(cells, out, at) ?? FAIL;

  const isSound = (): boolean => sound || isUtf8(pending.bytes.subarray(record.start, record.end));

  function takeHeader(): void {
    if (!isSound()) throw unreadable('a byte here is not UTF-8; save the file as UTF-8');
    const header = textsOf(scan, separator);
    table = tableOf(header, { ...options, line });
    width = header.length;
  }

  function takeRecord({ value, writer, issue, nulls }: Table): void {
    number++;
    if (!options.isOurs(number)) return;
    if (!isSound() || record.count !== width) {
      const found = `${record.count} ${record.count === 1 ? 'column' : 'columns'}`;
      const reason = isSound() ? `has ${found}; the header has ${width}` : 'a byte here is not UTF-8';
      packer.refuse(line, reason, pending.bytes.toString('utf8', record.start, record.end));
      return;
    }
    cells = record.isPlain ? scan.cells : cellsOf(textsOf(scan, separator));
    const length = record.isPlain ? record.end - record.start : cells.bytes.length;
    if (nulls.clear(cells) && writer && packer.takeWritten(writer.room(length), line, writeCells)) return;
    const texts = nulls.cleared(textsOf(scan, separator));
    packer.takeValue(value(texts), line, (found) => issue(found, texts));
  }

  /** Takes the whole records of what is pending; returns where the first begins that is not whole. */
  function takeRecords(length: number, isLast: boolean): number {
    const { bytes } = pending;
    let at = 0;
    if (table === undefined) {
      at = markLength(bytes);
      const header = skipSpace(bytes, at);
      separator = separatorOf(bytes.toString('latin1', header, bytes.indexOf(LINE_FEED, header))).charCodeAt(0);
    }
    while (at < length) {
      if (!scan.read(bytes, at, length, separator)) {
        if (!isLast) return at;
        const shown = bytes.toString('utf8', at, Math.min(length, at + SHOWN_BYTES));
        packer.refuse(line, 'a double quote is not closed', shown);
        break;
      }
      // A line without anything on it is no record.
      if (record.start < record.end) {
        if (table === undefined) takeHeader();
        else takeRecord(table);
      }
      line += record.lines;
      at = record.next;
    }
    return length;
  }

  function take(length: number, isLast: boolean): void {
    sound = isUtf8(pending.bytes.subarray(0, length));
    pending.drop(takeRecords(length, isLast));
  }

  function unreadable(message: string): CliError {
    return invalidInput(`${options.name} cannot be read.`, [{ file: options.name, line, path: '', message }]);
  }

  return {
    feed: (chunk) => {
      pending.append(chunk);
      const whole = pending.wholeLines();
      if (whole > 0) take(whole, false);
      if (pending.length > MAX_ROW_BYTES) throw unreadable('a record has no end: is a double quote not closed?');
    },
    end: () => {
      if (pending.length > 0) take(pending.length, true);
      if (table === undefined) throw unreadable('there is no header');
    },
  };
}

/** The table for a header. Throws invalid input (9) with every column that is wrong. */
export function tableOf(
  header: readonly string[],
  { name, defaults, map, rules, onPassedOver, onNullWord, line = 1 }: Omit<CsvOptions, 'isOurs'> & { line?: number },
): Table {
  const { columns, issues, passedOver } = readHeader(header, map, rules);
  if (passedOver.length > 0) onPassedOver?.(passedOver);
  // Otherwise each of a million rows would say it.
  if (defaults.environment === undefined && !columns.some((column) => column?.kind === 'environment')) {
    const message =
      'there is no column `environment`, and the profile has no environment either; CDPADM_ENVIRONMENT stands for both';
    issues.push({ column: '', message });
  }
  const kinds = new Set(columns.map((column) => column?.kind));
  if (defaults.cutoffDate === undefined && kinds.has('attribute') && !kinds.has('cutoff_date')) {
    issues.push({ column: '', message: 'there is no column `cutoff_date`, and no --cutoff-date in its place' });
  }
  if (issues.length > 0) {
    const places = issues.map(({ column, message }) => ({ file: name, line, path: column, message }));
    throw invalidInput(`The header of ${name} cannot be used.`, places, map === undefined ? NO_MAP : undefined);
  }
  const report: OnNullWord = (column, word) => onNullWord?.((header[column] ?? '').trim(), word);
  return createTable(header, columns, defaults, rules, report);
}
