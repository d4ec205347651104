// A bulk file that was begun before: when it may go on, and what a run that ends early says of that.
import { counted } from '../../lib/kernel/words.ts';
import { endingAs, exitOf } from '../../lib/errors/exit.ts';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, parse } from 'node:path';
import { countComplete, type RowStates } from '../../lib/domain/dsr/row-states.ts';
import type { JournalHead } from '../../lib/files/dsr-journal.ts';
import { KnownError, usageError } from '../../lib/kernel/errors.ts';
import type { RowOptions } from '../../lib/workflows/dsr-row-reader.ts';
import { type Inputs, nameOfInputs } from '../../lib/bulk/sources/bytes.ts';
import type { BulkFlags } from './bulk-flags.ts';
import { fail } from '../../lib/errors/fail.ts';

/** decision: D58 */
export function refuseSecondRun(
  head: JournalHead | undefined,
  flags: BulkFlags,
  options: RowOptions,
  inputs: Inputs,
): void {
  if (!head) return;
  if (!flags.resume) {
    throw fail('dsr.bulk_again', {
      message: `The content of ${nameOfInputs(inputs)} was submitted before, as ${head.input} on ${head.at}.`,
      hint: [
        'Use --resume to continue it; rows that are done are not sent again.',
        {
          text: 'For new requests for the same people, for example with another --type, give them ids:',
          command: 'cdpadm dsr prepare',
        },
      ],
    });
  }
  if (head.settings !== settingsDigest(options, inputs)) {
    throw usageError(
      'The run that is resumed was begun with other flags; its rows would become other requests.',
      'Give the same --regulation, --type, --map and other flags of the rows as then.',
    );
  }
}

/** Of everything that makes rows into requests; a resumed run must make the same ones. */
export function settingsDigest({ defaults, mapping, nulls, vendorDomain }: RowOptions, [{ dialect }]: Inputs): string {
  const { submitted_time: _now, ...rest } = defaults;
  const reading = Object.keys(dialect).length === 0 ? [] : [dialect];
  return createHash('sha256')
    .update(JSON.stringify([rest, [...mapping].sort(), vendorDomain, nulls.words, ...reading]))
    .digest('hex');
}

/**
 * Says how to continue; whatever ended the run, the journal knows how far it came. The platform may have carried out a
 * row whose outcome is unknown, so a run with one does not end as unavailable (7).
 */
export function resumable(
  error: unknown,
  { again, examined, states }: { again: string; examined: { rows: number }; states: RowStates },
): unknown {
  if (!(error instanceof KnownError)) return error;
  const done = countComplete(states);
  const unknown = states.count('unknown');
  const alsoUnknown = unknown === 0 ? '' : ` The outcome of ${counted(unknown, 'row')} is unknown.`;
  const shown = unknown > 0 && exitOf(error) === 'unavailable' ? endingAs(error, 'network') : error;
  return shown.with({
    message: `${error.message} ${done} of ${examined.rows} rows are complete.${alsoUnknown}`,
    hint: [...error.hints, { text: 'No row is sent twice. To continue:', command: again }],
  });
}

/** The path, or the same with a number while a file has that name: an earlier run's results are never overwritten. */
export function freeName(path: string): string {
  const { dir, ext, name } = parse(path);
  for (let number = 1; ; number++) {
    const free = number === 1 ? path : join(dir, `${name}-${number}${ext}`);
    if (!existsSync(free)) return free;
  }
}
