// `roles validate`: checks a roles file against the specification and, online, against the platform's own tasks.
import { array, type infer as Infer, literal, number, object, optional, string } from 'zod/mini';
import { placeIssues } from '../../lib/files/load.ts';
import { counted } from '../../lib/kernel/words.ts';
import { MOST_ISSUES } from '../../lib/kernel/errors.ts';
import { toIssueItem, toMarkdownLine } from '../../lib/render/markdown.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';
import { DEFAULT_FILE, openRolesFile, readLiveRoles, tellAdvice } from './session.ts';

function validationResult() {
  return object({
    valid: literal(true),
    file: string(),
    roles: number(),
    warnings: array(object({ path: string(), line: number(), column: number(), message: string() })),
    /** Warnings beyond those listed. */
    warnings_omitted: optional(number()),
  });
}

type Validation = Infer<ReturnType<typeof validationResult>>;

function sentence({ file, roles, warnings, warnings_omitted: omitted = 0 }: Validation): string {
  const count = warnings.length + omitted;
  const advice = count > 0 ? `, ${counted(count, 'warning')}` : '';
  return `${file} is valid: ${counted(roles, 'role')}${advice}.`;
}

export const validateRoles = defineCommand({
  path: 'roles validate',
  summary: 'check a roles file without changing anything',
  effect: 'read',
  tool: ['online'],
  calls: 'platform',
  args: { file: { default: DEFAULT_FILE, help: 'the roles file; - is standard input' } },
  flags: { online: { help: "check the tasks against the platform's own list" } },
  columns: asColumns('valid file roles warnings'),
  output: validationResult,
  examples: ['cdpadm roles validate', 'cdpadm roles validate roles.yaml --online'],
  exits: { invalidInput: 'the file is invalid; every issue is listed with its place' },
  run: async (ctx, { args, flags }): Promise<Validation> => {
    // Offline, only a manifest that this machine pulled before can explain an unknown field.
    const settings = await ctx.settings();
    const memory = settings.get('base_url') && settings.get('org_id') ? await openRolesMemory(ctx) : undefined;
    const { document, check } = await openRolesFile(ctx, args.file, memory);
    const checked = check(flags.online ? await readLiveRoles(ctx, await ctx.api()) : {});
    const warnings = placeIssues(document, checked.warnings).map(({ path, line, column, message }) => {
      return { path, line, column, message };
    });
    const omitted = checked.warnings.length - warnings.length;
    tellAdvice(ctx, document, checked.warnings, MOST_ISSUES);
    return {
      valid: true,
      file: document.name,
      roles: checked.manifest.roles.length,
      warnings,
      ...(omitted > 0 && { warnings_omitted: omitted }),
    };
  },
  view: {
    kind: 'document',
    text: sentence,
    // A terminal shows the warnings on standard error; a Markdown page has to list them itself.
    markdown: (data) => {
      const items = data.warnings.map((warning) => `${toIssueItem({ ...warning, file: data.file })}\n`);
      return `${toMarkdownLine(sentence(data))}\n${items.length > 0 ? `\n${items.join('')}` : ''}`;
    },
  },
});
