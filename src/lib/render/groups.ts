// Views of group definitions and their plans.
import type { GroupReply } from '../contract/groups.ts';
import type { GroupPlan } from '../domain/groups/plan.ts';
import { cleanLine as clean } from './clean.ts';
import { fieldLines } from './field-changes.ts';
import { toDiffBlock } from './markdown.ts';
import { plainStyle, type Style } from './style.ts';
import { fields, ranked, type Column, type DocumentView, type ListView, type RecordView } from './view.ts';

const ID: Column<GroupReply> = { key: 'id', id: true, value: (group) => group.id };

export const groupListView: ListView<GroupReply> = {
  kind: 'list',
  columns: [
    ID,
    ...fields('source_user_attribute'),
    { key: 'attributes', rank: 1, align: 'right', value: (group) => group.attributes?.length ?? 0 },
    ...ranked({ description: 3, last_modified_on: 2 }),
  ],
  empty: 'This workspace has no group definition. To create one: cdpadm groups create --help',
};

export const groupView: RecordView<GroupReply> = {
  kind: 'record',
  columns: [
    ID,
    ...fields('description', 'source_user_attribute'),
    {
      key: 'attributes',
      value: (group) => (group.attributes ?? []).map(({ id, type }) => `${id}=${type ?? ''}`).join(', '),
    },
    ...fields('created_on', 'created_by', 'last_modified_on', 'last_modified_by'),
  ],
};

export const GROUP_VERBS = {
  POST: { sign: '+', plan: 'create', question: 'Create', done: 'Created' },
  PUT: { sign: '~', plan: 'replace', question: 'Replace', done: 'Replaced' },
  PATCH: {
    sign: '~',
    plan: 'change the attributes of',
    question: 'Change the attributes of',
    done: 'Changed the attributes of',
  },
} as const;

/** Returns the plan as text, without a final newline. */
export function renderGroupPlan({ id, method, changes }: GroupPlan, style: Style): string {
  if (method === null) return `No differences: group ${clean(id)} is up to date.`;
  const { attributes, ...fields } = changes;
  const { sign, plan } = GROUP_VERBS[method];
  const head = `${sign} ${plan} group ${clean(id)}`;
  return [
    method === 'POST' ? style.green(head) : style.yellow(head),
    ...fieldLines(fields, style),
    ...(attributes?.added ?? []).map((it) => style.green(`    + ${clean(`${it.id}=${it.type}`)}`)),
    ...(attributes?.removed ?? []).map((it) => style.red(`    - ${clean(`${it.id}=${it.type}`)}`)),
    ...(attributes?.changed ?? []).map((it) =>
      style.yellow(`    ~ ${clean(`${it.id}: ${String(it.type.from)} -> ${it.type.to}`)}`),
    ),
  ].join('\n');
}

export const groupPlanView: DocumentView<GroupPlan> = {
  kind: 'document',
  text: (plan, style) => renderGroupPlan(plan, style),
  markdown: (plan) => toDiffBlock(`Group ${plan.id}`, renderGroupPlan(plan, plainStyle)),
  list: ({ id, method, changes }) => ({
    columns: GROUP_PLAN_COLUMNS,
    rows: method === null ? [] : [{ method, id, changed: Object.keys(changes).join(' ') }],
  }),
};

export const GROUP_PLAN_COLUMNS: Column<Record<'method' | 'id' | 'changed', string>>[] = [
  ...fields('method'),
  { key: 'id', id: true, value: (row) => row.id },
  ...fields('changed'),
];
