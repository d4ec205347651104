// Errors of seeding and of bulk runs.
import type { ErrorEntry } from './entry.ts';

export const SEED_ERRORS = {
  'bulk.too_many_errors': {
    exit: 'partial',
    summary: 'Too many rows were rejected.',
    explanation: 'The run stopped at the limit of --max-errors. The rows that were accepted stay accepted.',
    fix: 'Correct the rows in the results or rejects file and send them.',
  },
  'seed.no_row': {
    exit: 'notFound',
    summary: 'The file has no such row.',
    explanation: 'Rows are counted from 1, without the header.',
    fix: 'Count the rows with `cdpadm seed validate`.',
  },
  'seed.run_before': {
    exit: 'guard',
    summary: 'This file was sent before.',
    explanation: 'Sending it again may be a mistake.',
    fix: 'Use --resume to continue, or --restart to send the whole file again.',
  },
  'seed.running': {
    exit: 'guard',
    summary: 'Another process is sending this file.',
    explanation: 'Two processes would send the same rows.',
    fix: 'Wait until it finishes, then send the remaining rows with --resume.',
  },
  'seed.changed': {
    exit: 'conflict',
    summary: 'The file changed after the run that would be resumed.',
    explanation: 'Its rows no longer match the journal.',
    fix: 'Send the whole file with --restart.',
  },
  'seed.journal': {
    exit: 'failed',
    summary: 'The journal of a run cannot be read.',
    explanation: 'Without it, it is not known which rows were accepted.',
    fix: 'Use --restart: a row that is sent again sets the same values again.',
  },
} as const satisfies Record<string, ErrorEntry>;
