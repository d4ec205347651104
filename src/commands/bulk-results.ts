// `seed results` and `dsr bulk-results`: join the JSON results of a bulk run's parts into the result of a single run.
import { groupBy } from '../lib/kernel/group-by.ts';
import * as z from 'zod/mini';
import { parseWith } from '../lib/contract/explain.ts';
import type { ExitName } from '../lib/errors/entry.ts';
import { exitOf } from '../lib/errors/fail.ts';
import { invalidInput, type Issue, KnownError, placeOf } from '../lib/kernel/errors.ts';
import { isRecord, readRecord } from '../lib/kernel/json.ts';
import { capitalized, counted, largest, shellLine } from '../lib/kernel/words.ts';
import type { RecordView } from '../lib/render/view.ts';
import type { Context } from '../lib/runtime/context.ts';
import { openBulkInputs } from './bulk-flags.ts';
import { afterError, withFlag } from './bulk-run.ts';

/** The result of a part, as its run printed it. */
interface Part {
  rows: number;
  seconds: number;
  /** Name of the inputs; empty if an error occurred before they were opened. */
  input: string;
  /** Arguments of the command that runs this part again. */
  argv: string[];
}

export interface Report<Result> {
  file: string;
  line: number;
  result: Result;
  error: { code: string; message: string } | undefined;
}

type Label = string | number;

export interface Joining<Result extends Part> {
  counts: readonly string[];
  /** Names of the counts that make the joined result partial if they are not zero. */
  partial: readonly string[];
  /** What a part is called, and the field names in the joined result. */
  names: { part: string; parts: string; missing: string; failed: string; files: string };
  label: () => z.ZodMiniType<Label>;
  more?: () => Record<string, z.ZodMiniType>;
  part: () => z.ZodMiniType<Result>;
  /** Identifies the part: results with the same key are from the same part. */
  keyOf(result: Result): string;
  /** Names the run in messages; all its parts share the name. */
  runOf(result: Result): string;
  labelOf(result: Result): Label;
  /** Flag that differs between the parts, and its value for a part. */
  flag: string;
  valueOf(label: Label, like: Result): string;
}

type JoinedShape = Pick<Joining<Part>, 'counts' | 'label' | 'more' | 'names'>;

export function joinedResult({ counts, label, more, names }: JoinedShape) {
  return z.object({
    ...Object.fromEntries(counts.map((key) => [key, z.int()])),
    seconds: z.number(),
    [names.parts]: z.int(),
    complete: z.int(),
    [names.missing]: z.array(label()),
    [names.failed]: z.array(label()),
    /** Errors of failed parts. If `correct_first` is true, a rerun would fail and is not in the top-level `again`. */
    errors: z.array(
      z.object({
        [names.part]: label(),
        code: z.string(),
        message: z.string(),
        correct_first: z.boolean(),
        again: z.string(),
      }),
    ),
    again: z.array(z.string()),
    [names.files]: z.array(z.string()),
    ...more?.(),
  });
}

export function joinedView({ counts, names }: Pick<JoinedShape, 'counts' | 'names'>): RecordView<object> {
  const listed = (value: unknown): unknown => (Array.isArray(value) ? value.join(', ') || 'none' : value);
  const keys = [...counts, 'seconds', names.parts, 'complete', names.missing, names.failed, names.files];
  return { kind: 'record', columns: keys.map((key) => ({ key, value: (it) => listed(it[key as never]) as string })) };
}

export const resultArgs = {
  file: { many: true, optional: true, help: 'JSON results and errors: files, folders or patterns' },
} as const;
export const resultFlags = {
  filesFrom: { value: 'file', help: 'list of these files, one per line; - reads standard input' },
} as const;

/** Errors that the same command would cause again. */
const NEEDS_CORRECTION: readonly ExitName[] = ['usage', 'invalidInput', 'conflict'];

