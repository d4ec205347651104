// `roles templates`: the seven standard roles of the specification.
import { array, object, string, union } from 'zod/mini';
import { ROLE_TEMPLATES } from '../../lib/contract/role-catalog.ts';
import type { KnownError } from '../../lib/kernel/errors.ts';
import { nearest } from '../../lib/kernel/nearest.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { fail } from '../../lib/errors/fail.ts';

/** A template in the form of a role. */
function templateResult() {
  return object({
    role_id: string(),
    name: string(),
    description: string(),
    tasks: array(object({ task_id: string() })),
  });
}

export const listTemplates = defineCommand({
  path: 'roles templates',
  summary: 'list the standard role templates, or show one',
  effect: 'local',
  calls: 'nobody',
  args: { id: { optional: true, help: 'only this template' } },
  output: () => union([array(templateResult()), templateResult()]),
  examples: ['cdpadm roles templates', 'cdpadm roles templates compliance-role -o yaml'],
  exits: { notFound: 'template not found' },
  run: async (ctx, { args: { id } }) => {
    const templates = ROLE_TEMPLATES.map((item) => ({ ...item, tasks: item.tasks.map((task_id) => ({ task_id })) }));
    if (id === undefined) {
      return await ctx.out.emit(templates, {
        kind: 'list',
        columns: [
          { key: 'role_id', id: true, value: (item) => item.role_id },
          { key: 'name', value: (item) => item.name },
          { key: 'tasks', align: 'right', rank: 1, value: (item) => item.tasks.length },
          { key: 'description', rank: 2, value: (item) => item.description },
        ],
        empty: 'There are no templates.',
      });
    }
    const template = templates.find((item) => item.role_id === id);
    if (!template) throw noSuchTemplate(id, ROLE_TEMPLATES);
    await ctx.out.emit(template, {
      kind: 'record',
      columns: [
        { key: 'role_id', id: true, value: (item) => item.role_id },
        { key: 'name', value: (item) => item.name },
        { key: 'description', value: (item) => item.description },
        { key: 'tasks', value: (item) => item.tasks.map((task) => task.task_id).join(', ') },
      ],
    });
  },
});

function noSuchTemplate(id: string, templates: readonly { role_id: string }[]): KnownError {
  const known = templates.map(({ role_id }) => role_id);
  // People leave out the common suffix when they type an id from memory.
  const stems = known.map((one) => one.replace(/-role$/, ''));
  const stem = nearest(id, stems);
  const guess = nearest(id, known) ?? known[stems.findIndex((one) => one === stem)];
  return fail('roles.template_not_found', {
    message: `Unknown template ${id}.`,
    hint: guess === undefined ? `The templates are ${known.join(', ')}.` : `Did you mean ${guess}?`,
  });
}
