// `roles diff`: what a push of the file would create, modify and delete, or how it differs from another manifest.
import type { Api } from '../../lib/api/index.ts';
import { carryUnknownFields, wantedRoles } from '../../lib/domain/roles/merge.ts';
import { isEmptyDiff, compareManifests, type RolesComparison, type RolesPlan } from '../../lib/domain/roles/plan.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { renderRolesPlan, ROLES_PLAN_COLUMNS, rolesPlanMarkdown, rolesPlanRows } from '../../lib/render/roles-plan.ts';
import { plainStyle } from '../../lib/render/style.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openOtherProfile, openRolesMemory, type RolesMemoryOfContext } from '../../lib/runtime/memory/roles.ts';
import { type Planned, planWanted } from '../../lib/workflows/roles-plan.ts';
import { writeSavedPlan } from '../../lib/files/saved-plan.ts';
import { diffResult } from './apply.ts';
import {
  baseFlag,
  fileArg,
  openForComparison,
  openRolesFile,
  readLiveRoles,
  tellAdvice,
  tellRebased,
} from './session.ts';

export const diffRoles = defineCommand({
  path: 'roles diff',
  summary: 'show what a push would create, modify and delete',
  effect: 'read',
  calls: 'platform',
  args: fileArg,
  flags: {
    base: baseFlag,
    against: {
      value: 'file',
      conflicts: ['againstProfile', 'base'],
      help: 'compare with another file, offline',
    },
    againstProfile: { value: 'name', help: "compare with the manifest of another profile's platform" },
    savePlan: {
      value: 'file',
      conflicts: ['against'],
      help: 'write the plan to a file, for `roles push --plan`',
    },
    exitCode: { help: 'exit 10 when there are differences' },
  },
  output: diffResult,
  columns: () => ROLES_PLAN_COLUMNS,
  notes: [
    'The last line is the plan: `roles push --expect-plan` applies exactly this one. --save-plan writes the plan to a private file that shows the difference and holds the roles. `roles push --plan` applies it, without the roles file.',
    'With --against-profile, the plan is the one of `roles push --profile NAME`. That profile is used alone, without the addresses and secrets of the environment. With --against the command compares two files, and there is no plan.',
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
    differences: 'differences, with --exit-code',
  },
  run: async (ctx, { args: { file }, flags: { against, againstProfile, base, exitCode, savePlan } }) => {
    const diff =
      against !== undefined
        ? await diffFiles(ctx, file, against)
        : againstProfile !== undefined
          ? await diffOther(ctx, file, againstProfile, base, savePlan)
          : await diffLive(ctx, file, base, savePlan);
    if (exitCode && !isEmptyDiff(diff)) ctx.setExit('differences');
    return diff;
  },
  view: {
    kind: 'document',
    text: (plan, style, width) => renderRolesPlan(plan, style, width),
    markdown: (plan) => rolesPlanMarkdown(plan, plainStyle),
    list: (plan) => ({ columns: ROLES_PLAN_COLUMNS, rows: rolesPlanRows(plan) }),
  },
});

async function diffLive(
  ctx: Context,
  file: string,
  base: string | undefined,
  savePlan: string | undefined,
): Promise<RolesPlan> {
  const memory = await openRolesMemory(ctx);
  const planned = await planAgainst(ctx, file, base, memory, () => ctx.api());
  for (const warning of planned.plan.warnings ?? []) ctx.out.warn(warning);
  if (savePlan !== undefined) {
    save(ctx, savePlan, memory, planned);
    ctx.out.note({
      text: `Saved the plan in ${savePlan}. To apply it:`,
      command: `cdpadm roles push --plan ${savePlan}`,
    });
  }
  return planned.plan;
}

/**
 * The plan of `roles push --profile NAME`. A stamp from another platform means nothing here, so it causes no warning.
 */
async function diffOther(
  ctx: Context,
  file: string,
  name: string,
  base: string | undefined,
  savePlan: string | undefined,
): Promise<RolesPlan> {
  const other = await openOtherProfile(ctx, name, '--against-profile');
  const planned = await planAgainst(ctx, file, base, other.memory, () => Promise.resolve(other.api));
  const { warnings: _ofStamps, ...plan } = planned.plan;
  if (savePlan !== undefined) save(ctx, savePlan, other.memory, { ...planned, plan });
  ctx.out.note(`Compared with profile ${name}: ${other.where}.`);
  if (!isEmptyDiff(plan)) {
    // The file keeps the stamp of the platform that it was pulled from.
    const to = `--profile ${name}`;
    const words =
      savePlan === undefined ? `${file} ${to} --expect-plan ${plan.plan} --no-write-back` : `${to} --plan ${savePlan}`;
    ctx.out.note({ text: 'To apply it there:', command: `cdpadm roles push ${words}` });
  }
  return plan;
}

function save(ctx: Context, path: string, { scope }: RolesMemoryOfContext, { plan, request }: Planned): void {
  const kept = plan.kept ? [`Kept from the platform: ${plan.kept.join(', ')}`] : [];
  const drawn = [...(plan.warnings ?? []), ...kept, renderRolesPlan(plan, plainStyle)].join('\n');
  const content = { roles: request.roles };
  writeSavedPlan(path, ctx, { kind: 'roles', target: { ...scope }, plan: plan.plan, content }, drawn);
}

async function planAgainst(
  ctx: Context,
  file: string,
  baseFile: string | undefined,
  memory: RolesMemoryOfContext,
  api: () => Promise<Api>,
): Promise<Planned> {
  const { base, check, document } = await openRolesFile(ctx, file, memory, baseFile);
  const { live, liveTasks } = await readLiveRoles(ctx, await api());
  const checked = check({ live, liveTasks });
  tellAdvice(ctx, document, checked.warnings);
  const wanted = wantedRoles(checked.manifest, base, live);
  const planned = planWanted(memory.scope, live, wanted, ctx.redactor.text);
  tellRebased(ctx, wanted.rebased);
  return planned;
}

/** The changes that turn the second file into the first: `against` takes the place of the platform (decision: D145). */
async function diffFiles(ctx: Context, file: string, against: string): Promise<RolesComparison> {
  if (file === '-' && against === '-') throw usageError('Only one of the two files can be standard input.');
  const [wanted, from] = await openForComparison(ctx, [file, against]);
  for (const { document, advice } of [from, wanted]) tellAdvice(ctx, document, advice);
  return compareManifests(from.manifest, carryUnknownFields(wanted.manifest.roles, from.manifest.roles));
}
