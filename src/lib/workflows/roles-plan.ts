// Plans a push by comparing the desired roles with the live manifest, and sends the PUT until it is confirmed.
import { showPath } from '../contract/explain.ts';
import { isEmptyDiff, diffRoles, type PlannedPush, planRoles, rollbackOf } from '../domain/roles/plan.ts';
import {
  type Manifest,
  type ManifestScope,
  type Role,
  type Stamp,
  fromReply,
  sameRoles,
  sameState,
  specifiedPart,
} from '../domain/roles/manifest.ts';
import type { MergeConflict, WantedRoles } from '../domain/roles/merge.ts';
import type { Hint, Issue, KnownError } from '../kernel/errors.ts';
import { shellLine, shellWord } from '../kernel/words.ts';
import { stringifyJson } from '../kernel/json.ts';
import { fail, planChanged } from '../errors/fail.ts';
import type { RolesApi } from '../api/index.ts';
import { confirmed } from './confirm-write.ts';
import type { WritePorts } from './resource-write.ts';

export interface Planned extends PlannedPush {
  wanted: WantedRoles;
}

/** Reads the roles and the tasks that a push checks a file against. */
export async function readLiveRoles(api: RolesApi, signal: AbortSignal) {
  const [reply, tasks] = await Promise.all([api.get({ signal }), api.listTasks(signal)]);
  return { live: fromReply(reply), liveTasks: new Set(tasks.map((task) => task.task_id)) };
}

const STAMP_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/** Returns a sentence if the manifest is older than `known`, the time of a stored one, or has no time at all. */
export function outdatedText({ last_modified_on: time }: Stamp, known: string | null | undefined): string | undefined {
  if (!known || !STAMP_TIME.test(known) || (time && (!STAMP_TIME.test(time) || time >= known))) return undefined;
  const found = time ? `an outdated manifest: it was last modified on ${time} UTC` : 'a manifest without a stamp';
  return `The platform returned ${found}, but this machine has stored one from ${known} UTC.`;
}

/** Throws conflict (6) for an outdated manifest: newer roles are missing from it, so a PUT would delete them. */
export function requireCurrent(live: Stamp, known: string | null | undefined): void {
  const message = outdatedText(live, known);
  if (message !== undefined) throw outdatedError(message);
}

export function outdatedError(message: string): KnownError {
  return fail('roles.outdated', {
    message: `${message} No changes were made.`,
    hint: [
      'Run the command again later.',
      { text: 'If the platform was reset, pull into another file first:', command: 'cdpadm roles pull new.yaml' },
    ],
  });
}

/** Plans to replace `live` with `wanted`. Throws a redacted conflict (6) if both sides changed a field differently. */
export function planWanted(
  scope: ManifestScope,
  live: Manifest,
  wanted: WantedRoles,
  redact: (text: string) => string,
): Planned {
  if (wanted.conflicts.length > 0) throw conflictError(wanted, redact);
  const planned = planRoles(scope, live, wanted.roles);
  // Warnings are part of the plan, because the person who approves it may never see a job's standard error.
  const warnings = wanted.stale ? [staleWarning(live)] : (wanted.warnings ?? []);
  const plan = {
    ...planned.plan,
    ...(warnings.length > 0 && { warnings }),
    ...(wanted.rebased.length > 0 && { kept: wanted.rebased }),
  };
  return { ...planned, plan, wanted };
}

function staleWarning({ last_modified_on: on, last_modified_by: by }: Manifest): string {
  const text =
    "The file's stamp differs from the platform's, and this machine does not have the file's base. The plan may undo other admins' changes.";
  return on === null ? text : `${text} The platform last changed on ${on} UTC${by === null ? '' : ` by ${by}`}.`;
}

/** Throws conflict (6) if the plan is not the expected one or, if no plan is expected, if the file is stale. */
export function requireExpected(planned: Planned, expectPlan: string | undefined): void {
  const { plan, wanted } = planned;
  if (expectPlan !== undefined && expectPlan.toLowerCase() !== plan.plan)
    throw planChanged(expectPlan, plan.plan, wanted.again);
  if (!wanted.stale || expectPlan !== undefined || isEmptyDiff(plan)) return;
  throw fail('roles.stale_file', {
    message:
      "The file's stamp differs from the platform's, and this machine does not have the file's base. A push could undo other admins' changes.",
    hint: `Pull again and repeat your edit, or pass the manifest that the file was created from with --base FILE. To push exactly the changes shown, pass --expect-plan ${plan.plan}.`,
  });
}

export function conflictError(
  { conflicts, file }: Pick<WantedRoles, 'conflicts' | 'file'>,
  redact: (text: string) => string,
): KnownError {
  const issues = conflicts.map((conflict): Issue => {
    const { base, mine, theirs } = sidesOf(conflict, redact);
    const path = ['roles', conflict.role_id, ...(conflict.field === 'role' ? [] : [conflict.field])];
    return { path: showPath(path), message: `yours: ${mine}; the platform's: ${theirs}; it was: ${base}` };
  });
  return fail('roles.conflict', {
    message:
      'Conflict: the platform changed these fields after you pulled, and you changed them too. Nothing was sent.',
    hint:
      file === undefined
        ? { text: 'To edit the current roles:', command: 'cdpadm roles edit' }
        : {
            text: "Merge the platform's changes into the file:",
            command: `cdpadm roles pull ${file === '-' ? 'FILE' : shellWord(file)} --merge`,
          },
    issues,
    details: { conflicts },
  });
}

