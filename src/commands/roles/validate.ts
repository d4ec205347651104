// `roles validate`: checks a roles file against the specification or the platform. `roles test`: checks assertions.
import * as z from 'zod/mini';
import { placeIssues, invalidDocument, loadDocument, type LoadedDocument } from '../../lib/files/load.ts';
import { counted } from '../../lib/kernel/words.ts';
import { toIssueItem, toMarkdownLine } from '../../lib/render/markdown.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';
import { readLiveRoles } from '../../lib/workflows/roles-plan.ts';
import { fileArg, openRolesFile, loadCompared } from './session.ts';
import { explain } from '../../lib/contract/explain.ts';
import { type RolesAssertion, rolesAssertion } from '../../lib/contract/roles-test.ts';
import { assertionResult, checkAssertion, unknownIds, CATALOG_TASKS } from '../../lib/domain/roles/permissions.ts';
import { isRecord } from '../../lib/kernel/json.ts';
import type { Context } from '../../lib/runtime/context.ts';

function validationResult() {
  return z.object({
    valid: z.literal(true),
    file: z.string(),
    roles: z.number(),
    warnings: z.array(z.object({ path: z.string(), line: z.number(), column: z.number(), message: z.string() })),
    warnings_omitted: z.optional(z.number()),
  });
}

type Validation = z.infer<ReturnType<typeof validationResult>>;

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
  args: fileArg,
  flags: { online: { help: "check the tasks against the platform's own list" } },
  output: validationResult,
  examples: ['cdpadm roles validate', 'cdpadm roles validate roles.yaml --online'],
  exits: { invalidInput: 'the file is invalid; the issues are listed with their positions' },
  run: async (ctx, { args, flags }): Promise<Validation> => {
    // Offline, an unknown field can be explained only by a manifest that this machine pulled before.
    const settings = await ctx.settings();
    const memory = settings.get('base_url') && settings.get('org_id') ? await openRolesMemory(ctx) : undefined;
    const { document, check } = await openRolesFile(ctx, args.file, memory);
    const checked = check(flags.online ? await readLiveRoles((await ctx.api()).roles, ctx.signal) : {});
    const placed = placeIssues(document, checked.warnings);
    for (const issue of placed) ctx.out.warn(issue);
    const omitted = checked.warnings.length - placed.length;
    if (omitted > 0) ctx.out.warn(`${omitted} more warnings.`);
    return {
      valid: true,
      file: document.name,
      roles: checked.manifest.roles.length,
      warnings: placed.map(({ file: _file, ...warning }) => warning),
      ...(omitted > 0 && { warnings_omitted: omitted }),
    };
  },
  view: {
    kind: 'document',
    text: sentence,
    // On a terminal, the warnings are on standard error; a Markdown page has to list them itself.
    markdown: (data) => {
      const items = data.warnings.map((warning) => `${toIssueItem({ ...warning, file: data.file })}\n`);
      return `${toMarkdownLine(sentence(data))}\n${items.length > 0 ? `\n${items.join('')}` : ''}`;
    },
  },
});

export const testRoles = defineCommand({
  path: 'roles test',
  summary: 'test assertions about what roles may do',
  effect: 'read',
  calls: 'platform',
  args: { file: { default: 'roles.test.yaml', help: 'assertions file; - reads standard input' } },
  flags: { file: { value: 'file', help: 'check this roles file, offline, instead of the platform' } },
  output: () => z.array(assertionResult()),
  notes: [
    '`only: {task, roles}`: no other role has the task. `never: {role, tasks}`: the role has none of the tasks. `each: {max_tasks}`: no role has more than this number of tasks, not counting user:core. A role with `privacy:*` counts as having every privacy task, as in `roles who-can`. An assertion about `privacy:*` is about full access; it does not cover `privacy:settings`.',
    'An unknown role or task is an error (9). In GitHub Actions, or with --annotations github, each failed assertion creates an annotation at its line.',
  ],
  examples: ['cdpadm roles test', 'cdpadm roles test roles.test.yaml --file roles.yaml -o markdown'],
  exits: { invalidInput: 'a file is invalid, or names an unknown role or task', differences: 'an assertion failed' },
  run: async (ctx, { args, flags }) => {
    const document = await loadDocument(args.file, ctx);
    const assertions = readAssertions(document);
    const { roles, tasks } = await rolesToTest(ctx, flags.file);
    const unknown = assertions.flatMap(({ path, assertion }) =>
      unknownIds(assertion, roles, tasks).map((issue) => ({ ...issue, path: [...path, ...issue.path] })),
    );
    if (unknown.length > 0) throw invalidDocument(document, 'file of assertions', unknown, '');
    const results = assertions.flatMap(({ path, assertion }) =>
      checkAssertion(assertion, roles).map(({ kind, ...checked }) => {
        const { line, column } = document.locate([...path, kind], 'key');
        const failed = checked.violations.length > 0;
        if (failed) {
          const message = `${checked.assertion}: ${checked.violations.join('; ')}`;
          ctx.out.annotate('error', { file: document.name, line, column, path: '', message });
        }
        return { result: failed ? ('fail' as const) : ('pass' as const), kind, ...checked, line };
      }),
    );
    const failures = results.filter(({ result }) => result === 'fail').length;
    if (failures > 0) ctx.setExit('differences');
    ctx.out.note(`${counted(results.length, 'assertion')}, ${failures} failed.`);
    return results;
  },
  view: {
    kind: 'list',
    columns: [
      {
        key: 'result',
        value: ({ result }) => result,
        paint: (text, { result }, style) => (result === 'pass' ? style.green(text) : style.red(text)),
      },
      { key: 'assertion', uncut: true, value: ({ assertion }) => assertion },
      { key: 'violations', uncut: true, value: ({ violations }) => violations.join('; ') },
      { key: 'line', rank: 1, align: 'right', value: ({ line }) => line },
      { key: 'kind', rank: 2, value: ({ kind }) => kind },
    ],
    empty: 'There are no assertions.',
    name: ({ assertion }) => assertion,
  },
});

async function rolesToTest(ctx: Context, file: string | undefined) {
  if (file !== undefined) return { roles: (await loadCompared(ctx, file)).manifest.roles, tasks: CATALOG_TASKS };
  const { live, liveTasks } = await readLiveRoles((await ctx.api()).roles, ctx.signal);
  return { roles: live.roles, tasks: liveTasks };
}

/** Throws invalid input (9) with the position of every issue. */
function readAssertions(document: LoadedDocument): { path: (string | number)[]; assertion: RolesAssertion }[] {
  const { value } = document;
  const isMap = isRecord(value) && Array.isArray(value['assertions']);
  const items: unknown = isMap ? value['assertions'] : value;
  const top = isMap ? ['assertions'] : [];
  const issues = Array.isArray(items)
    ? items.flatMap((item, index) =>
        explain(rolesAssertion(), item).map((issue) => ({ ...issue, path: [...top, index, ...issue.path] })),
      )
    : [{ path: [], message: 'must be a list of assertions' }];
  if (Array.isArray(items) && items.length === 0) issues.push({ path: top, message: 'has no assertion' });
  if (issues.length > 0) throw invalidDocument(document, 'file of assertions', issues, '');
  return (items as RolesAssertion[]).map((assertion, index) => ({ path: [...top, index], assertion }));
}
