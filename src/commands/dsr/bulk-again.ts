// A bulk file that was begun before: when it may go on, and what a run that ends early says of that.
import { createHash } from 'node:crypto';
import type { RowStates } from '../../lib/domain/dsr/row-states.ts';
import type { JournalHead } from '../../lib/files/dsr-journal.ts';
import { CliError, EXIT, usageError } from '../../lib/kernel/errors.ts';
import { shellWord } from '../../lib/kernel/shell-word.ts';
import type { RowOptions } from '../../lib/workflows/dsr-row-reader.ts';
import type { BulkFlags } from './bulk-flags.ts';

/** decision: D58 */
export function refuseSecondRun(
  head: JournalHead | undefined,
  flags: BulkFlags,
  options: RowOptions,
  file: string,
): void {
  if (!head) return;
  if (!flags.resume) {
    throw new CliError({
      code: 'dsr.bulk_again',
      message: `The content of ${file} was submitted before, as ${head.input} on ${head.at}.`,
      hint: 'Go on with what it left by --resume; rows that are done are not sent again. For the same people once more, make ids of their own with `cdpadm dsr prepare`.',
      exit: EXIT.guard,
    });
  }
  if (head.settings !== settingsDigest(options)) {
    throw usageError(
      'The run that is resumed was begun with other flags; its rows would become other requests.',
      'Give the same --regulation, --type, --map and other flags of the rows as then.',
    );
  }
}

/** Of everything that makes rows into requests; a resumed run must make the same ones. */
export function settingsDigest({ defaults, mapping, vendorDomain }: RowOptions): string {
  const { submitted_time: _now, ...rest } = defaults;
  return createHash('sha256')
    .update(JSON.stringify([rest, [...mapping].sort(), vendorDomain]))
    .digest('hex');
}

/** What to type to go on: the flags without which the rows would become other requests, or none. */
export function resumeCommand(file: string, flags: BulkFlags): string {
  const given: [flag: string, values: readonly (string | undefined)[]][] = [
    ['--regulation', [flags.regulation]],
    ['--type', [flags.type]],
    ['--group-id', [flags.groupId]],
    ['--callback-url', flags.callbackUrl ?? []],
    ['--map', flags.map ?? []],
    ['--map-file', [flags.mapFile]],
    ['--results', [flags.results]],
  ];
  const words = given.flatMap(([flag, values]) =>
    values.flatMap((value) => (value === undefined ? [] : [flag, value])),
  );
  const skip = flags.skipWaitingPeriod === true ? ['--skip-waiting-period'] : [];
  return ['cdpadm', 'dsr', 'submit', '--bulk', file, ...words, ...skip, '--resume'].map(shellWord).join(' ');
}

/** Says how to go on; whatever ended the run, the journal knows how far it came. */
export function resumable(
  error: unknown,
  { again, examined, states }: { again: string; examined: { rows: number }; states: RowStates },
): unknown {
  if (!(error instanceof CliError)) return error;
  const done = countSettled(states);
  return error.with({
    message: `${error.message} ${done} of ${examined.rows} rows are settled.`,
    hint: [error.hint, `Go on with the same command and --resume: \`${again}\`. No row is sent twice.`]
      .filter(Boolean)
      .join(' '),
  });
}

/** Rows of which it is known what became of them. */
export function countSettled(states: RowStates): number {
  return (['submitted', 'existing', 'failed', 'skipped'] as const).reduce((sum, state) => sum + states.count(state), 0);
}
