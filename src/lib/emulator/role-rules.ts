// The rules of a manifest upload that its body alone decides (specification, A, "Rules for PUT" and "Errors").
import { explainIssues, showPath } from '../contract/explain.ts';
import { type Failure, ROLE_FAILURES } from '../contract/failures.ts';
import { ROLE_LIMITS } from '../contract/limits.ts';
import { PERMISSIONS } from '../contract/role-catalog.ts';
import { CORE_TASK, ManifestRequest, RESTRICTED_CHARACTERS, type Role } from '../contract/roles.ts';

/** One broken rule: which sentence of the specification it falls under, where it is, and what is wrong there. */
export interface Violation {
  failure: Failure;
  path: (string | number)[];
  detail: string;
  /** Ids that the answer lists instead of the place. */
  listed?: string[];
}

export interface CheckedManifest {
  /** The roles as they are kept: known fields only, each task once, `user:core` among them. */
  roles: Role[];
  /** All of one status; empty when the manifest is accepted. */
  violations: Violation[];
}

const TASK_IDS: ReadonlySet<string> = new Set(PERMISSIONS.map(({ task_id }) => task_id));
const TEXT_FIELDS = ['role_id', 'name', 'description'];

/** Checks an uploaded value in the order form, texts, number, tasks, conflicts; the first kind that is broken is told. */
export function checkManifest(value: unknown): CheckedManifest {
  const parsed = ManifestRequest.safeParse(value);
  if (!parsed.success) {
    const found = explainIssues(parsed.error.issues, value).map(({ path, message }): Violation => {
      const isText = path[0] === 'roles' && path.length === 3 && TEXT_FIELDS.includes(String(path[2]));
      return {
        failure: isText ? ROLE_FAILURES.invalidField : ROLE_FAILURES.invalidJson,
        path,
        detail: message,
      };
    });
    const malformed = found.filter(({ failure }) => failure === ROLE_FAILURES.invalidJson);
    return { roles: [], violations: malformed.length > 0 ? malformed : found };
  }
  const { roles } = parsed.data;
  const checks = [restrictedTexts, tooMany, unknownTasks, conflicts];
  for (const check of checks) {
    const violations = check(roles);
    if (violations.length > 0) return { roles: [], violations };
  }
  return { roles: roles.map(asKept), violations: [] };
}

/** The sentences of violations: the specification's, then what it is about. */
export function describeViolations(violations: readonly Violation[]): string[] {
  const listed = new Set(violations.flatMap((violation) => violation.listed ?? []));
  const [first] = violations;
  if (first && listed.size > 0) return [`${first.failure.message}: ${[...listed].join(', ')}`];
  return violations.map(({ failure, path, detail }) =>
    [`${failure.message}:`, showPath(path), detail].filter((part) => part !== '').join(' '),
  );
}

/** decision: D12. */
function restrictedTexts(roles: readonly Role[]): Violation[] {
  return roles.flatMap((role, index) =>
    (['role_id', 'name'] as const).flatMap((field) => {
      const character = RESTRICTED_CHARACTERS.exec(role[field])?.[0];
      if (character === undefined) return [];
      const detail = `holds the restricted character ${character}`;
      return [{ failure: ROLE_FAILURES.invalidField, path: ['roles', index, field], detail }];
    }),
  );
}

/** decision: D13. The specification has the limit and no sentence for it. */
function tooMany(roles: readonly Role[]): Violation[] {
  const most = ROLE_LIMITS.rolesPerOrganization;
  if (roles.length <= most) return [];
  const failure = { status: 400, message: 'Too many custom roles' };
  return [{ failure, path: ['roles'], detail: `holds ${roles.length}; at most ${most} are allowed per organization` }];
}

function unknownTasks(roles: readonly Role[]): Violation[] {
  return roles.flatMap((role, index) => {
    const listed = role.tasks.map(({ task_id }) => task_id).filter((id) => !TASK_IDS.has(id));
    if (listed.length === 0) return [];
    const detail = `names no existing task: ${listed.join(', ')}`;
    return [{ failure: ROLE_FAILURES.tasksNotFound, path: ['roles', index, 'tasks'], detail, listed }];
  });
}

/** decision: D13. The upload is the whole new set, so that only what it holds can clash. */
function conflicts(roles: readonly Role[]): Violation[] {
  return (['role_id', 'name'] as const).flatMap((field) => {
    const seen = new Set<string>();
    return roles.flatMap((role, index) => {
      const value = role[field];
      if (!seen.has(value)) {
        seen.add(value);
        return [];
      }
      const detail = `is taken by another role: ${value}`;
      return [{ failure: ROLE_FAILURES.conflict, path: ['roles', index, field], detail }];
    });
  });
}

function asKept({ role_id, name, description, tasks }: Role): Role {
  const ids = new Set(tasks.map(({ task_id }) => task_id));
  const withCore = ids.has(CORE_TASK) ? [...ids] : [CORE_TASK, ...ids];
  return { role_id, name, description, tasks: withCore.map((task_id) => ({ task_id })) };
}
