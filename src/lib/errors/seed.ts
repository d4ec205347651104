// Errors of seeding and of bulk runs.
import type { ErrorEntry } from './entry.ts';

export const SEED_ERRORS = {
  'bulk.too_many_errors': {
    exit: 'partial',
    summary: 'Too many rows were rejected.',
    explanation: 'The run stopped at the limit of --max-errors. Rows that were already accepted remain accepted.',
    fix: 'Fix the rows in the results or rejects file and send that file.',
  },
  'seed.no_row': {
    exit: 'notFound',
    summary: 'The file has no such row.',
    explanation: 'Rows are counted from 1, without the header.',
    fix: 'Count the rows with `cdpadm seed validate`.',
  },
  'seed.run_before': {
    exit: 'guard',
    summary: 'This file was already sent.',
    explanation: 'Sending it again may be a mistake.',
    fix: 'Pass --resume to continue, or --restart to send the whole file again.',
  },
  'seed.running': {
    exit: 'guard',
    summary: 'Another process is sending this file.',
    explanation: 'Both processes would send the same rows.',
    fix: 'Wait for it to finish, then send the remaining rows with --resume.',
  },
  'seed.changed': {
    exit: 'conflict',
    summary: 'The file has changed since the run that you want to resume.',
    explanation: 'Its rows no longer match the journal.',
    fix: 'Send the whole file with --restart.',
  },
  'seed.journal': {
    exit: 'failed',
    summary: 'The journal of a run cannot be read.',
    explanation: 'Without it, the program cannot tell which rows were accepted.',
    fix: 'Pass --restart. Sending a row twice is safe: it sets the same values again.',
  },
} as const satisfies Record<string, ErrorEntry>;
