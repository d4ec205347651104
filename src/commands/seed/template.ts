// `seed template`: a file to begin with, one user with every calculation type.
import { Command } from 'commander';
import { usageError } from '../../lib/kernel/errors.ts';
import { templateText } from '../../lib/render/seed-template.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/help.ts';

export function templateCommand(ctx: Context): Command {
  const command = new Command('template')
    .description('print a file to begin with')
    .option('--format <format>', 'csv or ndjson', 'csv')
    .action((flags: { format: string }) => printTemplate(ctx, flags.format));
  return withHelp(command, {
    examples: ['cdpadm seed template --out users.csv', 'cdpadm seed template --format ndjson'],
    json: '{"format":"csv|ndjson","text":text}',
  });
}

interface Template {
  format: 'csv' | 'ndjson';
  text: string;
}

const view: DocumentView<Template> = { kind: 'document', text: ({ text }) => text };

async function printTemplate(ctx: Context, format: string): Promise<void> {
  if (format !== 'csv' && format !== 'ndjson') throw usageError(`--format must be csv or ndjson, not \`${format}\`.`);
  const settings = await ctx.settings();
  const workspace = settings.get('workspace_id')?.value ?? '5001';
  const environment = settings.get('environment')?.value ?? 'development';
  await ctx.out.emit({ format, text: templateText(format, { workspace, environment }) }, view);
}
