// `dsr bulk-results`: joins the results of bulk runs that were split into several files.
import { basename } from 'node:path';
import { array, extend, type infer as Infer, int, number, object, string } from 'zod/mini';
import { shellWord } from '../../lib/kernel/words.ts';
import type { RecordView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { endAsOneRun, placeOf, readReports, resultArgs, resultFlags, sumCounts } from '../bulk-results.ts';
import { bulkResult } from './bulk.ts';

const COUNTS = ['rows', 'submitted', 'existing', 'failed', 'unknown', 'skipped', 'requests', 'retries'] as const;

function joinedResult() {
  return object({
    rows: int(),
    submitted: int(),
    existing: int(),
    failed: int(),
    unknown: int(),
    skipped: int(),
    requests: int(),
    retries: int(),
    /** Of the part that took longest. */
    seconds: number(),
    parts: int(),
    complete: int(),
    /** Inputs of --parts without a result. */
    missing_parts: array(string()),
    /** Inputs of the runs that failed. */
    failed_parts: array(string()),
    /** Commands that run the missing and failed parts again. */
    again: array(string()),
    results: array(string()),
  });
}

type Joined = Infer<ReturnType<typeof joinedResult>>;

const view: RecordView<Joined> = {
  kind: 'record',
  columns: [
    ...[...COUNTS, 'seconds' as const, 'parts' as const, 'complete' as const].map((key) => {
      return { key, value: (it: Joined) => it[key] };
    }),
    ...(['missing_parts', 'failed_parts', 'results'] as const).map((key) => {
      return { key, value: (it: Joined) => it[key].join(', ') };
    }),
  ],
};

const flags = {
  ...resultFlags,
  parts: { value: 'file', many: true, help: 'input that must have a result; folders and patterns; may be repeated' },
} as const;

export const joinParts = defineCommand({
  path: 'dsr bulk-results',
  summary: 'join the results of several bulk runs',
  effect: 'local',
  calls: 'nobody',
  args: resultArgs,
  flags,
  columns: () => view.columns,
  output: joinedResult,
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
  run: (ctx, { args, flags: given }) => join(ctx, args.file, given.filesFrom, given.parts ?? []),
});

async function join(ctx: Context, files: string[], filesFrom: string | undefined, parts: readonly string[]) {
  const schema = extend(bulkResult(), { input: string(), resume: string() });
  // The journal is named after the content of the input.
  const reports = await readReports(ctx, files, filesFrom, schema, {
    partOf: ({ journal }) => basename(journal),
    runOf: ({ target }) => placeOf(target),
  });
  const results = reports.map(({ result }) => result);
  const { expandInputs } = await import('../../lib/bulk/sources/expand.ts');
  const wanted = parts.length === 0 ? [] : await expandInputs(parts, undefined, ctx);
  const reported = new Set(results.map(({ input }) => basename(input)));
  const missing = wanted.filter((part) => !reported.has(basename(part)));
  const failed = reports.filter(({ error }) => error !== undefined).map(({ result }) => result);
  const [first] = results as [(typeof results)[number]];
  const again = [
    ...failed.map(({ resume }) => resume),
    ...missing.map((part) => first.resume.replace(` ${shellWord(first.input)}`, ` ${shellWord(part)}`)),
  ];
  const counts = sumCounts(results, COUNTS);
  const data: Joined = {
    ...counts,
    parts: reports.length + missing.length,
    complete: reports.length - failed.length,
    missing_parts: missing,
    failed_parts: failed.map(({ input }) => input),
    again,
    results: results.map((result) => result.results),
  };
  await ctx.out.emit(data, view);
  const isPartial = counts.failed > 0 || counts.unknown > 0;
  endAsOneRun(ctx, reports, { again, missing: missing.length, isPartial });
}
