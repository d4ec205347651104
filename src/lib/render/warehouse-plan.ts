// Draws a plan for connections, data models and pipelines.
import type { Step, WarehousePlan } from '../domain/warehouse/plan.ts';
import { cleanLine as clean } from './clean.ts';
import { fieldLines } from './field-changes.ts';
import { toDiffBlock } from './markdown.ts';
import { plainStyle, type Style } from './style.ts';
import type { Column, DocumentView } from './view.ts';
import { wrapMessage } from './width.ts';

/** The plan as text, without a final line feed. */
export function renderWarehousePlan({ plan, steps, summary }: WarehousePlan, style: Style, width = Infinity): string {
  const drawn = steps.flatMap((step) => [...stepLines(step, style), '']);
  const counts = `${summary.create} to create, ${summary.update} to update, ${summary.delete} to delete, ${summary.unchanged} unchanged`;
  const none = steps.length === 0 ? ['No differences.'] : [];
  return [...drawn, ...none, wrapMessage(`${counts}.`, width), `plan ${plan}`].join('\n');
}

export const warehousePlanView: DocumentView<WarehousePlan> = {
  kind: 'document',
  text: renderWarehousePlan,
  markdown: (plan) => toDiffBlock('Warehouse sync', renderWarehousePlan(plan, plainStyle)),
  list: ({ steps }) => ({ columns: WAREHOUSE_STEP_COLUMNS, rows: steps }),
};

export const WAREHOUSE_STEP_COLUMNS: Column<Step>[] = [
  { key: 'action', value: (step) => step.action },
  { key: 'type', value: (step) => step.type },
  { key: 'id', id: true, value: (step) => step.id },
  { key: 'changed', value: (step) => Object.keys(step.changes).join(' ') },
  { key: 'resets', value: (step) => step.resets },
];

function stepLines({ action, type, id, changes, secrets, references, resets }: Step, style: Style): string[] {
  const what = clean(`${type.replace('_', ' ')} ${id}`);
  const sent = secrets.map(
    (path) => `    ${style.dim(`* ${clean(path)} ← ${clean(references[path] ?? 'entered at the prompt')}`)}`,
  );
  switch (action) {
    case 'create':
      return [style.green(`+ create ${what}`), ...fieldLines(changes, style), ...sent];
    case 'update': {
      const warning = resets ? `  ${style.bold(style.yellow('! resets the sync position'))}` : '';
      return [`${style.yellow(`~ update ${what}`)}${warning}`, ...fieldLines(changes, style), ...sent];
    }
    case 'delete':
      return [style.red(`- delete ${what}`)];
  }
}
