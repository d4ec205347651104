// Diagnoses a pipeline and lists the findings, root cause first.
import * as z from 'zod/mini';
import { uncheckedSql } from '../../contract/failures.ts';
import type { RunReply } from '../../contract/pipeline-runs.ts';
import type { PipelineReply, PipelineReportReply } from '../../contract/pipelines.ts';
import type { Hint } from '../../kernel/errors.ts';
import { formatDuration, parseIso } from '../../kernel/timestamps.ts';
import { valueAt } from './definition.ts';
import { ageOf, isEnded, recordsOf, runId } from './runs.ts';

import { USER_IDENTITY_TYPES } from '../../contract/identities.ts';
import type { createWireNames } from '../../contract/names.ts';

export function diagnosisResult() {
  const finding = z.object({
    /** Resource that the finding is about, such as `connection crm`. */
    about: z.string(),
    /** A `problem` stops the sync; a `notice` should be reviewed. */
    level: z.enum(['problem', 'notice']),
    problem: z.string(),
    next: z.string(),
  });
  return z.object({
    pipeline_id: z.string(),
    healthy: z.boolean(),
    state: z.nullable(z.string()),
    status: z.nullable(z.string()),
    last_success: z.nullable(z.string()),
    /** Root cause first; later findings may be its consequences. */
    findings: z.array(finding),
  });
}

export type Diagnosis = z.infer<ReturnType<typeof diagnosisResult>>;

/** A finding before its hints are joined into one string. */
type Finding = Omit<Diagnosis['findings'][number], 'next'> & { next: readonly Hint[] };

interface Part {
  id: string;
  config?: unknown;
  state?: unknown;
  status?: unknown;
  errors?: readonly { message?: string | null | undefined }[] | null | undefined;
}

export interface Evidence {
  pipeline: PipelineReply;
  report: PipelineReportReply;
  connection: Part | undefined;
  model: Part | undefined;
  success: RunReply | undefined;
  names: Parameters<typeof identityColumns>[1];
  now: number;
}

export function diagnose(evidence: Evidence) {
  const { pipeline, report, success } = evidence;
  const findings = [
    ...connectionFindings(evidence),
    ...modelFindings(evidence),
    ...identityFindings(evidence),
    ...pipelineFindings(evidence),
    ...runFindings(evidence),
    ...scheduleFindings(evidence),
  ];
  return {
    pipeline_id: pipeline.id,
    healthy: findings.every(({ level }) => level === 'notice'),
    state: pipeline.state ?? null,
    status: report.status ?? pipeline.status ?? null,
    last_success: success?.ended_on ?? null,
    findings: findings.sort((a, b) => Number(a.level === 'notice') - Number(b.level === 'notice')),
  };
}

function finding(about: string, level: Finding['level'], problem: string, ...next: Hint[]): Finding {
  return { about, level, problem, next };
}

function connectionFindings({ pipeline, report, connection }: Evidence): Finding[] {
  const id = pipeline.connection_id ?? '';
  const about = `connection ${id}`;
  if (!connection) return [missing('connection', 'connections', id)];
  if (![report.connection_status, connection.status].includes('faulted')) return inactive(about, connection);
  const said = messages(report.connection_errors, connection.errors);
  // The platform's message lists all possible causes in parentheses.
  const details = said.replace(/\([^()]*\)/g, '');
  const isSecret = /credential|password|auth|key|denied/i.test(details);
  const isPlace = /account|region|warehouse|database|host|schema|reach|connect/i.test(details);
  const check = isSecret ? 'its user and secret' : isPlace ? 'its address, then its secret' : 'its settings';
  const next = editing('connections', id, `Check ${check}, then update the connection to clear the fault.`);
  return [finding(about, 'problem', `The connection to the warehouse is faulted${because(said)}.`, ...next)];
}

function modelFindings({ pipeline, report, model }: Evidence): Finding[] {
  const id = pipeline.data_model_id ?? '';
  const about = `data model ${id}`;
  if (!model) return [missing('data model', 'data-models', id)];
  const said = messages(report.data_model_errors, model.errors);
  const next = editing('data-models', id, 'Fix the SQL, then update the data model.');
  const isInvalid = [report.data_model_status, model.status].includes('invalid');
  const unchecked = uncheckedSql.complaintIn(said);
  if (unchecked !== undefined) {
    const problem = `Runs fail here, because the embedded platform runs SQLite: ${unchecked}. The query was not checked: your warehouse may accept it.`;
    const text = 'Keep the query if your warehouse accepts it. For a run here, use SQL that SQLite also accepts.';
    const level = isInvalid ? 'problem' : 'notice';
    return [finding(about, level, problem, ...editing('data-models', id, text)), ...inactive(about, model)];
  }
  if (isInvalid) return [finding(about, 'problem', `The query is invalid${because(said)}.`, ...next)];
  return [...(said ? [finding(about, 'notice', `${said}.`, ...next)] : []), ...inactive(about, model)];
}

