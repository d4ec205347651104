// `roles diff`: shows what a push of the file would create, modify and delete, or how it differs from another manifest.
import * as z from 'zod/mini';
import { toReply } from '../../lib/domain/roles/manifest.ts';
import { carryUnknownFields, wantedRoles } from '../../lib/domain/roles/merge.ts';
import {
  isEmptyDiff,
  compareManifests,
  type RolesComparison,
  type RolesPlan,
  rolesPlanFields,
} from '../../lib/domain/roles/plan.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { shellLine, shellWord } from '../../lib/kernel/words.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { renderRolesPlan, ROLES_PLAN_COLUMNS, rolesPlanMarkdown, rolesPlanRows } from '../../lib/render/roles-plan.ts';
import { plainStyle } from '../../lib/render/style.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openOtherProfile, openRolesMemory } from '../../lib/runtime/memory/roles.ts';
import { planWanted, readLiveRoles, requireCurrent } from '../../lib/workflows/roles-plan.ts';
import { realFile } from '../../lib/files/roles-file.ts';
import { checkPlanPath, writeSavedPlan } from '../../lib/files/saved-plan.ts';
import { baseFlag, fileArg, openForComparison, openRolesFile, tellAdvice, tellRebased } from './session.ts';

export const diffRoles = defineCommand({
  path: 'roles diff',
  summary: 'show what a push would create, modify and delete',
  effect: 'read',
  calls: 'platform',
  args: fileArg,
  flags: {
    base: baseFlag,
    against: { value: 'file', conflicts: ['againstProfile', 'base'], help: 'compare with another file, offline' },
    againstProfile: { value: 'name', help: "compare with the manifest of another profile's platform" },
    savePlan: {
      value: 'file',
      writes: true,
      conflicts: ['against'],
      help: 'write the plan to a file, for `roles push --plan`',
    },
    exitCode: { help: 'exit 10 if the file and the platform differ' },
  },
  // The plan is null if the command compares two files.
  output: () => z.object({ plan: z.nullable(z.string()), ...rolesPlanFields() }),
  columns: () => ROLES_PLAN_COLUMNS,
  notes: [
    'The last line identifies the plan: `roles push --expect-plan` applies exactly this plan. --save-plan writes the plan to a private file that shows the difference and contains the roles. `roles push --plan` applies it, without the roles file.',
    'With --against-profile, the plan is the one that `roles push --profile NAME` would apply. Addresses and secrets then come only from that profile, not from the environment. With --against, the command compares two files, and there is no plan.',
  ],
  examples: [
    'cdpadm roles diff',
    'cdpadm roles diff roles.yaml --exit-code -o markdown',
    'cdpadm roles diff --save-plan roles.plan',
    'cdpadm roles diff roles.yaml --against-profile local',
  ],
  exits: {
    conflict: 'you and the platform changed the same field',
    invalidInput: 'the file is invalid, or a task does not exist',
    differences: 'the file and the platform differ, even if a push would change nothing (with --exit-code)',
  },
  run: async (ctx, { args: { file }, flags: { against, exitCode, ...flags } }) => {
    const diff = against === undefined ? await diffPlatform(ctx, file, flags) : await diffFiles(ctx, file, against);
    if (exitCode && (!isEmptyDiff(diff) || diff.kept)) ctx.setExit('differences');
    return diff;
  },
  view: {
    kind: 'document',
    text: (plan, style, width) => renderRolesPlan(plan, style, width),
    markdown: (plan) => rolesPlanMarkdown(plan, plainStyle),
    list: (plan) => ({ columns: ROLES_PLAN_COLUMNS, rows: rolesPlanRows(plan) }),
  },
});

/** Returns the plan that `roles push` would apply, or `roles push --profile NAME` for another profile. */
async function diffPlatform(
  ctx: Context,
  file: string,
  flags: { againstProfile?: string; base?: string; savePlan?: string },
): Promise<RolesPlan> {
  const { againstProfile: name, base: baseFile, savePlan: path } = flags;
  if (path !== undefined) checkPlanPath(path, [file, ...(baseFile === undefined ? [] : [baseFile])], ctx);
  const other = name === undefined ? undefined : await openOtherProfile(ctx, name, '--against-profile');
  const memory = other?.memory ?? (await openRolesMemory(ctx));
  const { base, check, document } = await openRolesFile(ctx, file, memory, baseFile);
  const { live, liveTasks } = await readLiveRoles((other?.api ?? (await ctx.api())).roles, ctx.signal);
  requireCurrent(live, memory.store.newestTime());
  const checked = check({ live, liveTasks });
  tellAdvice(ctx, document, checked.warnings);
  const wanted = { ...wantedRoles(checked.manifest, base, live), file };
  const planned = planWanted(memory.scope, live, wanted, ctx.redactor.text);
  tellRebased(ctx, wanted);
  const { warnings = [], ...rest } = planned.plan;
  // A stamp from another platform is meaningless here, so it does not cause a warning.
  const plan: RolesPlan = other ? rest : planned.plan;
  const from = [file, ...(baseFile === undefined ? [] : ['--base', baseFile])];
  const content = { roles: planned.request.roles, file: toReply(checked.manifest), path: realFile(file, ctx) };
  if (path !== undefined) {
    const kept = plan.kept ? [`As on the platform (changed or deleted after the pull): ${plan.kept.join(', ')}`] : [];
    const drawn = [...(plan.warnings ?? []), ...kept, renderRolesPlan(plan, plainStyle)].join('\n');
    writeSavedPlan(path, ctx, { kind: 'roles', target: { ...memory.scope }, plan: plan.plan, from, content }, drawn);
  }
  if (other) {
    ctx.out.note(`Compared with profile ${name ?? ''}: ${other.where}.`);
    if (isEmptyDiff(plan)) return plan;
    // The file keeps the stamp of the platform it was pulled from.
    const words = path === undefined ? [...from, '--expect-plan', plan.plan, '--no-write-back'] : ['--plan', path];
    const command = shellLine(['cdpadm', 'roles', 'push', ...words, '--profile', name ?? '']);
    ctx.out.note({ text: 'To apply it there:', command });
    return plan;
  }
  for (const warning of warnings) ctx.out.warn(warning);
  if (path !== undefined)
    ctx.out.note({
      text: `Saved the plan to ${path}. To apply it:`,
      command: `cdpadm roles push --plan ${shellWord(path)}`,
    });
  return plan;
}

/** Returns the changes that turn `against` into `file`, as if `against` were the live manifest (decision: D145). */
async function diffFiles(ctx: Context, file: string, against: string): Promise<RolesComparison> {
  if (file === '-' && against === '-') throw usageError('Only one of the two files can be standard input.');
  const [wanted, from] = await openForComparison(ctx, [file, against]);
  for (const { document, advice } of [from, wanted]) tellAdvice(ctx, document, advice);
  return compareManifests(from.manifest, carryUnknownFields(wanted.manifest.roles, from.manifest.roles));
}
