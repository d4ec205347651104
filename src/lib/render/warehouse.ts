// Views of connections, data models and pipelines.
import type { FieldChanges } from '../domain/field-changes.ts';
import { GROUPS, NOUNS, valueAt, type ResourceType } from '../domain/warehouse/definition.ts';
import { isRecord } from '../kernel/json.ts';
import { cleanLine as clean } from './clean.ts';
import { fieldLines } from './field-changes.ts';
import { type Style, plainStyle } from './style.ts';
import { fields, type CellValue, type Column, type ListView, type RecordView, type DocumentView } from './view.ts';
import type { Step, WarehousePlan } from '../domain/warehouse/plan.ts';
import { toDiffBlock } from './markdown.ts';
import { wrapMessage } from './width.ts';
import { plainCell } from './delimited.ts';

export type ShownResource = Record<string, unknown> & { id: string };

const BAD = /^(?:faulted|invalid|failed)$/;
const GOOD = /^(?:healthy|valid|success)$/;

/** Colors a status word. The word itself carries the meaning. */
export function paintStatus(text: string, style: Style): string {
  const word = text.trim();
  if (BAD.test(word)) return style.red(text);
  if (GOOD.test(word)) return style.green(text);
  return word === 'running' || word === 'queued' || word === 'retrying' ? style.cyan(text) : text;
}

/** Returns the columns of fields, given as dotted paths. */
function columns(...paths: string[]): Column<ShownResource>[] {
  return paths.map((path) => {
    if (path === 'errors') return { key: path, rank: 1, value: (row) => errorsText(row[path]) };
    const keys = path.split('.');
    return {
      key: keys.at(-1) ?? path,
      value: (row) => plainCell(valueAt(row, keys)),
      said: (row) => said(valueAt(row, keys)),
      ...(path === 'id' && { id: true }),
      ...(path === 'status' && { paint: (text, _row, style) => paintStatus(text, style) }),
    };
  });
}

const LIST_TITLES: Readonly<Record<string, string>> = { service_provider: 'provider', pipeline_type: 'type' };

/** Returns the columns of a list: `sync_mode.type:3` is the column `sync_mode` with rank 3. */
function listColumns(text: string): Column<ShownResource>[] {
  return text.split(' ').flatMap((item) => {
    const [path = '', rank] = item.split(':');
    const [key = ''] = path.split('.');
    const over = { key, ...(key in LIST_TITLES && { title: LIST_TITLES[key] }), ...(rank && { rank: Number(rank) }) };
    return columns(path).map((column) => ({ ...column, ...over }) as Column<ShownResource>);
  });
}

const LIST_COLUMNS: Readonly<Record<ResourceType, Column<ShownResource>[]>> = {
  connection: listColumns('id name:3 service_provider state:2 status errors'),
  data_model: listColumns('id name:2 state:2 status errors'),
  pipeline: listColumns('id name:5 pipeline_type:4 state status sync_mode.type:3 schedule.type:2 errors'),
};

export function resourceListView(type: ResourceType): ListView<ShownResource> {
  const empty = `This workspace has no ${NOUNS[type]}s. To create one: cdpadm ${GROUPS[type]} create --help`;
  return { kind: 'list', columns: LIST_COLUMNS[type], empty };
}

const AUDIT = ['created_on', 'created_by', 'last_modified_on', 'last_modified_by'];

const RECORD_COLUMNS: Readonly<Record<ResourceType, Column<ShownResource>[]>> = {
  connection: columns('id', 'name', 'service_provider', 'state', 'status', 'errors', 'config', ...AUDIT),
  data_model: columns('id', 'name', 'state', 'status', 'errors', 'type', 'config.sql_query', ...AUDIT),
  pipeline: [
    ...columns('id', 'name', 'pipeline_type', 'connection_id', 'data_model_id', 'field_transformation_id'),
    ...columns('partner_feed_id', 'partner_feed_key', 'state', 'status', 'errors', 'sync_mode', 'schedule'),
    ...columns('environment', 'data_plan_id', 'data_plan_version', ...AUDIT),
  ],
};

export function resourceView(type: ResourceType): RecordView<ShownResource> {
  return { kind: 'record', columns: RECORD_COLUMNS[type] };
}