function pipelineFindings({ pipeline, report, connection, model }: Evidence): Finding[] {
  const { id, state } = pipeline;
  const about = `pipeline ${id}`;
  const trigger = `cdpadm pipelines trigger ${id} --wait`;
  const resume = `cdpadm pipelines resume ${id}`;
  const findings: Finding[] = [];
  if ((report.status ?? pipeline.status) === 'faulted') {
    const said = messages(report.errors, pipeline.errors);
    const isKnown = messages(connection?.errors, model?.errors).includes(said);
    const text = /data plan/i.test(said)
      ? `Activate data plan ${pipeline.data_plan_id ?? ''} in the product, then run:`
      : 'After you fix the cause:';
    findings.push(
      finding(about, 'problem', `It is faulted${because(isKnown ? '' : said)}.`, { text, command: trigger }),
    );
  }
  if (state === 'paused') {
    findings.push(finding(about, 'problem', 'It is paused.', { text: 'Resume it:', command: resume }));
  }
  if (state === 'new') {
    const once = { text: 'To run it once:', command: trigger };
    const always = { text: 'To follow its schedule:', command: resume };
    findings.push(finding(about, 'notice', 'Its state is new: it runs only when it is triggered.', once, always));
  }
  return findings;
}

function runFindings({ pipeline, report }: Evidence): Finding[] {
  const run = report.latest_pipeline_run;
  if (!run) return [];
  const about = `run ${runId(run)}`;
  const read = { text: 'To see the run:', command: `cdpadm pipelines run ${pipeline.id} ${runId(run)}` };
  const said = because(messages(run.errors));
  if (run.status === 'failed' || run.status === 'stopped') {
    const outcome = run.status === 'failed' ? 'failed' : 'was stopped';
    const again = { text: 'After you fix the cause:', command: `cdpadm pipelines trigger ${pipeline.id} --wait` };
    return [finding(about, 'problem', `The latest run ${outcome}${said}.`, read, again)];
  }
  const { failed } = recordsOf(run);
  if (failed === 0) return emptyRun(pipeline, run);
  return [finding(about, 'notice', `${failed} of its records failed${said}.`, read)];
}

/** A row without an identity belongs to no user (decision: D287). */
function identityFindings({ pipeline, model, names, report }: Evidence): Finding[] {
  const run = report.latest_pipeline_run;
  const sql = valueAt(model?.config, ['sql_query']);
  if ((run?.successful_records ?? null) === null || !run || recordsOf(run).successful > 0 || typeof sql !== 'string')
    return [];
  const { isMissing, advice } = identityColumns(sql, names);
  // The field transformation of an events pipeline may provide the identities.
  const isCause = isMissing && pipeline.pipeline_type !== 'events';
  if (!isCause && !/no identity/i.test(messages(run.errors))) return [];
  const problem = `Its query returns no identity${isMissing ? '' : ' for any row'}, so no row belongs to a user.`;
  const id = pipeline.data_model_id ?? '';
  return [finding(`data model ${id}`, 'problem', problem, ...editing('data-models', id, `${advice}.`))];
}

function emptyRun(pipeline: PipelineReply, run: RunReply): Finding[] {
  if ((run.successful_records ?? null) === null || recordsOf(run).successful > 0 || !isEnded(run)) return [];
  const { range_end: end, range_start: start } = run;
  const field = pipeline.sync_mode?.iterator_field;
  const range = start && end ? ` from ${start} to ${end}` : '';
  const next =
    pipeline.sync_mode?.type === 'incremental' && field
      ? {
          text: `Check that \`${field}\` of new rows is in the range${range}. To read all rows again:`,
          command: `cdpadm pipelines reset ${pipeline.id}`,
        }
      : {
          text: 'Run the query in the warehouse. To see it:',
          command: `cdpadm data-models get ${pipeline.data_model_id ?? ''}`,
        };
  return [finding(`run ${runId(run)}`, 'notice', `The latest run read 0 rows${range}.`, next)];
}

const PERIOD_MS: Readonly<Record<string, number>> = {
  hourly: 3_600_000,
  daily: 86_400_000,
  weekly: 7 * 86_400_000,
  monthly: 31 * 86_400_000,
};

