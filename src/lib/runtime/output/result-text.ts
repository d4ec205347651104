// Formats a command's result as `-o` specifies.
import { usageError } from '../../kernel/errors.ts';
import { isRecord, stringifyJson } from '../../kernel/json.ts';
import { cellText, chooseColumns, plainCell, toCsv, toTabbed } from '../../render/delimited.ts';
import { cleanLine, cleanText, escapeJson } from '../../render/clean.ts';
import { toCodeBlock, toMarkdownTable } from '../../render/markdown.ts';
import { plainStyle, type Style } from '../../render/style.ts';
import { drawRecord, drawTable, filledColumns } from '../../render/table.ts';
import type { CellValue, Column, DocumentView, ListView, RecordView } from '../../render/view.ts';
import type { GlobalFlags, OutputFormat } from '../context.ts';

/** Any view. The row type is erased here, because `View<T>` checks it in the command. */
export type AnyView = ListView<unknown> | RecordView<unknown> | DocumentView<unknown>;

export interface Surface {
  terminal: boolean;
  width: number;
  style: Style;
}

/** Width without a terminal: so large that ordinary lines are neither wrapped nor truncated. */
export const UNLIMITED_WIDTH = 1000;

export function isJsonFormat({ output }: GlobalFlags): boolean {
  return output === 'json' || output === 'ndjson';
}

/** Returns the result's text with a trailing newline; empty if there is nothing to print. */
export async function resultText(data: unknown, view: AnyView, flags: GlobalFlags, target: Surface): Promise<string> {
  const isVerbatim = flags.formatOfFile && view.kind === 'document' && view.verbatim?.(data);
  switch (isVerbatim ? 'table' : flags.output) {
    case 'json':
      return `${jsonText(data, 2)}\n`;
    case 'ndjson':
      return (Array.isArray(data) ? data : [data]).map((item) => `${jsonText(item)}\n`).join('');
    case 'yaml': {
      const { stringify } = await import('yaml');
      // A YAML 1.1 parser reads an unquoted date as a date, and `no` as false.
      const layout = { lineWidth: 0, flowCollectionPadding: false, compat: 'yaml-1.1' } as const;
      return stringify(data, { ...layout, aliasDuplicateObjects: false });
    }
    case 'table':
      return await tableText(data, view, flags, target);
    case 'csv': {
      const { rows, columns } = listOf(data, view, 'csv');
      return toCsv(rows, chooseColumns(columns, flags.fields), flags.header);
    }
    case 'markdown':
      return markdownText(data, view, flags);
    case 'name':
      return nameText(data, view);
    case 'html':
      if (view.kind === 'document' && view.html) return `${view.html(data).trimEnd()}\n`;
      if (view.kind === 'list' && view.html) return `${view.html(data as unknown[]).trimEnd()}\n`;
      throw unsupported('html');
  }
}

/** Returns JSON with exact integers and escaped control characters. */
export function jsonText(data: unknown, indent?: number): string {
  return escapeJson(stringifyJson(data, indent));
}

/** Formats what `--query` found: as a table of records, otherwise as JSON or single values (decision: D35). */
export async function foundText(found: unknown, flags: GlobalFlags, target: Surface): Promise<string> {
  const view = viewOfRecords(found);
  if (view) return await resultText(found, view, flags, target);
  if (flags.output === 'table') return `${jsonText(found, 2)}\n`;
  const values = (Array.isArray(found) ? found : [found]) as unknown[];
  const said = flags.output === 'name' ? values.filter((value) => value !== null && value !== undefined) : values;
  return await resultText(said, VALUES, flags, target);
}

const VALUES: ListView<unknown> = {
  kind: 'list',
  columns: [{ key: 'value', value: plainCell }],
  empty: '',
  name: (value) => {
    const cell = value as CellValue | object;
    if (typeof cell === 'object' && cell !== null) throw withoutIds();
    return cellText(cell);
  },
};

function viewOfRecords(data: unknown): ListView<unknown> | RecordView<unknown> | undefined {
  const records = Array.isArray(data) ? data : [data];
  if (records.length === 0 || !records.every(isRecord)) return undefined;
  const keys = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const columns = keys.map((key): Column<unknown> => ({
    key,
    value: (row) => plainCell((row as Record<string, unknown>)[key]),
    id: /^(id|name|\w+_id)$/.test(key),
  }));
  const id = columns.find((column) => column.id);
  const name = (row: unknown): string => {
    if (!id) throw withoutIds();
    return cellText(id.value(row));
  };
  return Array.isArray(data) ? { kind: 'list', columns, empty: '', name } : { kind: 'record', columns, name };
}

