// `roles templates`: the seven standard roles of the specification.
import { Command } from 'commander';
import { ROLE_TEMPLATES, type RoleTemplate } from '../../lib/contract/role-catalog.ts';
import { CliError, EXIT } from '../../lib/kernel/errors.ts';
import { nearest } from '../../lib/kernel/nearest.ts';
import type { ListView, RecordView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';

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
type Template = Omit<RoleTemplate, 'tasks'> & { tasks: { task_id: string }[] };

export function templatesCommand(ctx: Context): Command {
  const command = new Command('templates')
    .description('the standard role templates')
    .argument('[id]', 'only this one')
    .action((id: string | undefined) => showTemplates(ctx, id));
  return withHelp(command, {
    calls: 'nobody',
    examples: ['cdpadm roles templates', 'cdpadm roles templates compliance-role -o yaml'],
    json: '[{"role_id","name","description","tasks":[{"task_id"}]}], or one of them',
    exits: { 5: 'there is no such template' },
  });
}

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

function noSuchTemplate(id: string, known: readonly string[]): CliError {
  // They all end alike, and who types one from memory leaves that out.
  const stems = known.map((one) => one.replace(/-role$/, ''));
  const stem = nearest(id, stems);
  const guess = nearest(id, known) ?? known[stems.findIndex((one) => one === stem)];
  return new CliError({
    code: 'roles.template_not_found',
    message: `There is no template ${id}.`,
    hint: guess === undefined ? `The templates are ${known.join(', ')}.` : `Did you mean ${guess}?`,
    exit: EXIT.notFound,
  });
}
