// `dsr bulk-results`: joins the results of bulk runs that were split into several files.
import { basename } from 'node:path';
import { array, extend, type infer as Infer, string } from 'zod/mini';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import {
  emitJoined,
  joinedResult,
  joinedView,
  type Joining,
  placeOf,
  readReports,
  resultArgs,
  resultFlags,
  valuesOf,
} from '../bulk-results.ts';
import { bulkResult } from './bulk.ts';

const partResult = () => extend(bulkResult(), { input: string(), argv: array(string()) });

const joining: Joining<Infer<ReturnType<typeof partResult>>, string> = {
  counts: ['rows', 'submitted', 'existing', 'failed', 'unknown', 'skipped', 'requests', 'retries'],
  partial: ['failed', 'unknown'],
  names: { parts: 'parts', missing: 'missing_parts', failed: 'failed_parts', files: 'results' },
  label: () => string(),
  part: partResult,
  // The journal is named after the content of the input.
  keyOf: ({ journal }) => basename(journal),
  runOf: ({ target }) => placeOf(target),
  labelOf: ({ input }) => input,
  flag: '--bulk',
  valueOf: (input) => input,
};

export const joinParts = defineCommand({
  path: 'dsr bulk-results',
  summary: 'join the results of several bulk runs',
  effect: 'local',
  calls: 'none',
  args: resultArgs,
  flags: {
    ...resultFlags,
    parts: { value: 'file', many: true, help: 'input that must have a result; folders and patterns; may be repeated' },
  },
  columns: () => joinedView(joining).columns,
  output: () => joinedResult(joining),
  notes: [
    'A result is the output of `dsr submit --bulk … -o json`. For a run that failed, this output is an error.',
    'The exit code is the same as for a single run: 0, or 3 if rows were rejected or are unknown. It is 1 if a part is missing. If parts failed, it is the code of their error.',
  ],
  examples: ['cdpadm dsr bulk-results results', "cdpadm dsr bulk-results results --parts 'people*.csv' -o json"],
  exits: {
    failed: 'a part is missing, or parts failed for different reasons',
    partial: 'every part is complete, and rows were rejected or are unknown',
    invalidInput: 'a file is not a result',
  },
  run: async (ctx, { args, flags: { filesFrom, parts = [] } }) => {
    const reports = await readReports(ctx, args.file, filesFrom, joining);
    const { expandInputs } = await import('../../lib/bulk/sources/expand.ts');
    const wanted = parts.length === 0 ? [] : await expandInputs(parts, undefined, ctx);
    const reported = reports.flatMap(({ result }) => valuesOf(result.argv, joining.flag).map((file) => basename(file)));
    const missing = wanted.filter((part) => !reported.includes(basename(part)));
    await emitJoined(ctx, joining, reports, missing, { files: reports.map(({ result }) => result.results) });
  },
});