/** Prints the joined result, sets the exit code, and shows commands for missing and failed parts (decision: D291). */
export async function emitJoined<Result extends Part>(
  ctx: Context,
  { counts, flag, labelOf, names, partial, valueOf }: Joining<Result>,
  reports: readonly Report<Result>[],
  missing: readonly Label[],
  { files, ...more }: { files: readonly string[] } & Record<string, unknown>,
): Promise<void> {
  const results = reports.map(({ result }) => result);
  const [first] = results as [Result];
  const exits = new Set<ExitName>();
  const errors = reports.flatMap(({ error, result }) => {
    if (error === undefined) return [];
    const exit = exitOf(new KnownError(error));
    exits.add(exit);
    const again = shellLine(afterError(result.argv, error.code));
    return [{ label: labelOf(result), ...error, correct_first: NEEDS_CORRECTION.includes(exit), again }];
  });
  const commandsOf = (isStuck: boolean) =>
    errors.filter((one) => one.correct_first === isStuck).map((one) => one.again);
  const again = [
    ...commandsOf(false),
    ...missing.map((label) => shellLine(withFlag(first.argv, flag, valueOf(label, first)))),
  ];
  const sums = Object.fromEntries(
    counts.map((key) => [key, results.reduce((sum, one) => sum + numberIn(one, key), 0)]),
  );
  const data = {
    ...sums,
    seconds: largest(results.map(({ seconds }) => seconds)),
    [names.parts]: reports.length + missing.length,
    complete: reports.length - errors.length,
    [names.missing]: missing,
    [names.failed]: errors.map(({ label }) => label),
    errors: errors.map(({ label, ...facts }) => ({ [names.part]: label, ...facts })),
    again,
    [names.files]: files,
    ...more,
  };
  await ctx.out.emit(data, joinedView({ counts, names }));
  const [only, other] = exits;
  if (missing.length > 0 || other !== undefined) ctx.setExit('failed');
  else if (only !== undefined) ctx.setExit(only);
  else if (partial.some((key) => (sums[key] ?? 0) > 0)) ctx.setExit('partial');

  const named = [...groupBy(errors, ({ message }) => message)].map(([message, alike]) => {
    const what = alike.length === 1 ? names.part : names.parts;
    const labels = alike.map(({ label }) => label).join(', ');
    return `${capitalized(what)} ${labels} failed: ${message}`;
  });
  showSome(ctx, '', named);
  const correct = 'Correct the invalid input first. Then run this, and save the output with the other results:';
  showSome(ctx, correct, commandsOf(true));
  showSome(ctx, 'Run these parts, and save each output with the other results, for example with --out FILE:', again);
}

const SHOWN_LINES = 10;

/** Prints the lines as commands under the title or, if the title is empty, as sentences. */
function showSome(ctx: Context, title: string, lines: readonly string[]): void {
  if (title !== '' && lines.length > 0) ctx.out.note(title);
  for (const line of lines.slice(0, SHOWN_LINES)) ctx.out.note(title === '' ? line : { text: ' ', command: line });
  const hidden = lines.length - SHOWN_LINES;
  if (hidden > 0) ctx.out.note(`${counted(hidden, 'more line')}: see the JSON result (-o json).`);
}

const numberIn = (result: object, key: string): number => Number((result as Record<string, unknown>)[key] ?? 0);

/**
 * Reads the last report of each part; an error never replaces a complete report. Ignores other lines of a log, and
 * warns about a result that it cannot use. Throws usage (2) if there are no files, and invalid input (9) if there are
 * no results or they are from different runs.
 */
