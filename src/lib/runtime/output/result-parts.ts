// Formats a long list in pieces, with the same bytes as in one piece.
import { jsonText, resultText, type AnyView, type Surface } from './result-text.ts';
import type { GlobalFlags } from '../context.ts';

/** Rows per piece. */
const PIECE_ROWS = 1000;

/** Whether this format can be written before the whole list is known. */
export function canGoInParts({ output, summary }: GlobalFlags, { terminal }: Surface): boolean {
  return !summary && !terminal && ['json', 'ndjson', 'csv', 'table', 'name'].includes(output);
}

/** The text of `resultText` for all rows of all parts. */
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
