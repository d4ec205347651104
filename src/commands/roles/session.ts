// Functions that the roles commands share: they read live roles, and load and check roles files.
import type { WantedRoles } from '../../lib/domain/roles/merge.ts';
import { exitOf, fail } from '../../lib/errors/fail.ts';
import type { FieldIssue } from '../../lib/contract/explain.ts';
import { fromReply } from '../../lib/domain/roles/manifest.ts';
import { type Known, type CheckedManifest, checkManifest } from '../../lib/domain/roles/validate.ts';
import { chooseBase } from '../../lib/domain/roles/merge.ts';
import { invalidDocument, loadDocument, type LoadedDocument, placeIssues } from '../../lib/files/load.ts';
import { realFile, requireNoConflicts } from '../../lib/files/roles-file.ts';
import { KnownError, usageError } from '../../lib/kernel/errors.ts';
import type { ArgSpec, FlagSpec } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { RolesMemoryOfContext } from '../../lib/runtime/memory/roles.ts';
import type { RoleReply } from '../../lib/contract/roles.ts';
import { isRecord } from '../../lib/kernel/json.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import { shellWord } from '../../lib/kernel/words.ts';

export const DEFAULT_FILE = 'roles.yaml';

export const fileArg = {
  file: { default: DEFAULT_FILE, help: 'roles file; - reads standard input' },
} as const satisfies Record<string, ArgSpec>;

export const baseFlag = {
  value: 'file',
  help: 'the manifest that the file was created from (default: the one saved by the last pull or push)',
} as const satisfies FlagSpec;

export type RolesFile = Awaited<ReturnType<typeof openRolesFile>>;

/** Loads a roles file and finds its base. Throws invalid input (9) for every issue that can be detected offline. */
export async function openRolesFile(
  ctx: Context,
  path: string,
  memory: RolesMemoryOfContext | undefined,
  baseFile?: string,
) {
  const document = await loadRoles(ctx, path);
  const { manifest } = checkManifest(document.value, { tolerateUnknown: true });
  const base =
    baseFile === undefined
      ? memory && chooseBase(manifest, memory.store.bases(manifest, realFile(path, ctx)).map(fromReply))
      : (await loadCompared(ctx, baseFile)).manifest;
  /** Checks the file against what is known about the platform. Throws invalid input (9) with every issue's position. */
  const check = (known: Omit<Known, 'base'>): CheckedManifest => {
    const checked = checkManifest(document.value, { ...known, base });
    if (checked.issues.length > 0) {
      tellAdvice(ctx, document, checked.warnings);
      throw invalidDocument(document, 'roles file', checked.issues);
    }
    return checked;
  };
  // The base may explain an issue: the platform itself may have returned the value. All other issues are reported.
  if (checkManifest(document.value, { base, tolerateUnknown: true }).issues.length > 0) check({});
  return { document, base, check };
}

/** Loads a roles file. If the default file is missing, the error suggests `roles pull`. */
async function loadRoles(ctx: Context, path: string): Promise<LoadedDocument> {
  const document = await loadDocument(path, ctx).catch((error: unknown) => {
    const isMissing = error instanceof KnownError && error.code === 'files.read' && exitOf(error) === 'usage';
    if (!isMissing || path !== DEFAULT_FILE) throw error;
    throw usageError(error.message, {
      text: 'Pass the path of another file, or write it from the platform:',
      command: 'cdpadm roles pull',
    });
  });
  if (isRecord(document.value) && document.value['kind'] === 'roles' && !('roles' in document.value))
    throw fail('input.invalid', {
      message: `${document.name} is a saved plan, not a roles file. Nothing was sent.`,
      hint: { text: 'To apply it:', command: `cdpadm roles push --plan ${shellWord(path)}` },
    });
  requireNoConflicts(document);
  return document;
}

/** Loads two files, only to compare them. Throws invalid input (9) if one does not have the form of a roles file. */
export async function openForComparison(ctx: Context, paths: readonly [string, string]) {
  const [left, right] = [await loadCompared(ctx, paths[0]), await loadCompared(ctx, paths[1])];
  // Only a platform can accept or reject unknown fields, empty strings and unknown tasks, so here they are only advice.
  const advised = ({ document, manifest }: typeof left, other: typeof left) => {
    // A field in both files must come from the platform.
    const found = checkManifest(document.value, { base: other.manifest });
    return { document, manifest, advice: [...found.issues, ...found.warnings] };
  };
  return [advised(left, right), advised(right, left)] as const;
}

/** Loads a roles file only to read it. Throws invalid input (9) if it does not have the form of a roles file. */
export async function loadCompared(ctx: Context, path: string) {
  const document = await loadRoles(ctx, path);
  const { manifest, issues } = checkManifest(document.value, { tolerateUnknown: true });
  if (issues.length > 0) throw invalidDocument(document, 'roles file', issues);
  return { document, manifest };
}

/** Maximum number of warnings shown with a plan: a large manifest may have a thousand. */
const WARNINGS_WITH_PLAN = 5;

/** Shows advice with its position on stderr. Advice does not stop the command. */
export function tellAdvice(ctx: Context, document: LoadedDocument, advice: readonly FieldIssue[]): void {
  for (const issue of placeIssues(document, advice).slice(0, WARNINGS_WITH_PLAN)) ctx.out.warn(issue);
  if (advice.length <= WARNINGS_WITH_PLAN) return;
  const text = `${advice.length - WARNINGS_WITH_PLAN} more warnings. To list them:`;
  ctx.out.warn({ text, command: `cdpadm roles validate ${shellWord(document.name)}` });
}

/** Lists the roles that keep changes made on the platform after the file was pulled, and the roles deleted there. */
export function tellRebased(ctx: Context, { rebased, roles }: Pick<WantedRoles, 'rebased' | 'roles'>): void {
  const isLeft = new Set(roles.map(({ role_id: id }) => id));
  const tell = (what: string, isTold: (id: string) => boolean): void => {
    const ids = rebased.filter(isTold);
    if (ids.length > 0) ctx.out.note(`${what} after you pulled the file: ${ids.join(', ')}`);
  };
  tell('Kept from the platform, because they changed there', (id) => isLeft.has(id));
  tell('Removed, because they were deleted on the platform', (id) => !isLeft.has(id));
}

export async function liveRoles(ctx: Context): Promise<RoleReply[]> {
  const { roles } = await ctx.api();
  return (await roles.get({ signal: ctx.signal })).roles;
}

/** Returns the role with this id. If there is none, throws KnownError not found (5) with the nearest id. */
export function findRole(roles: readonly RoleReply[], roleId: string): RoleReply {
  const role = roles.find((item) => item.role_id === roleId);
  if (role) return role;
  const known = roles.map((item) => item.role_id);
  throw fail('roles.not_found', {
    message: `Unknown role ${roleId}.`,
    hint: nearestHint(roleId, known, { text: 'To list the roles:', command: 'cdpadm roles list' }),
  });
}
