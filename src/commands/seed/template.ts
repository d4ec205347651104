// `seed template`: a file to begin with, one user with every calculation type.
import { Command } from 'commander';
import { templateText } from '../../lib/render/seed-template.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { choiceOption } from '../flag-values.ts';

export function templateCommand(ctx: Context): Command {
  const command = new Command('template')
    .description('print a file to begin with')
    .addOption(choiceOption('--format <format>', 'of which kind', ['csv', 'ndjson']).default('csv'))
    .action((flags: { format: Template['format'] }) => printTemplate(ctx, flags.format));
  return withHelp(command, {
    calls: 'settings',
    examples: ['cdpadm seed template --out users.csv', 'cdpadm seed template --format ndjson'],
    json: '{"format":"csv|ndjson","text":text}',
  });
}

interface Template {
  format: 'csv' | 'ndjson';
  text: string;
}

const view: DocumentView<Template> = { kind: 'document', verbatim: () => true, text: ({ text }) => text };

async function printTemplate(ctx: Context, format: Template['format']): Promise<void> {
  const settings = await ctx.settings();
  const workspace = settings.get('workspace_id')?.value ?? '5001';
  const environment = settings.get('environment')?.value ?? 'development';
  await ctx.out.emit({ format, text: templateText(format, { workspace, environment }) }, view);
}
