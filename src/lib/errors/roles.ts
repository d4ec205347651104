// Errors of roles and group identities.
import { exit } from './entry.ts';

export const ROLES_ERRORS = {
  'roles.not_found': exit.notFound(
    'The role does not exist.',
    'No role in the manifest has this id.',
    'List the roles with `cdpadm roles list`.',
  ),
  'roles.exists': exit.conflict(
    'The role already exists.',
    'The manifest already contains a role with this id or name.',
    'Change that role, or choose another id or name.',
  ),
  'roles.task_not_found': exit.notFound(
    'The task does not exist.',
    'No role has this task, and it is not in the catalog.',
    'List the tasks with `cdpadm roles tasks`.',
  ),
  'roles.template_not_found': exit.notFound(
    'The template does not exist.',
    'No built-in template has this name.',
    'List the templates with `cdpadm roles templates`.',
  ),
  'roles.revision_not_found': exit.notFound(
    'The saved version does not exist.',
    'Before every push, the previous version is saved on this machine, separately for each organization.',
    'List the saved versions with `cdpadm roles history`.',
  ),
  'roles.assigned': exit.conflict(
    'A role that would be deleted is still assigned to a user.',
    "In this case, the platform rejects the whole manifest. Its API does not list a role's users.",
    'Remove the role from its users in the product, or push without the deletion.',
  ),
  'roles.conflict': exit.conflict(
    'Another admin changed the same fields.',
    'After you pulled, the same fields changed both on the platform and in your file. Nothing was sent.',
    'Merge with `cdpadm roles pull --merge`, or push on a terminal, and choose a value for each field.',
  ),
  'roles.stale_file': exit.conflict(
    'The file is not based on the live manifest.',
    'This machine does not have the manifest that the file was created from, so a push could undo changes made by other admins.',
    'Pull again, pass the original manifest with --base, or push with --expect-plan.',
  ),
  'roles.changing': exit.conflict(
    'The live manifest keeps changing.',
    'Before each attempt, another process changed the manifest again. Nothing was sent.',
    'Find the other process, then push again.',
  ),
  'roles.changed_meanwhile': exit.conflict(
    'The platform does not have the manifest that was sent.',
    'Another admin made a change at the same time, or the platform stored something else. Your file was not changed.',
    'Compare with `cdpadm roles diff`; the previous version is saved.',
  ),
  'roles.outdated': exit.conflict(
    'The platform returned an outdated manifest.',
    'The manifest is older than the one that this machine stored last, or has no stamp. A write could delete roles that are missing from it.',
    'Run the command again later. If the platform was reset, pull into another file first.',
  ),
  'roles.local_edits': exit.conflict(
    'The file has unpushed changes.',
    'Pulling would overwrite these changes.',
    'Push the changes first, merge with --merge, or pull into another file.',
  ),
  'roles.guard.delete': exit.guard(
    'The push would delete roles.',
    'A role that is missing from the file is deleted for the whole organization.',
    'To allow the deletion, pass --allow-delete.',
  ),
  'roles.guard.empty': exit.guard(
    'The push would delete all roles.',
    'The file contains no roles.',
    'To allow an empty manifest, pass --allow-empty.',
  ),
  'roles.guard.threshold': exit.guard(
    'The push would change more roles than the limit allows.',
    'The limit protects against pushing the wrong file.',
    'Review the plan. `cdpadm roles push --help` lists the flag that allows such a push.',
  ),
  'roles.guard.escalation': exit.guard(
    'The push would grant more permissions.',
    '--fail-on escalation stops such a push.',
    'Have the plan reviewed, then push without --fail-on escalation.',
  ),
  'groups.not_found': exit.notFound(
    'The group definition does not exist.',
    'No definition in the workspace has this id.',
    'List the definitions with `cdpadm groups list`.',
  ),
  'groups.attribute_not_found': exit.notFound(
    'The group does not share this attribute.',
    'Only attributes that the group shares can be removed.',
    'Show the group with `cdpadm groups get`.',
  ),
  'groups.exists': exit.conflict(
    'The group definition already exists.',
    'The workspace already has a definition with this id. Nothing was sent.',
    'Change the definition with `cdpadm groups update`, or choose another id.',
  ),
  'groups.other_id': exit.invalidInput(
    'The file defines a different group.',
    'The id in the file and the id in the command differ.',
    'Correct one of the ids.',
  ),
};