function scheduleFindings({ pipeline, success, now }: Evidence): Finding[] {
  const { id, schedule } = pipeline;
  const about = `pipeline ${id}`;
  const isAwaited = schedule?.type === 'interval' || (schedule?.type === 'once' && !success);
  const [start = 0, end = Infinity] = [parseIso(schedule?.start), parseIso(schedule?.end)];
  if (isAwaited && end < now) {
    const next = { text: 'Change or remove the end of its schedule.' };
    return [finding(about, 'problem', `Its schedule ended at ${schedule.end ?? ''}.`, next)];
  }
  if (isAwaited && start > now) {
    const next = { text: 'To run it before then:', command: `cdpadm pipelines trigger ${id} --wait` };
    return [finding(about, 'notice', `Its schedule starts at ${schedule.start ?? ''}.`, next)];
  }
  const age = ageOf(success, now);
  const period = PERIOD_MS[schedule?.frequency ?? ''];
  if (schedule?.type !== 'interval' || age === undefined || period === undefined || age <= 2 * period) return [];
  const problem = `It runs ${schedule.frequency ?? ''} and last succeeded ${formatDuration(age)} ago.`;
  return [finding(about, 'notice', problem, { text: 'To list its runs:', command: `cdpadm pipelines runs ${id}` })];
}

function inactive(about: string, { state }: Part): Finding[] {
  if (state !== 'inactive') return [];
  const [noun = '', id = ''] = about.split(/ (?=\S+$)/);
  const command = `cdpadm ${noun.replace(' ', '-')}s update ${id} --state active`;
  const problem = 'Its state is inactive, so pipelines cannot use it.';
  return [finding(about, 'problem', problem, { text: 'Activate it:', command })];
}

function editing(group: string, id: string, text: string): Hint[] {
  const copy = `${id.replaceAll(/[^\w-]/g, '_')}.live.yaml`;
  return [
    { text: `${text} To save a copy to edit:`, command: `cdpadm ${group} get ${id} --out ${copy}` },
    { text: 'Then:', command: `cdpadm ${group} update ${id} -f ${copy}` },
  ];
}

function missing(noun: string, group: string, id: string): Finding {
  const next = { text: 'Create it:', command: `cdpadm ${group} create ${id} --help` };
  return finding(`${noun} ${id}`, 'problem', `The ${noun} does not exist.`, next);
}

function messages(...lists: Part['errors'][]): string {
  const texts = lists.flatMap((list) => (list ?? []).flatMap(({ message }) => (message ? [message] : [])));
  return [...new Set(texts)].join('; ').replace(/\.$/, '');
}

/** Returns `: REASON`; empty without a reason. */
function because(reason: string): string {
  return reason ? `: ${reason}` : '';
}

/** Common identity types, with patterns for columns that may contain them under another name. */
const LIKELY: Readonly<Record<string, RegExp>> = {
  customer_id: /^(?:cust|customer|client|member|user|person|account)?_?(?:id|key|no|nr|number|uuid)$/,
  email: /mail/,
  mobile_number: /mobile|phone/,
};

/** Detects whether a query returns an identity, and which columns could be one. `names` translates wire names. */
export function identityColumns(sql: string, names: Pick<ReturnType<typeof createWireNames>, 'fromWire' | 'toWire'>) {
  const columns = selectedColumns(sql);
  const isIdentity = (column: string): boolean => {
    const word = names.fromWire(column.toLowerCase());
    return word === 'xpid' || USER_IDENTITY_TYPES.has(word);
  };
  const renamed = (columns ?? []).flatMap((column) => {
    const name = Object.keys(LIKELY).find((it) => LIKELY[it]?.test(column.toLowerCase()));
    return name === undefined ? [] : [`${column} AS ${names.toWire(name)}`];
  });
  return {
    isMissing: columns !== undefined && !columns.some(isIdentity),
    advice:
      renamed.length > 0
        ? `Return an identity, such as ${renamed.join(' or ')}`
        : `Return an identity column, such as ${[...Object.keys(LIKELY), 'xpid'].map(names.toWire).join(', ')}`,
  };
}

/** Returns the names in the outer select list; undefined if it has a `*` or cannot be read. */
export function selectedColumns(sql: string): string[] | undefined {
  // An unclosed construct extends to the end: searching for its end from each position would take quadratic time.
  const tokens =
    sql.match(/--[^\n]*|\/\*[^]*?(?:\*\/|$)|'[^']*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)|[(),]|[^\s(),'"`]+/g) ?? [];
  const columns: string[] = [];
  let depth = 0;
  let item: string | undefined;
  for (const token of tokens.filter((it) => !/^(?:--|\/\*)/.test(it))) {
    const isOuter = depth === 0;
    if (token === '(') depth++;
    else if (token === ')') depth--;
    if (!isOuter) item &&= '';
    else if (item === undefined) item = /^select$/i.test(token) ? '' : undefined;
    else if (token === ',' || /^from$/i.test(token)) {
      if (item !== '') columns.push(item);
      if (token !== ',') return columns;
      item = '';
    } else if (/(?:^|\.)\*$/.test(token)) return undefined;
    else item = /^["`\w]/.test(token) ? (token.split('.').at(-1) ?? '').replace(/["`]/g, '') : '';
  }
  return item === undefined ? undefined : [...columns, ...(item === '' ? [] : [item])];
}
