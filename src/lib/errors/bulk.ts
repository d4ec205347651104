// Errors of bulk runs: of data subject requests and of seeds.
import type { ErrorEntry } from './entry.ts';

export const BULK_ERRORS = {
  'bulk.too_many_errors': {
    exit: 'partial',
    summary: 'Too many rows were rejected.',
    explanation: 'The run stopped at the limit of --max-errors. The rows that were accepted stay accepted.',
    fix: 'Correct the rows in the results or rejects file and send them.',
  },
} as const satisfies Record<string, ErrorEntry>;
