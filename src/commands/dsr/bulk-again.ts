// Decides whether a bulk run of data subject requests continues an earlier run.
import { createReadStream } from 'node:fs';
import { counted, grouped } from '../../lib/kernel/words.ts';
import { endingAs, exitOf, fail } from '../../lib/errors/fail.ts';
import { countComplete, createRowStates, type RowStates } from '../../lib/domain/dsr/row-states.ts';
import { type DsrJournal, foreignJournal, type JournalHead } from '../../lib/files/bulk-journal.ts';
import { linesOf } from '../../lib/files/read-input.ts';
import { writeNewFile } from '../../lib/kernel/durable.ts';
import { cannotWrite, KnownError } from '../../lib/kernel/errors.ts';
import { restoreStates } from '../../lib/workflows/dsr-bulk.ts';
import type { RowOptions } from '../../lib/workflows/dsr-row-reader.ts';
import { type Inputs, nameOfInputs } from '../../lib/bulk/sources/bytes.ts';
import { refuseOtherFlags, resumeHint, rowFlagsDigest } from '../bulk-flags.ts';
import type { Again } from '../bulk-run.ts';
import { rowsText } from './bulk-dry-run.ts';
import type { BulkFlags } from './bulk-flags.ts';

/**
 * Returns the earlier run of the same content, if any, and the states of its rows. Discards an unsent run (D415). Other
 * flags, such as --headerless, may read another number of rows from this content: `refuseSecondRun` rejects them.
 */
export async function readEarlierRun(
  journal: DsrJournal | undefined,
  { isDryRun, rows, settings }: { isDryRun: boolean; rows: number; settings: string },
) {
  const head = await journal?.head();
  if (!journal || !head) return { states: createRowStates(rows) };
  if (head.settings === settings && head.rows !== rows)
    throw foreignJournal(journal, `it is about ${head.rows} rows, but the file has ${rows}`);
  const states = createRowStates(head.rows);
  await restoreStates(journal, states, head.rows);
  if (countComplete(states) + states.count('planned') + states.count('unknown') > 0) return { head, states };
  if (!isDryRun) journal.remove();
  return { states: createRowStates(rows) };
}

/** Throws guard (12) if --resume is not set, and usage (2) if the flags would change the requests (decision: D58). */
export function refuseSecondRun(
  head: JournalHead,
  flags: BulkFlags,
  { again, inputs, settings, states }: { again: Again; inputs: Inputs; settings: string; states: RowStates },
): void {
  if (!flags.resume) {
    const done = countComplete(states);
    const [name, resume] = [nameOfInputs(inputs), again('--resume')];
    const isWhole = done === head.rows;
    throw fail('dsr.bulk_again', {
      message: isWhole
        ? `The content of ${name} was already submitted, as ${head.input} on ${head.at}.`
        : `The run of ${head.input} on ${head.at} was interrupted: ${grouped(done)} of ${counted(head.rows, 'row is', 'rows are')} complete.`,
      hint: [
        resumeHint(
          `To ${isWhole ? 'show the result of' : 'continue'} that run (completed rows are not sent again)`,
          resume,
          head.settings,
          settings,
        ),
        {
          text: 'To submit new requests for the same people, for example with another --type, add ids first:',
          command: 'cdpadm dsr prepare',
        },
      ],
    });
  }
  refuseOtherFlags(head.settings, settings, '--regulation, --type, --map');
}

/** Returns a digest of the settings without the submitted time, which a resumed run takes from the journal. */
export function settingsDigest({ defaults, mapping, nulls, vendorDomain }: RowOptions, [{ dialect }]: Inputs): string {
  const { submitted_time: _now, ...rest } = defaults;
  return rowFlagsDigest(rest, { mapping, vendorDomain, nulls, dialect });
}

/** Adds the rows, the unknown rows and the next step to the error. After an unknown row, the exit code is not 7. */
export function resumable(
  error: KnownError,
  run: { again: Again; examined: { rows: number }; journal: DsrJournal; part: { input: string }; states: RowStates },
): KnownError {
  const { again, examined, journal, part, states } = run;
  const unknown = states.unknownRows();
  const named = rowsText(unknown);
  const alsoUnknown =
    unknown.length === 0 ? '' : ` The outcome of ${counted(unknown.length, 'row')} is unknown: ${named}.`;
  const shown = unknown.length > 0 && exitOf(error) === 'unavailable' ? endingAs(error, 'network') : error;
  const isChanged = error.code === 'input.changed';
  const facts = isChanged ? [`${journal.path} contains the id and outcome of each row.`] : error.hints;
  const next = `No row is submitted twice. ${isChanged ? `Restore ${part.input}, then continue:` : 'To continue:'}`;
  return shown.with({
    message: `${error.message} ${grouped(countComplete(states))} of ${counted(examined.rows, 'row is', 'rows are')} complete.${alsoUnknown}`,
    hint: [...facts, { text: next, command: again('--resume', error) }],
  });
}

/** True if the file contains the id of this run's first row. Otherwise, another run may have written the file. */
export async function hasResults(path: string, states: RowStates): Promise<boolean> {
  const id = states.id(1);
  for await (const lines of linesOf(createReadStream(path, 'latin1')))
    if (id !== undefined && lines.some((line) => line.includes(id))) return true;
  return false;
}

/** Writes the results file. Throws failed (1) if it cannot be written, or if another process created it. */
export async function writeResults(path: string, lines: AsyncIterable<string>): Promise<void> {
  await writeNewFile(path, lines).catch((error: unknown) => {
    if (!(error instanceof KnownError) || error.code === 'input.changed') throw error;
    const cause = error.code === 'usage' ? new Error('another process created it') : error.cause;
    throw cannotWrite(path, cause, 'Fix this problem, or pass another file: --results FILE.');
  });
}