/** Describes each side of a conflict: the value of a field, or what happened to a role. */
export function sidesOf({ base, field, mine, theirs }: MergeConflict, redact: (text: string) => string) {
  // Redact before shortening: the redactor would not recognize half of a secret.
  const shorten = (text: string): string => (text.length > 400 ? `${text.slice(0, 400)}…` : text);
  const shown = (value: unknown): string =>
    shorten(redact(field === 'role' ? showRole(value, base) : showValue(value)));
  return { base: shown(base), mine: shown(mine), theirs: shown(theirs) };
}

function showValue(value: unknown): string {
  return value === null ? '(none)' : typeof value === 'string' ? `"${value}"` : stringifyJson(value);
}

/** Describes what happened to a role since the base. For the base itself, returns the role's name. */
function showRole(role: unknown, base: unknown): string {
  if (role === null) return base === null ? 'no such role' : 'deleted';
  if (role === base) return showValue((role as Role).name);
  const [changed] = diffRoles(base === null ? [] : [base as Role], [role as Role]).modified;
  if (!changed) return stringifyJson(role);
  const { tasks, ...fields } = changed.changes;
  return [
    ...Object.entries(fields).map(([name, { to }]) => `${name} ${showValue(to)}`),
    ...(tasks?.added ?? []).map((id) => `with ${id}`),
    ...(tasks?.removed ?? []).map((id) => `without ${id}`),
  ].join(', ');
}

interface ReplacePorts extends WritePorts {
  api: RolesApi;
}

/** The platform changed before the PUT could be sent again, so the plan is outdated. */
export class PlatformChanged extends Error {
  readonly live: Manifest;
  constructor(live: Manifest) {
    super('the platform has changed');
    this.live = live;
  }
}

/**
 * If the response does not confirm the PUT, a GET must return the desired roles. If it returns the previous roles after
 * a lost response, the PUT is retried. Throws PlatformChanged if the roles changed before a retry, conflict (6) for any
 * other roles, and network (8) if the GET also fails.
 */
export async function replaceConfirmed(planned: Planned, revision: string, ports: ReplacePorts): Promise<Manifest> {
  const { api, signal, out } = ports;
  const isWanted = ({ roles }: Manifest): boolean => sameRoles(roles, planned.request.roles);
  // The client may pause for a minute before it retries a PUT that was rejected (429, 401) or not delivered.
  const beforeRetry = async (): Promise<void> => {
    const now = fromReply(await api.get({ signal }));
    if (sameState(now, planned.live)) return;
    throw isWanted(now) ? fail('http.outcome_unknown', { message: 'The PUT took effect.' }) : new PlatformChanged(now);
  };
  const manifest = await confirmed<Manifest, Manifest>(
    {
      subject: 'the roles PUT',
      hint: [
        { text: 'To see what is on the platform:', command: 'cdpadm roles diff' },
        previousVersion(planned, revision),
      ],
      notes: {
        lost: 'The response does not confirm the write. Reading the current manifest.',
        arrived: () => 'The write did arrive: the platform has the desired roles.',
      },
      send: async (attempt) => {
        const reply = fromReply(await api.replace(planned.request, { signal, reserved: attempt === 1, beforeRetry }));
        if (!isWanted(reply))
          out.warn("The platform's response differs from what was sent. Reading the manifest again.");
        return reply;
      },
      isOurs: isWanted,
      read: async () => fromReply(await api.get({ signal })),
      isAbout: () => true,
      judge: (now, { error }) => {
        // Retry only after a lost response. Any response means that the platform received the write. This comes first,
        // because `isWanted` cannot detect a change of unknown fields.
        if (error && sameState(now, planned.live)) return 'not-done';
        return isWanted(now) ? { done: now } : liveDiffers(planned, now, revision);
      },
    },
    ports,
  );
  if (manifest.last_modified_on !== null) return manifest;
  // The specification promises stamps only for a GET.
  const stamped = await readStamps(manifest, ports);
  if (!isWanted(stamped)) throw liveDiffers(planned, stamped, revision);
  return stamped;
}

/** Reads the stamps, which the PUT response lacks. If this fails, only warns, because the write is confirmed. */
async function readStamps(reply: Manifest, { api, signal, out }: ReplacePorts): Promise<Manifest> {
  try {
    return fromReply(await api.get({ signal }));
  } catch (error) {
    out.warn(`The roles are in place, but their stamps could not be read: ${(error as Error).message}`);
    return reply;
  }
}

/** Returns the error for a platform whose roles differ from what was sent. Each difference is an issue. */
function liveDiffers(planned: Planned, now: Manifest, revision: string): KnownError {
  const { request } = planned;
  const { created, modified, deleted } = diffRoles(request.roles.map(specifiedPart), now.roles.map(specifiedPart));
  const issues = [
    ...deleted.map(({ role_id }) => ({ path: showPath(['roles', role_id]), message: 'sent, but not on the platform' })),
    ...created.map(({ role_id }) => ({ path: showPath(['roles', role_id]), message: 'on the platform, but not sent' })),
    ...modified.map(({ role_id, changes }) => ({
      path: showPath(['roles', role_id]),
      message: `differs from what was sent in ${Object.keys(changes).join(', ')}`,
    })),
  ];
  return fail('roles.changed_meanwhile', {
    message:
      'Conflict: the manifest on the platform is not the one that was sent. Either another admin made a change at the same time, or the platform stored something else.',
    hint: [
      { text: 'No file was changed. To compare it with the platform:', command: 'cdpadm roles diff' },
      previousVersion(planned, revision),
    ],
    issues,
  });
}

function previousVersion(planned: Planned, revision: string): Hint {
  return { text: 'To restore the previous version:', command: shellLine(['cdpadm', ...rollbackOf(planned, revision)]) };
}
