// What the roles commands share: the organization at hand, a roles file with its base, and how a push is reported.
import { exitOf } from '../../lib/errors/exit.ts';
import type { Api } from '../../lib/api/index.ts';
import type { FieldIssue } from '../../lib/contract/explain.ts';
import { PERMISSIONS } from '../../lib/contract/role-catalog.ts';
import { fromReply, type Manifest } from '../../lib/domain/roles/manifest.ts';
import type { Known } from '../../lib/domain/roles/known.ts';
import { type CheckedManifest, checkManifest } from '../../lib/domain/roles/validate.ts';
import { chooseBase } from '../../lib/domain/roles/wanted.ts';
import {
  invalidDocument,
  loadDocument,
  type LoadedDocument,
  parseDocumentText,
  placeIssues,
} from '../../lib/files/load.ts';
import { renderRolesPlan, ROLES_PLAN_COLUMNS, rolesPlanMarkdown, rolesPlanRows } from '../../lib/render/roles-plan.ts';
import { plainStyle } from '../../lib/render/style.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import { KnownError, usageError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { RolesMemoryOfContext } from '../../lib/runtime/memory/roles.ts';
import type { RolesComparison, RolesPlan } from '../../lib/domain/roles/plan.ts';
import type { RoleReply } from '../../lib/contract/roles.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import { fail } from '../../lib/errors/fail.ts';

export const DEFAULT_FILE = 'roles.yaml';

let catalog: ReadonlySet<string> | undefined;

/** Made when first asked for: the help of the roles commands must not pay for it. */
export function catalogTasks(): ReadonlySet<string> {
  return (catalog ??= new Set(PERMISSIONS.map((permission) => permission.task_id)));
}

/** A roles file, checked as far as that goes without the platform, and the manifest it was made from. */
export interface RolesFile {
  document: LoadedDocument;
  base: Manifest | undefined;
  /** Checks against everything known; throws invalid input (9) with the place of every issue. */
  check(known: Omit<Known, 'base' | 'catalogTasks'>): CheckedManifest;
}

/** Loads a roles file and finds its base. Throws invalid input (9) for whatever can be seen without the platform. */
export async function openRolesFile(
  ctx: Context,
  path: string,
  memory: RolesMemoryOfContext | undefined,
  baseFile?: string,
): Promise<RolesFile> {
  const document = await loadRoles(ctx, path);
  const first = checkManifest(document.value, { catalogTasks: catalogTasks(), tolerateUnknown: true });
  const base =
    baseFile === undefined ? rememberedBase(first.manifest, memory) : (await loadCompared(ctx, baseFile)).manifest;
  const check: RolesFile['check'] = (known) => {
    const checked = checkManifest(document.value, { ...known, base, catalogTasks: catalogTasks() });
    if (checked.issues.length > 0) {
      tellAdvice(ctx, document, checked.warnings);
      throw invalidDocument(document, 'roles file', checked.issues);
    }
    return checked;
  };
  if (first.issues.length > 0) {
    // Its base may excuse what the platform itself returned. If it does not, everything is told, unknown fields too.
    const offline = checkManifest(document.value, { base, catalogTasks: catalogTasks(), tolerateUnknown: true });
    if (offline.issues.length > 0) check({});
  }
  return { document, base, check };
}

/** Who has no file yet is told where one comes from. Throws as `loadDocument` does. */
async function loadRoles(ctx: Context, path: string): Promise<LoadedDocument> {
  try {
    return await loadDocument(path, ctx);
  } catch (error) {
    if (!(
      error instanceof KnownError &&
      error.code === 'files.read' &&
      exitOf(error) === 'usage' &&
      path === DEFAULT_FILE
    ))
      throw error;
    throw usageError(error.message, {
      text: 'Pass the path of another file, or write it from the platform:',
      command: 'cdpadm roles pull',
    });
  }
}

/** What every check of a roles file against a platform asks for: `diff` and `validate --online` accept what `push` does. */
export async function readLiveRoles(
  ctx: Context,
  { roles }: Api,
): Promise<{ live: Manifest; liveTasks: ReadonlySet<string> }> {
  const [reply, tasks] = await Promise.all([roles.get({ signal: ctx.signal }), roles.listTasks(ctx.signal)]);
  return { live: fromReply(reply), liveTasks: new Set(tasks.map((task) => task.task_id)) };
}

