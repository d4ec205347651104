// `dsr results`: saves the results of an access or portability request to a private file.
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { DSR_LIMITS } from '../../lib/contract/limits.ts';
import { openDownload } from '../../lib/files/save-download.ts';
import { KnownError } from '../../lib/kernel/errors.ts';
import { isoMillis } from '../../lib/kernel/timestamps.ts';
import { fields } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { readRequests } from '../../lib/workflows/dsr-read.ts';
import type { RequestOverview } from '../../lib/domain/dsr/overview.ts';
import { openDsr, pickResults, requestIds } from './session.ts';
import { fail } from '../../lib/errors/fail.ts';

export const saveResults = defineCommand({
  path: 'dsr results',
  summary: 'save the results of a completed access or portability request',
  effect: 'local',
  calls: 'platform',
  args: { id: { help: 'id of the request', pick: pickResults } },
  flags: { dir: { value: 'dir', writes: true, default: '.', help: 'folder for the file' } },
  output: () =>
    z.object({
      subject_request_id: z.string(),
      file: z.string(),
      bytes: z.int(),
      sha256: z.string(),
      content_type: z.string(),
    }),
  notes: [
    "The file is named after the request id. Only you can read the file, and it never replaces an existing file. The command fetches results only from the profile's own address.",
  ],
  examples: [
    'cdpadm dsr results 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 --dry-run',
    'cdpadm dsr results 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11 --dir results --dry-run',
  ],
  exits: {
    notFound: 'the request does not exist, no records match the identities, or the results have expired',
    conflict: 'the request has no results (yet)',
  },
  run: async (ctx, { args, flags }) => {
    const session = await openDsr(ctx);
    const [id = ''] = requestIds([args.id]);
    const [request] = await readRequests([id], session);
    const url = request?.results_url;
    if (ctx.flags.dryRun) return await ctx.out.emitDryRun(url ? [{ method: 'GET', url }] : []);
    if (!request || !url) throw withoutResults(id, request);
    const now = () => isoMillis(ctx.clock.now());
    const download = openDownload(resolve(ctx.io.cwd, flags.dir), id);
    try {
      await session.api.results(url, download.sink, ctx.signal);
      // If there are no records, the platform responds with 404, so an empty file is an error.
      if (download.isEmpty())
        throw fail('http.unreadable', { message: `The results of request ${id} are empty. Nothing was saved.` });
    } catch (error) {
      download.discard();
      if (!isWithoutData(error)) throw error;
      const http_status = error.status;
      await session.keep(() => session.ledger.record([{ event: 'no_results', id, at: now(), http_status }]));
      throw explained(id, error);
    }
    const saved = download.finish();
    const { bytes, content_type, sha256 } = saved;
    const at = now();
    await session.keep(() => session.ledger.record([{ event: 'downloaded', id, at, sha256, bytes, content_type }]));
    return { subject_request_id: id, ...saved };
  },
  view: {
    kind: 'record',
    columns: [{ key: 'file', id: true, value: (it) => it.file }, ...fields('bytes', 'sha256', 'content_type')],
  },
});

function withoutResults(id: string, request: RequestOverview | undefined): KnownError {
  const { request_status: status = 'unknown', subject_request_type: type } = request ?? {};
  const isAtEnd = status === 'completed' || status === 'cancelled';
  const why = status === 'completed' ? 'the platform has none; an erasure has no results' : `it is ${status}`;
  return fail('dsr.no_results', {
    message: `Request ${id} has no results: ${type === 'erasure' ? 'an erasure has no results' : why}.`,
    ...(type !== 'erasure' && !isAtEnd && { hint: { text: 'To wait for them:', command: `cdpadm dsr wait ${id}` } }),
  });
}

/** True for the platform's 404 and 410. A proxy's error page proves nothing about the results. */
function isWithoutData(error: unknown): error is KnownError & { status: number } {
  return error instanceof KnownError && ['http.not_found', 'http.gone'].includes(error.code);
}

/** Returns the error for expired results (410), or for identities without records (404). */
function explained(id: string, error: KnownError): KnownError {
  const gone = error.status === 410;
  return fail(gone ? 'dsr.results_expired' : 'dsr.no_records', {
    message: gone
      ? `The results of request ${id} have expired: the platform keeps them for ${DSR_LIMITS.resultsDays} days.`
      : `No records match the identities of request ${id}: the platform has no data about this person.`,
    hint: gone
      ? 'Submit the request again.'
      : [
          'If you expected data, check the identities: the platform matches them exactly, including letter case. Otherwise, inform the subject that there is no data.',
          { text: 'To mark the request as answered:', command: `cdpadm dsr mark ${id} --answered` },
        ],
    status: error.status,
    ...(error.request && { request: error.request }),
    cause: error,
  });
}
