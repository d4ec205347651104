// Errors of roles and group identities.
import type { ErrorEntry } from './entry.ts';

export const ROLES_ERRORS = {
  'roles.not_found': {
    exit: 'notFound',
    summary: 'The role does not exist.',
    explanation: 'No role in the manifest has this id.',
    fix: 'List the roles with `cdpadm roles list`.',
  },
  'roles.exists': {
    exit: 'conflict',
    summary: 'The role already exists.',
    explanation: 'The manifest already contains a role with this id or name.',
    fix: 'Change that role, or choose another id or name.',
  },
  'roles.task_not_found': {
    exit: 'notFound',
    summary: 'The task does not exist.',
    explanation: 'No role has this task, and it is not in the catalog.',
    fix: 'List the tasks with `cdpadm roles tasks`.',
  },
  'roles.template_not_found': {
    exit: 'notFound',
    summary: 'The template does not exist.',
    explanation: 'No built-in template has this name.',
    fix: 'List the templates with `cdpadm roles templates`.',
  },
  'roles.revision_not_found': {
    exit: 'notFound',
    summary: 'The saved version does not exist.',
    explanation: 'Before every push, the previous version is saved on this machine, separately for each organization.',
    fix: 'List the saved versions with `cdpadm roles history`.',
  },
  'roles.assigned': {
    exit: 'conflict',
    summary: 'A role that would be deleted is still assigned to a user.',
    explanation: "In this case, the platform rejects the whole manifest. Its API does not list a role's users.",
    fix: 'Remove the role from its users in the product, or push without the deletion.',
  },
  'roles.conflict': {
    exit: 'conflict',
    summary: 'Another admin changed the same fields.',
    explanation: 'After you pulled, the same fields changed both on the platform and in your file. Nothing was sent.',
    fix: 'Merge with `cdpadm roles pull --merge`, or push on a terminal, and choose a value for each field.',
  },
  'roles.stale_file': {
    exit: 'conflict',
    summary: 'The file is not based on the live manifest.',
    explanation:
      'This machine does not have the manifest that the file was created from, so a push could undo changes made by other admins.',
    fix: 'Pull again, pass the original manifest with --base, or push with --expect-plan.',
  },
  'roles.changing': {
    exit: 'conflict',
    summary: 'The live manifest keeps changing.',
    explanation: 'Before each attempt, another process changed the manifest again. Nothing was sent.',
    fix: 'Find the other process, then push again.',
  },
  'roles.changed_meanwhile': {
    exit: 'conflict',
    summary: 'The platform does not have the manifest that was sent.',
    explanation:
      'Another admin made a change at the same time, or the platform stored something else. Your file was not changed.',
    fix: 'Compare with `cdpadm roles diff`; the previous version is saved.',
  },
  'roles.outdated': {
    exit: 'conflict',
    summary: 'The platform returned an outdated manifest.',
    explanation:
      'The manifest is older than the one that this machine stored last, or has no stamp. A write could delete roles that are missing from it.',
    fix: 'Run the command again later. If the platform was reset, pull into another file first.',
  },
  'roles.local_edits': {
    exit: 'conflict',
    summary: 'The file has unpushed changes.',
    explanation: 'Pulling would overwrite these changes.',
    fix: 'Push the changes first, merge with --merge, or pull into another file.',
  },
  'roles.guard.delete': {
    exit: 'guard',
    summary: 'The push would delete roles.',
    explanation: 'A role that is missing from the file is deleted for the whole organization.',
    fix: 'To allow the deletion, pass --allow-delete.',
  },
  'roles.guard.empty': {
    exit: 'guard',
    summary: 'The push would delete all roles.',
    explanation: 'The file contains no roles.',
    fix: 'To allow an empty manifest, pass --allow-empty.',
  },
  'roles.guard.threshold': {
    exit: 'guard',
    summary: 'The push would change more roles than the limit allows.',
    explanation: 'The limit protects against pushing the wrong file.',
    fix: 'Review the plan. `cdpadm roles push --help` lists the flag that allows such a push.',
  },
  'roles.guard.escalation': {
    exit: 'guard',
    summary: 'The push would grant more permissions.',
    explanation: '--fail-on escalation stops such a push.',
    fix: 'Have the plan reviewed, then push without --fail-on escalation.',
  },
  'groups.not_found': {
    exit: 'notFound',
    summary: 'The group definition does not exist.',
    explanation: 'No definition in the workspace has this id.',
    fix: 'List the definitions with `cdpadm groups list`.',
  },
  'groups.attribute_not_found': {
    exit: 'notFound',
    summary: 'The group does not share this attribute.',
    explanation: 'Only attributes that the group shares can be removed.',
    fix: 'Show the group with `cdpadm groups get`.',
  },
  'groups.exists': {
    exit: 'conflict',
    summary: 'The group definition already exists.',
    explanation: 'The workspace already has a definition with this id. Nothing was sent.',
    fix: 'Change the definition with `cdpadm groups update`, or choose another id.',
  },
  'groups.other_id': {
    exit: 'invalidInput',
    summary: 'The file defines a different group.',
    explanation: 'The id in the file and the id in the command differ.',
    fix: 'Correct one of the ids.',
  },
} as const satisfies Record<string, ErrorEntry>;
