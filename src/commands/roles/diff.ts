// `roles diff`: what a push of the file would create, modify and delete; or what sets it apart from another manifest.
import type { Api } from '../../lib/api/index.ts';
import { carryUnknownFields } from '../../lib/domain/roles/carry.ts';
import { isEmptyDiff } from '../../lib/domain/roles/diff.ts';
import { compareManifests, type RolesComparison, type RolesPlan } from '../../lib/domain/roles/plan.ts';
import { wantedRoles } from '../../lib/domain/roles/wanted.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { ROLES_PLAN_COLUMNS } from '../../lib/render/roles-plan.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openOtherProfile } from '../../lib/runtime/other-profile.ts';
import { openRolesMemory, type RolesMemoryOfContext } from '../../lib/runtime/memory/roles.ts';
import { type Planned, planWanted } from '../../lib/workflows/roles-plan.ts';
import { tellRebased } from './apply.ts';
import { diffResult } from './results.ts';
import {
  DEFAULT_FILE,
  openForComparison,
  openRolesFile,
  planView,
  readLiveRoles,
  type RolesFile,
  tellAdvice,
} from './session.ts';

interface DiffFlags {
  base?: string;
  against?: string;
  againstProfile?: string;
  exitCode?: boolean;
}

export const diffRoles = defineCommand({
  path: 'roles diff',
  summary: 'show what a push would create, modify and delete',
  effect: 'read',
  calls: 'platform',
  args: { file: { default: DEFAULT_FILE, help: 'the roles file; - is standard input' } },
  flags: {
    base: { value: 'file', help: 'the manifest that the file was made from (default: the one kept at pull or push)' },
    against: {
      value: 'file',
      conflicts: ['againstProfile', 'base'],
      help: 'compare with another file, offline',
    },
    againstProfile: { value: 'name', help: "compare with what another profile's platform holds" },
    exitCode: { help: 'exit 10 when there are differences' },
  },
  output: diffResult,
  columns: () => ROLES_PLAN_COLUMNS,
  notes: [
    'The last line is the plan: `roles push --expect-plan` applies exactly this one.',
    'With --against-profile it is the plan of `roles push --profile NAME`; that profile is used by itself, without the addresses and secrets of the environment. With --against two files are compared and there is no plan.',
  ],
  examples: [
    'cdpadm roles diff',
    'cdpadm roles diff roles.yaml --exit-code -o markdown',
    'cdpadm roles diff roles.yaml --against-profile local',
  ],
  exits: {
    conflict: 'you and the platform changed the same thing',
    invalidInput: 'the file is invalid, or a task does not exist',
    differences: 'differences, with --exit-code',
  },
  run: (ctx, { args, flags }) => printDiff(ctx, args.file, flags),
});

async function printDiff(ctx: Context, file: string, flags: DiffFlags): Promise<void> {
  const { against, againstProfile } = flags;
  const diff =
    against !== undefined
      ? await diffFiles(ctx, file, against)
      : againstProfile !== undefined
        ? await diffOther(ctx, file, againstProfile, flags.base)
        : await diffLive(ctx, file, flags.base);
  await ctx.out.emit(diff, planView);
  if (flags.exitCode === true && !isEmptyDiff(diff)) ctx.setExit('differences');
}

async function diffLive(ctx: Context, file: string, baseFile: string | undefined): Promise<RolesPlan> {
  const memory = await openRolesMemory(ctx);
  const roles = await openRolesFile(ctx, file, memory, baseFile);
  const { plan } = await planAgainst(ctx, roles, memory, await ctx.api());
  for (const warning of plan.warnings ?? []) ctx.out.warn(warning);
  return plan;
}

/** The plan that `roles push --profile NAME` would make: what was pulled elsewhere has no base there, and is no older. */
async function diffOther(ctx: Context, file: string, name: string, baseFile: string | undefined): Promise<RolesPlan> {
  const other = await openOtherProfile(ctx, name, '--against-profile');
  const roles = await openRolesFile(ctx, file, other.memory, baseFile);
  const { plan: ofFile } = await planAgainst(ctx, roles, other.memory, other.api);
  const { warnings: _ofStamps, ...plan } = ofFile;
  ctx.out.note(`Compared with profile ${name}: ${other.where}.`);
  if (!isEmptyDiff(plan)) {
    // The file belongs to the platform that it was pulled from: its stamp is left alone.
    const flags = `--profile ${name} --expect-plan ${plan.plan} --no-write-back`;
    ctx.out.note({ text: 'To make it so there:', command: `cdpadm roles push ${file} ${flags}` });
  }
  return plan;
}

async function planAgainst(ctx: Context, roles: RolesFile, memory: RolesMemoryOfContext, api: Api): Promise<Planned> {
  const { live, liveTasks } = await readLiveRoles(ctx, api);
  const checked = roles.check({ live, liveTasks });
  tellAdvice(ctx, roles.document, checked.warnings);
  const planned = planWanted(memory.scope, live, wantedRoles(checked.manifest, roles.base, live), ctx.redactor.text);
  tellRebased(ctx, planned.wanted.rebased);
  return planned;
}

/** What makes the second file into the first: it stands where the platform stands otherwise (decision: D145). */
async function diffFiles(ctx: Context, file: string, against: string): Promise<RolesComparison> {
  if (file === '-' && against === '-') throw usageError('Only one of the two files can be standard input.');
  const [wanted, from] = await openForComparison(ctx, [file, against]);
  for (const { document, advice } of [from, wanted]) tellAdvice(ctx, document, advice);
  return compareManifests(from.manifest, carryUnknownFields(wanted.manifest.roles, from.manifest.roles));
}
