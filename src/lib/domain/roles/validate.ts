// Checks a roles file against the specification, the live tasks and the fields that the platform returns.
import type { FieldIssue } from '../../contract/explain.ts';
import { ROLE_LIMITS } from '../../contract/limits.ts';
import { canonicalJson, isRecord } from '../../kernel/json.ts';
import { checkRole, createTaskCheck } from './check-role.ts';
import { checkFields, type Known, remembered, Report } from './known.ts';
import type { Manifest } from './manifest.ts';

export interface CheckedManifest {
  /** The file's manifest; valid only without issues. */
  manifest: Manifest;
  issues: FieldIssue[];
  /** Advice: the manifest is sent anyway. */
  warnings: FieldIssue[];
}

/** Fields of a manifest file; `$schema` is for editors and never sent. */
const TOP_FIELDS = ['roles', 'last_modified_on', 'last_modified_by', '$schema'];

/** Reads and checks the value of a roles file. Tasks may be bare ids. */
export function checkManifest(value: unknown, known: Known): CheckedManifest {
  const report = new Report();
  const manifest: Manifest = { roles: [], last_modified_on: null, last_modified_by: null, extra: {} };
  const checked = { manifest, issues: report.issues, warnings: report.warnings };
  if (!isRecord(value)) {
    report.issue([], 'a roles file is a map with a list `roles`');
    return checked;
  }
  checkTop(value, manifest, known, report);
  if (!Array.isArray(value['roles'])) {
    const place = 'roles' in value ? ['roles'] : [];
    report.issue(place, '`roles` must be a list of roles (an empty list is written `roles: []`)');
    return checked;
  }
  const items = value['roles'] as unknown[];
  const limit = Math.max(ROLE_LIMITS.rolesPerOrganization, known.live?.roles.length ?? 0);
  if (items.length > limit) {
    report.issue(['roles', limit], `${items.length} roles; an organization holds at most ${limit}`);
  }
  const checking = { known, report, checkTask: createTaskCheck(known) };
  for (const [index, item] of items.entries()) {
    const role = checkRole(item, ['roles', index], checking);
    if (role) manifest.roles.push(role);
  }
  checkUnique('role_id', items, () => false, report);
  // Two roles may share a name if the platform itself returned them so.
  const isHeldTwice = (name: string): boolean =>
    remembered(known).some(({ roles }) => roles.filter((role) => role.name === name).length > 1);
  checkUnique('name', items, isHeldTwice, report);
  return checked;
}

function checkTop(value: Record<string, unknown>, manifest: Manifest, known: Known, report: Report): void {
  const seen = remembered(known).map(({ extra }) => extra);
  checkFields(value, TOP_FIELDS, seen, [], { known, report });
  for (const key of Object.keys(value)) {
    if (TOP_FIELDS.includes(key)) continue;
    manifest.extra[key] = value[key];
    const isEdited = seen.every((extra) => canonicalJson(extra[key]) !== canonicalJson(value[key]));
    if (known.live && isEdited) report.warn([key], `\`${key}\` belongs to the platform: this value is not sent`);
  }
  for (const key of ['last_modified_on', 'last_modified_by'] as const) {
    const stamp = value[key];
    if (typeof stamp === 'string') manifest[key] = stamp;
    else if (stamp !== undefined && stamp !== null) report.issue([key], `\`${key}\` must be text; put it in quotes`);
  }
}

function checkUnique(
  field: 'role_id' | 'name',
  items: readonly unknown[],
  isTolerated: (text: string) => boolean,
  report: Report,
): void {
  const first = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const text = isRecord(item) ? item[field] : undefined;
    if (typeof text !== 'string') continue;
    const earlier = first.get(text);
    if (earlier === undefined) first.set(text, index);
    else {
      const message = `\`${text}\` is already taken by roles[${earlier}]`;
      if (isTolerated(text)) report.warn(['roles', index, field], message);
      else report.issue(['roles', index, field], message);
    }
  }
}
