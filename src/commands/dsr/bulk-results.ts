// `dsr bulk-results`: joins the results of bulk runs that were split into several files.
import { basename } from 'node:path';
import * as z from 'zod/mini';
import { shellLine } from '../../lib/kernel/words.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import {
  emitJoined,
  joinedResult,
  joinedView,
  type Joining,
  readReports,
  type Report,
  resultArgs,
  resultFlags,
} from '../bulk-results.ts';
import { targetName } from '../results.ts';
import { bulkResult, noteOutcome } from './bulk.ts';

const partResult = () => z.extend(bulkResult(), { argv: z.array(z.string()) });
type PartReport = Report<z.infer<ReturnType<typeof partResult>>>;

const joining: Joining<z.infer<ReturnType<typeof partResult>>> = {
  counts: ['rows', 'submitted', 'existing', 'failed', 'unknown', 'skipped', 'left', 'requests', 'retries'],
  partial: ['failed', 'unknown'],
  names: { part: 'part', parts: 'parts', missing: 'missing_parts', failed: 'failed_parts', files: 'results' },
  label: () => z.string(),
  part: partResult,
  // The journal is named after the input's content; a part that was rejected before sending has no journal.
  keyOf: ({ input, journal }) => basename(journal) || input,
  runOf: ({ target }) => `a run in ${targetName(target)}`,
  labelOf: ({ input }) => input,
  flag: '--bulk',
  valueOf: String,
};

export const joinParts = defineCommand({
  path: 'dsr bulk-results',
  summary: 'combine the results of several bulk runs',
  effect: 'local',
  calls: 'none',
  args: resultArgs,
  flags: {
    ...resultFlags,
    parts: { value: 'file', many: true, help: 'inputs that must have results: a file, folder or pattern (repeatable)' },
  },
  columns: () => joinedView(joining).columns,
  output: () => joinedResult(joining),
  notes: [
    'Run each part as `dsr submit --bulk … -o json`, and save its output and errors to files. Other lines in these files are ignored. The last result of each part counts, but an error never replaces a complete result.',
    'The command lists failed parts and, with --parts, missing ones. It also prints the commands that run them again. No row is submitted twice.',
    'The exit code is the same as for a single run: 0, or 3 if rows were rejected or have an unknown outcome. If a part is missing, the exit code is 1. If parts failed, the exit code matches their error, or is 1 if their exit codes differ.',
  ],
  examples: ['cdpadm dsr bulk-results results', "cdpadm dsr bulk-results results --parts 'people*.csv' -o json"],
  exits: {
    failed: 'a part is missing, or parts failed for different reasons',
    partial: 'every part is complete, but some rows were rejected or have an unknown outcome',
    invalidInput:
      'there is no result, the results are from different workspaces, or parts failed because of invalid input',
  },
  run: async (ctx, { args, flags: { filesFrom, parts = [] } }) => {
    const reports = withoutCorrected(ctx, await readReports(ctx, args.file, filesFrom, joining));
    const results = reports.map(({ result }) => result);
    const { expandInputs } = await import('../../lib/bulk/sources/expand.ts');
    const wanted = parts.length === 0 ? [] : await expandInputs(parts, undefined, ctx);
    const reported = results.flatMap(({ argv, input }) => [
      input,
      ...argv.filter((_word, index) => argv[index - 1] === joining.flag),
    ]);
    const known = new Set(reported.map((file) => basename(file)));
    const missing = wanted.filter((part) => !known.has(basename(part)));
    const files = results.flatMap((one) => (one.results === '' ? [] : [one.results]));
    await emitJoined(ctx, joining, reports, missing, { files });
    for (const { error, result } of reports) if (!error) noteOutcome(ctx, result, shellLine(result.argv));
  },
});

/** Omits the rejection of an input that was submitted later: the corrected content has another journal. */
function withoutCorrected(ctx: Context, reports: readonly PartReport[]): PartReport[] {
  const submitted = new Set(reports.flatMap(({ result }) => (result.journal === '' ? [] : [result.input])));
  return reports.filter(({ file, line, result: { input, journal } }) => {
    const isCorrected = journal === '' && submitted.has(input);
    if (isCorrected)
      ctx.out.warn(`${file}:${line}: this error for ${input} is ignored, because the input has another result.`);
    return !isCorrected;
  });
}