async function tableText(data: unknown, view: AnyView, flags: GlobalFlags, target: Surface): Promise<string> {
  if (view.kind === 'document') {
    const list = !target.terminal && view.isTable ? view.list?.(data) : undefined;
    if (list) return toTabbed(list.rows, chooseColumns(list.columns, flags.fields), flags.header);
    const text = view.text(data, target.style, target.terminal ? target.width : UNLIMITED_WIDTH);
    return text === '' ? '' : `${text.trimEnd()}\n`;
  }
  const columns = chooseColumns(view.columns, flags.fields);
  if (view.kind === 'record') {
    if (target.terminal) {
      // Fields that the user named are shown even if they are empty.
      const isNamed = flags.fields !== undefined || flags.query !== undefined;
      const shown = isNamed ? columns : filledColumns(data, columns);
      return `${drawRecord(data, shown, target.style, target.width)}\n`;
    }
    return columns.map((column) => `${column.key}\t${cleanLine(cellText(column.value(data)))}\n`).join('');
  }
  const rows = data as unknown[];
  if (!target.terminal) return toTabbed(rows, columns, flags.header);
  if (rows.length === 0) return '';
  const width = flags.wide ? Infinity : target.width;
  return `${await drawTable(rows, columns, { width, style: target.style, header: flags.header })}\n`;
}

export function markdownText(data: unknown, view: AnyView, flags: GlobalFlags): string {
  if (view.kind === 'document') {
    if (view.markdown) return `${view.markdown(data).trimEnd()}\n`;
    return toCodeBlock(cleanText(view.text(data, plainStyle, UNLIMITED_WIDTH)));
  }
  const { rows, columns } = listOf(data, view, 'markdown');
  return toMarkdownTable(rows, chooseColumns(columns, flags.fields), flags.header);
}

/** Returns a result's ids, one per line. Throws KnownError usage (2) if a query found records without ids. */
export function nameText(data: unknown, view: AnyView): string {
  if (view.kind === 'document' && view.names) {
    return view
      .names(data)
      .map((name) => `${cleanLine(name)}\n`)
      .join('');
  }
  if (view.kind !== 'document' && view.name) {
    const name = view.name.bind(view);
    return (view.kind === 'list' ? (data as unknown[]) : [data]).map((row) => `${cleanLine(name(row))}\n`).join('');
  }
  const { rows, columns } = listOf(data, view, 'name');
  const column = columns.find(({ id }) => id) ?? columns[0];
  if (!column) return '';
  return rows.map((row) => `${cleanLine(cellText(column.value(row)))}\n`).join('');
}

/** Returns a result's rows and columns. If it has none, throws KnownError usage (2) that names `format`. */
export function listOf(
  data: unknown,
  view: AnyView,
  format: OutputFormat,
): { rows: unknown[]; columns: Column<unknown>[] } {
  if (view.kind === 'list') return { rows: data as unknown[], columns: view.columns };
  if (view.kind === 'record') return { rows: [data], columns: view.columns };
  if (!view.list) return plainRows(data, format);
  const { rows, columns } = view.list(data);
  // `DocumentView` guarantees that the columns fit the rows.
  return { rows, columns: columns as unknown as Column<unknown>[] };
}

/** Returns rows for a result whose view defines none: one row, or one for each record of a list. */
function plainRows(data: unknown, format: OutputFormat): { rows: unknown[]; columns: Column<unknown>[] } {
  const rows = Array.isArray(data) ? data : [data];
  if (rows.length === 0) return { rows, columns: [] };
  const view = viewOfRecords(data);
  if (!view) throw unsupported(format);
  return { rows, columns: view.columns };
}

function unsupported(format: OutputFormat): Error {
  const others = format === 'html' ? ', csv, markdown or name' : ' or markdown';
  return usageError(
    `This result is not available in the ${format} format.`,
    `Use -o table, json, ndjson, yaml${others}.`,
  );
}

function withoutIds(): Error {
  return usageError(
    'This result is not available in the name format: it contains no ids.',
    'Use -o table, json, ndjson, yaml, csv or markdown, or a --query that selects the ids.',
  );
}

const PIECE_ROWS = 1000;

/** True if this format can be written before the whole list is known. */
export function canGoInParts({ output, summary }: GlobalFlags, { terminal }: Surface): boolean {
  return !summary && !terminal && ['json', 'ndjson', 'csv', 'table', 'name'].includes(output);
}

/** Yields the text that `resultText` would return for all rows of all parts. */
export async function* textInParts(
  parts: AsyncIterable<unknown[]>,
  view: AnyView,
  flags: GlobalFlags,
  target: Surface,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const rows of pieces(parts)) {
    if (flags.output === 'json') yield (isFirst ? '[' : ',') + jsonText(rows, 2).slice(1, -2);
    else yield await resultText(rows, view, { ...flags, header: flags.header && isFirst }, target);
    isFirst = false;
  }
  if (isFirst) yield await resultText([], view, flags, target);
  else if (flags.output === 'json') yield '\n]\n';
}

async function* pieces(parts: AsyncIterable<unknown[]>): AsyncGenerator<unknown[]> {
  for await (const rows of parts) {
    for (let from = 0; from < rows.length; from += PIECE_ROWS) yield rows.slice(from, from + PIECE_ROWS);
  }
}