export async function readReports<Result extends Part>(
  ctx: Context,
  files: string[],
  filesFrom: string | undefined,
  { keyOf, part, runOf }: Joining<Result>,
): Promise<Report<Result>[]> {
  const schema = part();
  const inputs = await openBulkInputs(ctx, files, { filesFrom, format: 'json' });
  const { decoded, linesOf } = await import('../lib/files/read-input.ts');
  const reports = new Map<string, Report<Result>>();
  const issues: Issue[] = [];
  const issueAt = (file: string, line: number, message: string): Issue => {
    return { file, line, column: 1, path: '', message };
  };
  let first: Report<Result> | undefined;
  for (const { chunks, name: file } of inputs) {
    let damaged: number | undefined;
    let isUsed = false;
    for await (const { line, value } of documentsIn(linesOf(decoded(chunks(), file)))) {
      if (value === undefined) {
        damaged ??= line;
        continue;
      }
      const error = isRecord(value['error']) ? value['error'] : undefined;
      const { data: result, issues: found } = parseWith(schema, error === undefined ? value : error['progress']);
      isUsed ||= error !== undefined || result !== undefined;
      if (result === undefined) {
        const field = String(found[0]?.path[0]);
        if (error !== undefined) ctx.out.warn(`${file}: ${String(error['message'])}`);
        else if ('rows' in value)
          ctx.out.warn(
            issueAt(file, line, `cannot be joined, because its \`${field}\` is missing or invalid. ${RESULTS_HINT}`),
          );
        continue;
      }
      const report = { file, line, result, error: error && { code: String(error['code']), message: reasonOf(error) } };
      // A part that failed before opening its inputs does not record the input name.
      if (first && result.input === '') result.input = first.result.input;
      else if (first?.result.input === '') first.result.input = result.input;
      first ??= report;
      const [run, wanted] = [runOf(result), runOf(first.result)];
      if (run !== wanted) {
        issues.push(issueAt(file, line, `belongs to ${run}, but ${first.file} belongs to ${wanted}`));
        continue;
      }
      const known = reports.get(keyOf(result));
      if (report.error === undefined || known === undefined) reports.set(keyOf(result), report);
      // If this run failed before its first row, keep the counts of the run that it should have resumed.
      else if (known.error) reports.set(keyOf(result), result.rows > 0 ? report : { ...known, error: report.error });
    }
    if (damaged !== undefined && !isUsed)
      ctx.out.warn(issueAt(file, damaged, `is not a complete JSON result. ${RESULTS_HINT}`));
  }
  if (first === undefined)
    throw invalidInput('No result was found.', [issueAt(inputs[0].name, 1, 'has no result')], RESULTS_HINT);
  if (issues.length > 0)
    throw invalidInput('These results come from different bulk runs.', issues, 'Pass the results of a single run.');
  return [...reports.values()];
}

const RESULTS_HINT = 'Run the command of this part again with --resume and -o json, and keep its output and errors.';

/** Returns an error's message, its first issue and, if the same command would fail again, its hint. */
function reasonOf({ code, hint, issues, message }: Record<string, unknown>): string {
  const [issue] = Array.isArray(issues) ? (issues as Issue[]) : [];
  const first = issue && `First issue: ${[placeOf(issue), issue.path, issue.message].filter(Boolean).join(': ')}.`;
  const isStuck = NEEDS_CORRECTION.includes(exitOf(new KnownError({ code: String(code), message: '' })));
  return [message, first, isStuck && hint].filter(Boolean).join(' ');
}

/** Yields the JSON objects in a log; `value` is undefined for damaged JSON and for a result printed as text. */
async function* documentsIn(lines: AsyncIterable<string[]>) {
  let number = 0;
  let open: string[] = [];
  for await (const group of lines) {
    for (const text of group.map((one) => one.trimEnd())) {
      number++;
      if (/^rows\s+\d/.test(text) || (text.startsWith('{') && open.length > 0))
        yield { line: number, value: undefined };
      if (text.startsWith('{')) open = [];
      else if (open.length === 0) continue;
      open.push(text);
      if (text !== '}' && (open.length > 1 || !text.endsWith('}'))) continue;
      yield { line: number - open.length + 1, value: readRecord<Record<string, unknown>>(open.join('\n')) };
      open = [];
    }
  }
  if (open.length > 0) yield { line: number - open.length + 1, value: undefined };
}
