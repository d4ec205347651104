// Errors of seeding.
import type { ErrorEntry } from './entry.ts';

export const SEED_ERRORS = {
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
    fix: 'Use --resume to continue, or --restart to send all of it again.',
  },
  'seed.running': {
    exit: 'guard',
    summary: 'Another process is sending this file.',
    explanation: 'Two processes would send the same rows.',
    fix: 'Wait until it has ended; --resume continues what it leaves.',
  },
  'seed.changed': {
    exit: 'conflict',
    summary: 'The file changed after the run that would be resumed.',
    explanation: 'Its rows are no longer those that the journal knows.',
    fix: 'Send all of it with --restart.',
  },
  'seed.journal': {
    exit: 'failed',
    summary: 'The journal of a run cannot be read.',
    explanation: 'Without it, it is not known which rows were accepted.',
    fix: 'Use --restart: a row that is sent again sets the same values again.',
  },
} as const satisfies Record<string, ErrorEntry>;