/** One of two files that are compared with each other. */
export interface ComparedFile {
  document: LoadedDocument;
  manifest: Manifest;
  /** What a platform could excuse or refuse (an unknown field, an empty text, an unknown task): it stops nothing here. */
  advice: FieldIssue[];
}

/** Loads two files that are only compared. Throws invalid input (9) where one has not the form of a roles file. */
export async function openForComparison(
  ctx: Context,
  paths: readonly [string, string],
): Promise<[ComparedFile, ComparedFile]> {
  const [left, right] = [await loadCompared(ctx, paths[0]), await loadCompared(ctx, paths[1])];
  const advised = ({ document, manifest }: Compared, other: Compared): ComparedFile => {
    // What both files hold came from the platform.
    const found = checkManifest(document.value, { base: other.manifest, catalogTasks: catalogTasks() });
    return { document, manifest, advice: [...found.issues, ...found.warnings] };
  };
  return [advised(left, right), advised(right, left)];
}

type Compared = Omit<ComparedFile, 'advice'>;

async function loadCompared(ctx: Context, path: string): Promise<Compared> {
  const document = await loadDocument(path, ctx);
  const { manifest, issues } = checkManifest(document.value, { catalogTasks: catalogTasks(), tolerateUnknown: true });
  if (issues.length > 0) throw invalidDocument(document, 'roles file', issues);
  return { document, manifest };
}

/** So much advice is read beside a plan; a large manifest may have a thousand lines of it. */
const ADVICE_BESIDE = 5;

/** Advice is told with its place, on stderr; it stops nothing. Beside a plan only the first of it is. */
export function tellAdvice(
  ctx: Context,
  document: LoadedDocument,
  advice: readonly FieldIssue[],
  most = ADVICE_BESIDE,
): void {
  const placed = placeIssues(document, advice);
  for (const issue of placed.slice(0, most)) ctx.out.warn(issue);
  const left = advice.length - Math.min(most, placed.length);
  // `roles validate` itself lists no more than that.
  const isShort = most === ADVICE_BESIDE;
  const all = { text: `${left} more like these. To list them:`, command: `cdpadm roles validate ${document.name}` };
  if (left > 0) ctx.out.warn(isShort ? all : `${left} more like these.`);
}

function rememberedBase(file: Manifest, memory: RolesMemoryOfContext | undefined): Manifest | undefined {
  return memory && file.last_modified_on !== null
    ? chooseBase(file, memory.store.bases(file).map(fromReply))
    : undefined;
}

/** Reads and checks an edited text against the platform. Throws invalid input (9). */
export async function checkRolesText(
  text: string,
  name: string,
  live: Manifest,
  liveTasks: ReadonlySet<string>,
): Promise<Manifest> {
  const document = await parseDocumentText(name, text, 'yaml');
  const { manifest, issues } = checkManifest(document.value, { live, liveTasks, catalogTasks: catalogTasks() });
  if (issues.length > 0) throw invalidDocument(document, 'roles file', issues);
  return manifest;
}

/** How a plan looks in every format. */
export const planView: DocumentView<RolesPlan | RolesComparison> = {
  kind: 'document',
  // A function of its own: naming the other here would load it, and all beside it, with every help screen.
  text: (plan, style, width) => renderRolesPlan(plan, style, width),
  markdown: (plan) => rolesPlanMarkdown(plan, plainStyle),
  list: (plan) => ({ columns: ROLES_PLAN_COLUMNS, rows: rolesPlanRows(plan) }),
};

/** The roles as the platform holds them now. */
export async function liveRoles(ctx: Context): Promise<RoleReply[]> {
  const { roles } = await ctx.api();
  return (await roles.get({ signal: ctx.signal })).roles;
}

/** The role with this id; KnownError not found (5) with the nearest id otherwise. */
export function findRole(roles: readonly RoleReply[], roleId: string): RoleReply {
  const role = roles.find((item) => item.role_id === roleId);
  if (role) return role;
  const known = roles.map((item) => item.role_id);
  throw fail('roles.not_found', {
    message: `There is no role ${roleId}.`,
    hint: nearestHint(roleId, known, { text: 'To list them all:', command: 'cdpadm roles list' }),
  });
}
