// Text before a bulk run: the number of requests of each kind, and the first requests.
import { DSR_LIMITS } from '../contract/limits.ts';
import type { DsrRequest } from '../contract/dsr.ts';
import { identitiesOf } from '../domain/dsr/normalize.ts';
import { cleanLine } from './clean.ts';
import type { Style } from './style.ts';
import { padText, wrapUnder } from './width.ts';
import { counted, grouped, largest } from '../kernel/words.ts';

interface BulkSummary extends Record<'rows' | 'cancellable' | 'skipWaiting' | 'done', number> {
  kinds: ReadonlyMap<string, number>;
  /** Rows that will be rejected because they repeat a recent request. */
  duplicates: ReadonlyMap<number, unknown>;
}

export function renderDsrBulk(
  { cancellable, done, duplicates, kinds, rows, skipWaiting }: BulkSummary,
  style: Style,
): string {
  const counts = [...kinds].map(([kind, count]) => `  ${style.bold(grouped(count))} ${kind}`);
  const repeats = counted(duplicates.size, 'repeats', 'repeat');
  const lines = [
    rows === 1 ? '1 valid row:' : `${grouped(rows)} rows, all valid:`,
    ...counts,
    cancellable > 0 &&
      `  ${grouped(cancellable)} can be cancelled for ${DSR_LIMITS.waitingDays} days before data is deleted`,
    skipWaiting > 0 &&
      style.yellow(`  ${grouped(skipWaiting)} skip the waiting period: data is deleted from the first day`),
    done > 0 && `  ${grouped(done)} are already complete and will be skipped`,
    duplicates.size > 0 && style.yellow(`  ${repeats} a recent request and will be rejected`),
  ];
  return lines.filter((line) => line !== false).join('\n');
}

export interface DsrBulkRow {
  row: number;
  request: DsrRequest;
  hasId: boolean;
}

/** Returns a line per request: row, type and details. Text longer than `width` columns continues on the next line. */
export function renderDsrRows(rows: readonly DsrBulkRow[], style: Style, width: number): string {
  const kindOf = ({ request }: DsrBulkRow): string => `${request.regulation} ${request.subject_request_type}`;
  const digits = String(rows.at(-1)?.row ?? 0).length;
  const kinds = largest(rows.map((row) => kindOf(row).length));
  return rows
    .map((row) => {
      const { hasId, request } = row;
      const lead = `  ${style.dim(String(row.row).padStart(digits))}  ${padText(kindOf(row), kinds)}  `;
      const facts = [
        ...identitiesOf(request).map(([type, value]) => `${type}=${value}`),
        `submitted ${request.submitted_time}`,
        ...(request.group_id === undefined ? [] : [`group ${request.group_id}`]),
        ...(hasId ? [`id ${request.subject_request_id}`] : []),
      ];
      return wrapUnder(lead, cleanLine(facts.join(', ')), width);
    })
    .join('\n');
}
