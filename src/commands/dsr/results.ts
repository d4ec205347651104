// `dsr results`: what an access or portability request found, saved to a private file.
import { resolve } from 'node:path';
import { Command } from 'commander';
import { DSR_LIMITS } from '../../lib/contract/limits.ts';
import { openDownload, type SavedDownload } from '../../lib/files/save-download.ts';
import { CliError, EXIT } from '../../lib/kernel/errors.ts';
import type { RecordView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { readRequests } from '../../lib/workflows/dsr-read.ts';
import type { RequestOverview } from '../../lib/domain/dsr/overview.ts';
import { openDsr, requestIds } from './session.ts';

type Saved = SavedDownload & { subject_request_id: string };

const view: RecordView<Saved> = {
  kind: 'record',
  columns: [
    { key: 'file', id: true, value: (it) => it.file },
    { key: 'bytes', value: (it) => it.bytes },
    { key: 'sha256', value: (it) => it.sha256 },
    { key: 'content_type', value: (it) => it.content_type },
  ],
};

export function resultsCommand(ctx: Context): Command {
  const command = new Command('results')
    .description('save the results of a completed access or portability request')
    .argument('<id>', 'id of the request')
    .option('--dir <dir>', 'folder of the file', '.')
    .action((id: string, flags: { dir: string }) => results(ctx, id, flags.dir));
  return withHelp(command, {
    calls: 'platform',
    columns: view.columns,
    notes: [
      "The file is named after the request, readable by you alone, and never written over another. It is fetched from below the profile's own address only.",
    ],
    examples: [
      'cdpadm dsr results 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 --dry-run',
      'cdpadm dsr results 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 --dir results --dry-run',
    ],
    json: '{"subject_request_id","file","bytes","sha256","content_type"}',
    exits: {
      5: 'no such request, no records match the identities, or the results have expired',
      6: 'the request has no results (yet)',
    },
  });
}

async function results(ctx: Context, text: string, dir: string): Promise<void> {
  const session = await openDsr(ctx);
  const [id = ''] = requestIds([text]);
  const [request] = await readRequests([id], session);
  const url = request?.results_url;
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun(url ? [{ method: 'GET', url }] : []);
    return;
  }
  if (!request || !url) throw withoutResults(id, request);
  const download = openDownload(resolve(ctx.io.cwd, dir), id);
  try {
    await session.api.results(url, download.sink, ctx.signal);
  } catch (error) {
    download.discard();
    throw explained(id, error);
  }
  await ctx.out.emit({ subject_request_id: id, ...download.finish() }, view);
}

function withoutResults(id: string, request: RequestOverview | undefined): CliError {
  const status = request?.request_status;
  const isErasure = request?.subject_request_type === 'erasure';
  const isOpen = status !== 'completed' && status !== 'cancelled';
  const why = isErasure
    ? 'an erasure has none'
    : status === 'completed'
      ? 'the platform gives none; an erasure has none'
      : `it is ${status ?? 'unknown'}`;
  return new CliError({
    code: 'dsr.no_results',
    message: `Request ${id} has no results: ${why}.`,
    ...(!isErasure && isOpen && { hint: `Wait for them with \`cdpadm dsr wait ${id}\`.` }),
    exit: EXIT.conflict,
  });
}

/** What the two refusals mean here. */
function explained(id: string, error: unknown): unknown {
  if (!(error instanceof CliError) || (error.status !== 404 && error.status !== 410)) return error;
  const gone = error.status === 410;
  return new CliError({
    code: gone ? 'dsr.results_expired' : 'dsr.no_records',
    message: gone
      ? `The results of request ${id} are no longer there: they are kept for ${DSR_LIMITS.resultsDays} days.`
      : `No records match the identities of request ${id}: the platform holds nothing about this person.`,
    hint: gone
      ? 'Submit the request anew.'
      : 'That is an answer to the subject too. Check the identities if you expected data.',
    exit: EXIT.notFound,
    status: error.status,
    ...(error.request && { request: error.request }),
    cause: error,
  });
}
