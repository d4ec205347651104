// `roles templates`: the seven standard roles of the specification.
import { array, type infer as Infer, object, string, union } from 'zod/mini';
import { ROLE_TEMPLATES } from '../../lib/contract/role-catalog.ts';
import type { KnownError } from '../../lib/kernel/errors.ts';
import { nearest } from '../../lib/kernel/nearest.ts';
import type { ListView, RecordView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { fail } from '../../lib/errors/fail.ts';

const listView: ListView<Template> = {
  kind: 'list',
  columns: [
    { key: 'role_id', id: true, value: (item) => item.role_id },
    { key: 'name', value: (item) => item.name },
    { key: 'tasks', align: 'right', rank: 1, value: (item) => item.tasks.length },
    { key: 'description', rank: 2, value: (item) => item.description },
  ],
  empty: 'There are no templates.',
};

const recordView: RecordView<Template> = {
  kind: 'record',
  columns: [
    { key: 'role_id', id: true, value: (item) => item.role_id },
    { key: 'name', value: (item) => item.name },
    { key: 'description', value: (item) => item.description },
    { key: 'tasks', value: (item) => item.tasks.map((task) => task.task_id).join(', ') },
  ],
};

/** A template in the form of a role. */
function templateResult() {
  return object({
    role_id: string(),
    name: string(),
    description: string(),
    tasks: array(object({ task_id: string() })),
  });
}

type Template = Infer<ReturnType<typeof templateResult>>;

export const listTemplates = defineCommand({
  path: 'roles templates',
  summary: 'the standard role templates',
  effect: 'local',
  calls: 'nobody',
  args: { id: { optional: true, help: 'only this one' } },
  output: () => union([array(templateResult()), templateResult()]),
  examples: ['cdpadm roles templates', 'cdpadm roles templates compliance-role -o yaml'],
  exits: { notFound: 'there is no such template' },
  run: (ctx, { args }) => showTemplates(ctx, args.id),
});

async function showTemplates(ctx: Context, id: string | undefined): Promise<void> {
  const templates = ROLE_TEMPLATES.map((item) => ({ ...item, tasks: item.tasks.map((task_id) => ({ task_id })) }));
  if (id === undefined) {
    await ctx.out.emit(templates, listView);
    return;
  }
  const template = templates.find((item) => item.role_id === id);
  if (!template)
    throw noSuchTemplate(
      id,
      templates.map((item) => item.role_id),
    );
  await ctx.out.emit(template, recordView);
}

function noSuchTemplate(id: string, known: readonly string[]): KnownError {
  // They all end alike, and who types one from memory leaves that out.
  const stems = known.map((one) => one.replace(/-role$/, ''));
  const stem = nearest(id, stems);
  const guess = nearest(id, known) ?? known[stems.findIndex((one) => one === stem)];
  return fail('roles.template_not_found', {
    message: `There is no template ${id}.`,
    hint: guess === undefined ? `The templates are ${known.join(', ')}.` : `Did you mean ${guess}?`,
  });
}
