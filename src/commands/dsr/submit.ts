// `dsr submit`: one request by flags, file or questions; many with `--bulk`.
import { Command } from 'commander';
import { REGULATIONS, REQUEST_TYPES } from '../../lib/contract/dsr.ts';
import { IDENTITY_COLUMNS, IGNORED, ROW_FIELDS } from '../../lib/domain/dsr/rows.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { dsrBulkView } from '../../lib/render/dsr-bulk.ts';
import { requestListView } from '../../lib/render/dsr-overview.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { collect } from '../../lib/runtime/command-line/global-flags.ts';
import { behindEquals, TARGET_JSON, withHelp } from '../../lib/runtime/command-line/help.ts';
import { choiceOption } from '../flag-values.ts';
import { submitBulk } from './bulk.ts';
import { type BulkFlags, withMapFlags } from './bulk-flags.ts';
import { type OneFlags, submitOne, submitView } from './submit-one.ts';

interface SubmitFlags extends OneFlags, BulkFlags {
  bulk?: string;
}

/** The flags that say what a request is. */
function withOneFlags(command: Command): Command {
  return command
    .addOption(choiceOption('--regulation <name>', 'the law the subject invokes', REGULATIONS))
    .addOption(choiceOption('--type <type>', 'what the subject wants', REQUEST_TYPES))
    .option('--identity <type=value>', 'who it is; may be repeated; TYPE=@FILE and TYPE=- read the value', collect)
    .option('--extension-identity <type=value>', 'the same for types of the vendor extension', collect)
    .option('--group-id <id>', 'relates requests to each other')
    .option('--callback-url <url>', 'where the platform posts each status; may be repeated', collect)
    .option('--submitted-time <iso>', 'when the subject asked (default: now); the deadline runs from it')
    .option('--request-id <uuid>', 'the id of the request (default: a new one)')
    .option('--skip-waiting-period', 'an erasure begins within 24 hours instead of after 7 days');
}

export function submitCommand(ctx: Context): Command {
  const command = withMapFlags(withOneFlags(new Command('submit')))
    .description('submit a data subject request, or many with --bulk')
    .option('-f, --file <file>', 'the body as JSON or YAML; versions 1 and 2 are upgraded; - is standard input')
    .option('--wait', 'wait until it is completed')
    .option('--show-identities', 'do not mask the identities')
    .option(
      '--bulk <file>',
      'many requests: CSV, NDJSON or JSON, - is standard input; other flags are for rows that do not say',
    )
    .option('--results <file>', 'where a bulk run writes what became of each row (default: FILE.results.csv)')
    .option('--resume', 'go on with a bulk run that was ended early')
    .option('--concurrency <n>', 'most requests of a bulk run at once (default: 16)')
    .option('--rate <n>', "most requests of a bulk run a second, or as 600/m (default: the profile's limit)")
    .action((flags: SubmitFlags) => dispatch(ctx, flags));
  return withHelp(command, {
    calls: 'platform',
    values: { '--map': ({ typed }) => behindEquals(typed, [...ROW_FIELDS, ...IDENTITY_COLUMNS, IGNORED]) },
    columns: ({ bulk, wait }) =>
      bulk !== undefined ? dsrBulkView.columns : wait === true ? requestListView('').columns : submitView.columns,
    notes: [
      "On a terminal it asks for whatever no flag gives. A value behind TYPE=@FILE or TYPE=- stays out of the shell's history and of the process list.",
      'A bulk file has a column for each field (regulation, subject_request_type, submitted_time, group_id, subject_request_id, status_callback_urls with | between, skip_waiting_period) and for each identity type by its name. It is checked whole before the first request.',
      'A dry run of a bulk file shows the first 100 requests and counts the others.',
      'The id is written to the ledger before anything is sent, so that a lost response can be confirmed: the same command with the same --request-id never makes a second request.',
    ],
    examples: [
      'cdpadm dsr submit --regulation gdpr --type access --identity email=jane@example.com',
      'cdpadm dsr submit --regulation ccpa --type erasure --identity controller_customer_id=4711 --dry-run',
      'cdpadm dsr submit --bulk subjects.csv --regulation gdpr --type access --results done.csv',
    ],
    json: `{"subject_request_id","controller_id","request_status","received_time","expected_completion_time","deadline","signature_valid",${TARGET_JSON}}; with --bulk {"rows","submitted","existing","failed","unknown","skipped","requests","retries","seconds","results","journal",${TARGET_JSON}}`,
    exits: {
      1: "the answer's signature is not valid",
      3: 'some rows of a bulk run were rejected or are unknown; the results file says why',
      6: 'a request with the same identities and type is still open',
      8: 'nobody knows whether it arrived; how to find out is said',
      9: 'the file is invalid; nothing was sent',
      11: '--timeout is over (with --wait)',
      12: 'the content of the bulk file was submitted before (--resume goes on with it), or you answered no',
    },
  });
}

const BULK_ONLY = ['results', 'resume', 'concurrency', 'rate', 'map', 'mapFile', 'saveMap', 'null'] as const;
const ONE_ONLY = ['file', 'identity', 'extensionIdentity', 'requestId', 'wait'] as const;

async function dispatch(ctx: Context, flags: SubmitFlags): Promise<void> {
  const isBulk = flags.bulk !== undefined;
  const misplaced = (isBulk ? ONE_ONLY : BULK_ONLY).find((name) => flags[name] !== undefined);
  if (misplaced !== undefined) {
    const flag = `--${misplaced.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw usageError(isBulk ? `${flag} is for a single request, not for --bulk.` : `${flag} is for --bulk.`);
  }
  if (flags.bulk === undefined) await submitOne(ctx, flags);
  else await submitBulk(ctx, flags.bulk, flags);
}
