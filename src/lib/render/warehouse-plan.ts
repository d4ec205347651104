// Draws a plan over connections, data models and pipelines.
import type { Step, WarehousePlan } from '../domain/warehouse/plan.ts';
import { cleanLine as clean } from './clean.ts';
import { fieldLines } from './field-changes.ts';
import { plainStyle, type Style } from './style.ts';
import type { DocumentView } from './view.ts';

/** The plan as text, without a final line feed. */
export function renderWarehousePlan({ plan, steps, summary }: WarehousePlan, style: Style): string {
  const drawn = steps.flatMap((step) => [...stepLines(step, style), '']);
  const counts = `${summary.create} to create, ${summary.update} to update, ${summary.delete} to delete, ${summary.unchanged} unchanged`;
  return [...drawn, ...(steps.length === 0 ? ['No differences.'] : []), `${counts}.`, `plan ${plan}`].join('\n');
}

export const warehousePlanView: DocumentView<WarehousePlan> = {
  kind: 'document',
  text: renderWarehousePlan,
  markdown: (plan) => {
    const body = renderWarehousePlan(plan, plainStyle);
    const fence = '`'.repeat(Math.max(3, ...[...body.matchAll(/`+/g)].map((run) => run[0].length + 1)));
    return `### Warehouse sync\n\n${fence}diff\n${body}\n${fence}\n`;
  },
};

function stepLines({ action, type, id, changes, secrets, resets }: Step, style: Style): string[] {
  const what = clean(`${type.replace('_', ' ')} ${id}`);
  const sent = secrets.map((path) => `    ${style.dim(`* ${clean(path)}: sent`)}`);
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
