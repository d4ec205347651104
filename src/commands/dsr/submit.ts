// `dsr submit`: submits one request from flags, a file or questions, or many requests with `--bulk`.
import * as z from 'zod/mini';
import { requestResult } from '../../lib/domain/dsr/overview.ts';
import { hideLink } from '../../lib/bulk/sources/remote.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { shellLine } from '../../lib/kernel/words.ts';
import { requestListView } from '../../lib/render/dsr-overview.ts';
import { commandWords, defineCommand, flagName } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { targetOf } from '../../lib/runtime/target.ts';
import { asPart, createAgain } from '../bulk-run.ts';
import { bulkResult, bulkView, emptyResult, type NextCommands, submitBulk } from './bulk.ts';
import { type BulkFlags, bulkFlags, tableFlags } from './bulk-flags.ts';
import { type OneFlags, oneFlags, submitOne, submittedResult, submitView } from './submit-one.ts';

type SubmitFlags = OneFlags & BulkFlags & { bulk?: string[] };

export const submitRequests = defineCommand({
  path: 'dsr submit',
  summary: 'submit a data subject request, or many with --bulk',
  effect: 'write',
  tool: ['regulation', 'type', 'identity', 'extensionIdentity', 'groupId', 'callbackUrl', 'submittedTime', 'requestId'],
  calls: 'platform',
  // Each workspace gets a request with its own id. Standard input, or a body with an id, works for only one workspace.
  severalProfiles: ['bulk', 'filesFrom', 'file', 'requestId', 'wait'],
  flags: {
    ...oneFlags,
    bulk: {
      value: 'file',
      many: true,
      words: 'any',
      help: 'many requests: CSV, NDJSON or JSON files, folders or patterns; - reads standard input',
    },
    ...tableFlags,
    ...bulkFlags,
  },
  columns: ({ bulk, filesFrom, wait }) =>
    bulk !== undefined || filesFrom !== undefined
      ? bulkView.columns
      : wait === true
        ? requestListView('').columns
        : submitView.columns,
  output: () => z.union([submittedResult(), bulkResult(), z.array(requestResult())]),
  notes: [
    'On a terminal, the command asks for missing values. TYPE=@FILE and TYPE=- keep a value out of the shell history and the process list.',
    'In a bulk run, the flags for a single request set the defaults for all rows. A bulk file can have a column for each field (regulation, subject_request_type, submitted_time, group_id, subject_request_id, status_callback_urls separated by |, skip_waiting_period) and for each identity type. The whole file is checked before the first request is sent.',
    'If you repeat --profile, each workspace gets its own request with its own id. The result is a list: `[{profile, data}]`, or `{profile, error}` for a request that failed.',
    'A dry run of a bulk file shows the first 100 requests and counts the rest.',
    'The ledger records the id before the request is sent. If the response is lost, the same command with the same --request-id never creates a second request.',
  ],
  examples: [
    'cdpadm dsr submit --regulation gdpr --type access --identity email=jane@example.com',
    'cdpadm dsr submit --regulation ccpa --type erasure --identity controller_customer_id=4711 --dry-run',
    'cdpadm dsr submit --bulk subjects.csv --regulation gdpr --type access --results done.csv',
  ],
  exits: {
    failed: 'the signature of the response is not valid',
    partial:
      'with several profiles, some requests failed; with --bulk, some rows were rejected or have an unknown outcome (see the results file)',
    conflict:
      'a request with the same identities and type is still open, a different request has the id, or the bulk file changed during the run',
    network: 'the outcome is unknown; the error shows how to check it',
    invalidInput: 'the file is invalid; nothing was sent',
    waitTimedOut: '--timeout was reached (with --wait)',
    guard:
      'the ledger has a recent request of the same type for the same person (--allow-duplicates permits another; with --bulk, only that row is rejected), the contents of the bulk file were already submitted (--resume continues that run), or you answered no',
  },
  run: (ctx, { flags }) => dispatch(ctx, flags),
});

const BULK_ONLY = Object.keys({ ...bulkFlags, ...tableFlags }) as (keyof typeof bulkFlags | keyof typeof tableFlags)[];
const ONE_ONLY = ['file', 'identity', 'extensionIdentity', 'requestId', 'wait', 'keep'] as const;

async function dispatch(ctx: Context, flags: SubmitFlags): Promise<void> {
  const isBulk = flags.bulk !== undefined || flags.filesFrom !== undefined;
  const misplaced = (isBulk ? ONE_ONLY : BULK_ONLY).find((name) => flags[name] !== undefined);
  if (misplaced !== undefined)
    throw usageError(`${flagName(misplaced)} ${isBulk ? 'cannot be combined with' : 'requires'} --bulk.`);
  if (isBulk) {
    const { again, resume } = createAgain(submitRequests, [], { ...flags }, ctx.flags);
    const { bulk: files = [], filesFrom = '' } = flags;
    // A results file is CSV with a header. If the inputs have no columns, the header contains the field names.
    const without = (...names: (keyof SubmitFlags)[]) => Object.fromEntries(names.map((name) => [name, undefined]));
    const correct: NextCommands['correct'] = (results, { dialect, format }) => {
      const once = without('format', 'headerless', 'columns', 'filesFrom', 'results', 'saveMap', 'resume');
      const mapped = without('source', 'delimiter', 'map', 'mapFile', 'null');
      const read = format === 'csv' ? dialect.escapes && without('source') : mapped;
      return shellLine(commandWords(submitRequests, [], { ...flags, ...once, ...read, bulk: [results] }, ctx.flags));
    };
    const part = { ...resume, input: files.map(hideLink).join(', ') || filesFrom };
    const settings = await ctx.settings();
    await asPart(
      ctx.flags,
      () => settings.get('dsr_base_url') && emptyResult(part, targetOf(settings, 'dsr')),
      submitBulk(ctx, files, flags, { again, correct, part }),
    );
  } else await submitOne(ctx, flags);
}
