// Joins the JSON results of the parts of a bulk run: what `seed results` and `dsr bulk-results` have in common.
import type { infer as Infer, ZodMiniType } from 'zod/mini';
import { exitOf } from '../lib/errors/fail.ts';
import { invalidInput, type Issue, KnownError } from '../lib/kernel/errors.ts';
import { isRecord, readRecord } from '../lib/kernel/json.ts';
import { counted } from '../lib/kernel/words.ts';
import type { Context } from '../lib/runtime/context.ts';
import { inputFlags, openBulkInputs } from './bulk-flags.ts';
import type { workspaceTarget } from './results.ts';

/** Of a part that another part of the same number or content does not replace. */
export interface Report<Result> {
  /** Where it was read. */
  file: string;
  line: number;
  result: Result;
  /** The code of the error that ended the part early. */
  error: string | undefined;
}

export const resultArgs = {
  file: { many: true, optional: true, help: 'results and errors of the parts as JSON; folders or patterns' },
} as const;
export const resultFlags = { filesFrom: inputFlags.filesFrom } as const;

/** For messages: where a run went. */
export function placeOf({ address, environment, workspace_id: workspace }: Infer<ReturnType<typeof workspaceTarget>>) {
  return `workspace ${workspace} (${environment}) at ${address}`;
}

/** Commands that are shown; `again` of the result lists all. */
const SHOWN_COMMANDS = 10;

/**
 * Reads the last report of each part; a complete one replaces an error. Other lines of a log are ignored: a part whose
 * report is damaged is missing. Throws usage (2) without files, and invalid input (9) for results of different runs, or for
 * none at all.
 */
export async function readReports<Schema extends ZodMiniType>(
  ctx: Context,
  files: string[],
  filesFrom: string | undefined,
  schema: Schema,
  { partOf, runOf }: { partOf(result: Infer<Schema>): string; runOf(result: Infer<Schema>): string },
): Promise<Report<Infer<Schema>>[]> {
  const inputs = await openBulkInputs(ctx, files, { filesFrom, format: 'json' });
  const { decoded, linesOf } = await import('../lib/files/text-chunks.ts');
  const reports = new Map<string, Report<Infer<Schema>>>();
  for (const { chunks, name: file } of inputs) {
    for await (const { line, value } of documentsIn(linesOf(decoded(chunks(), file)))) {
      const error = isRecord(value['error']) ? value['error'] : undefined;
      const { data: result } = schema.safeParse(error === undefined ? value : error['progress']);
      if (result === undefined) {
        if (error !== undefined) ctx.out.warn(`${file}: ${String(error['message'])}`);
        continue;
      }
      const part = partOf(result);
      const known = reports.get(part);
      const code = error === undefined ? undefined : String(error['code']);
      if (code === undefined || known === undefined || known.error !== undefined)
        reports.set(part, { file, line, result, error: code });
    }
  }
  const issues: Issue[] = [];
  const [first, ...others] = reports.values();
  for (const { file, line, result } of others) {
    const [run, wanted] = [runOf(result), runOf((first as Report<Infer<Schema>>).result)];
    if (run === wanted) continue;
    issues.push({ file, line, column: 1, path: '', message: `is of ${run}, but ${first?.file} of ${wanted}` });
  }
  if (issues.length === 0 && first === undefined)
    issues.push({ file: inputs[0].name, line: 1, column: 1, path: '', message: 'has no result' });
  if (issues.length > 0) throw invalidInput('These are not the results of one bulk run.', issues, RESULTS_HINT);
  return [...reports.values()];
}

const RESULTS_HINT = 'Run each part with -o json, and keep its standard output and its standard error.';

/** The JSON objects among the lines of a log: on one line, or from a line `{` to a line `}`. */
async function* documentsIn(
  lines: AsyncIterable<string[]>,
): AsyncGenerator<{ line: number; value: Record<string, unknown> }> {
  let number = 0;
  let open: string[] = [];
  for await (const group of lines) {
    for (const text of group.map((one) => one.trimEnd())) {
      number++;
      if (text.startsWith('{')) open = [];
      else if (open.length === 0) continue;
      open.push(text);
      if (text !== '}' && (open.length > 1 || !text.endsWith('}'))) continue;
      const value = readRecord<Record<string, unknown>>(open.join('\n'));
      if (value !== undefined) yield { line: number - open.length + 1, value };
      open = [];
    }
  }
}

/** The counts of all parts; `seconds` is of the part that took longest. */
export function sumCounts<Key extends string>(
  results: readonly (Partial<Record<Key, number>> & { seconds: number })[],
  keys: readonly Key[],
): Record<Key | 'seconds', number> {
  const totals = keys.map((key) => [key, results.reduce((sum, result) => sum + (result[key] ?? 0), 0)]);
  const seconds = results.reduce((longest, result) => Math.max(longest, result.seconds), 0);
  return Object.fromEntries([...totals, ['seconds', seconds]]) as Record<Key | 'seconds', number>;
}

/**
 * Sets the exit code that one run would have, and shows how to run again what is missing. decision: D291
 */
export function endAsOneRun(
  ctx: Context,
  reports: readonly Pick<Report<unknown>, 'error'>[],
  { again, isPartial, missing }: { again: readonly string[]; isPartial: boolean; missing: number },
): void {
  const codes = reports.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const exits = new Set(codes.map((code) => exitOf(new KnownError({ code, message: '' }))));
  const [only, other] = exits;
  if (missing > 0 || other !== undefined) ctx.setExit('failed');
  else if (only !== undefined) ctx.setExit(only);
  else if (isPartial) ctx.setExit('partial');
  for (const [index, command] of again.slice(0, SHOWN_COMMANDS).entries())
    ctx.out.note({ text: index === 0 ? 'To run what is missing:' : '', command });
  const more = again.length - SHOWN_COMMANDS;
  if (more > 0) ctx.out.note(`${counted(more, 'more command')}: see \`again\` of the JSON result.`);
}
