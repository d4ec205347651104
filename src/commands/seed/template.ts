// `seed template`: prints an example file that uses every calculation type.
import * as z from 'zod/mini';
import { templateText } from '../../lib/render/seed-template.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';

const FORMATS = ['csv', 'ndjson'] as const;

export const printTemplate = defineCommand({
  path: 'seed template',
  summary: 'print an example file',
  effect: 'local',
  tool: ['format'],
  calls: 'settings',
  flags: { format: { value: 'format', choices: FORMATS, default: 'csv', help: 'format of the file' } },
  output: () => z.object({ format: z.enum(FORMATS), text: z.string() }),
  examples: ['cdpadm seed template --out users.csv', 'cdpadm seed template --format ndjson'],
  run: async (ctx, { flags: { format } }) => {
    const settings = await ctx.settings();
    const workspace = settings.get('workspace_id')?.value ?? '5001';
    const environment = settings.get('environment')?.value ?? 'development';
    await ctx.out.emit({ format, text: templateText(format, { workspace, environment }) }, view);
  },
});

const view: DocumentView<{ format: string; text: string }> = {
  kind: 'document',
  verbatim: () => true,
  text: ({ text }) => text,
};