/** Returns the changes that a write makes, for the confirmation prompt. Secrets appear as references. */
export function renderChange(
  head: string,
  changes: FieldChanges,
  secrets: readonly { path: readonly string[]; reference: string }[],
  style: Style,
): string {
  const sent = secrets.map(({ path, reference }) => {
    return `    ${style.dim(`* ${clean(path.join('.'))} ← ${clean(reference)}`)}`;
  });
  return [style.bold(clean(head)), ...fieldLines(changes, style), ...sent].join('\n');
}

export function errorsText(errors: unknown): string {
  if (!Array.isArray(errors)) return '';
  return (errors as ({ message?: string | null } | null)[]).map((error) => error?.message ?? '').join('; ');
}

/** Formats a nested record for people: first its type, then its other fields. */
function said(value: unknown): CellValue {
  if (!isRecord(value)) return plainCell(value);
  const { type, ...more } = value;
  const fields = Object.entries(more).filter(([, inner]) => (inner ?? '') !== '');
  const told = fields.map(([name, inner]) => `${name}: ${String(plainCell(inner))}`);
  return [...((type ?? '') === '' ? [] : [String(plainCell(type))]), ...told].join(', ');
}

/** Returns the plan as text, without a final newline. `verbose` shows every field of a created resource. */
export function renderWarehousePlan(
  { plan, steps, summary, unmanaged }: WarehousePlan,
  verbose: boolean,
  style: Style,
  width = Infinity,
): string {
  const drawn = steps.flatMap((step) => stepLines(step, style, verbose));
  const counts = `${summary.create} to create, ${summary.update} to update, ${summary.delete} to delete, ${summary.unchanged} unchanged, ${summary.unmanaged} unmanaged.`;
  const left = unmanaged.length === 0 ? [] : [`Unmanaged, not changed: ${clean(unmanaged.join(', '))}`];
  return [
    ...(steps.length === 0 ? ['No differences.'] : [...drawn, '']),
    ...[...left, counts].map((text) => wrapMessage(text, width)),
    `plan ${plan}`,
  ].join('\n');
}

export function warehousePlanView({ verbose }: { verbose: boolean }): DocumentView<WarehousePlan> {
  return {
    kind: 'document',
    text: (plan, style, width) => renderWarehousePlan(plan, verbose, style, width),
    markdown: (plan) => toDiffBlock('Warehouse sync', renderWarehousePlan(plan, verbose, plainStyle)),
    list: ({ steps }) => ({ columns: WAREHOUSE_STEP_COLUMNS, rows: steps }),
  };
}

export const WAREHOUSE_STEP_COLUMNS: Column<Step>[] = [
  ...fields('action', 'type'),
  { key: 'id', id: true, value: (step) => step.id },
  { key: 'changed', value: (step) => Object.keys(step.changes).join(' ') },
  { key: 'resets', value: (step) => step.resets },
];

function stepLines(step: Step, style: Style, verbose: boolean): string[] {
  const { action, type, id, changes, secrets, references, resets } = step;
  const what = clean(`${action} ${type.replace('_', ' ')} ${id}`);
  const sent = secrets.map((path) => `${clean(path)} ← ${clean(references[path] ?? 'entered at the prompt')}`);
  const lines = [...fieldLines(changes, style), ...sent.map((text) => `    ${style.dim(`* ${text}`)}`)];
  switch (action) {
    case 'create': {
      if (verbose) return [style.green(`+ ${what}`), ...lines];
      const facts = [...keyFacts(changes), ...(sent.length > 0 ? [style.dim(`(${sent.join(', ')})`)] : [])];
      return [[style.green(`+ ${what}`), ...facts].join('  ')];
    }
    case 'update': {
      const warning = resets ? `  ${style.bold(style.yellow('! resets the sync position'))}` : '';
      return [`${style.yellow(`~ ${what}`)}${warning}`, ...lines];
    }
    case 'delete':
      return [style.red(`- ${what}`)];
  }
}

/** Returns what a reviewer must know about a created resource: `production, active, crm → active-customers`. */
function keyFacts(changes: Step['changes']): string[] {
  const known = (...paths: string[]): string[] =>
    paths.map((path) => changes[path]?.to).filter((value) => typeof value === 'string');
  const route = known('connection_id', 'data_model_id').join(' → ');
  const facts = [...known('environment', 'service_provider', 'state'), ...(route ? [route] : [])];
  return facts.length === 0 ? [] : [clean(facts.join(', '))];
}
