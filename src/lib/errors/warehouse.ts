// Errors of connections, data models, pipelines and seeding.
import { exit } from './entry.ts';

export const WAREHOUSE_ERRORS = {
  'warehouse.not_found': exit.notFound(
    'The connection, data model or pipeline does not exist.',
    'No resource in the workspace has this id.',
    'List the existing resources with the `list` command.',
  ),
  'warehouse.exists': exit.conflict(
    'The id is already in use.',
    'The workspace already has a resource with this id. Nothing was sent.',
    'Change that resource with the `update` command, or choose another id.',
  ),
  'warehouse.in_use': exit.conflict(
    'The resource is used by a pipeline.',
    'The platform does not delete a resource that is in use.',
    'First delete the pipelines that use it, or change what they use.',
  ),
  'warehouse.id': exit.failed(
    'An id cannot be used as a file name.',
    'The export writes one file per resource, named after its id.',
    'Create the resource again with an id that contains only letters, digits, `_` and `-`.',
  ),
  'warehouse.local_edits': exit.conflict(
    'Files differ from the platform.',
    'The export would overwrite changes that were not applied.',
    'Compare them with `cdpadm warehouse diff`, then apply the files, or export into another folder.',
  ),
  'warehouse.incomplete': exit.failed(
    'Some steps of the plan were not completed.',
    'If a step fails, only the steps that depend on it are skipped. The other steps were applied. The exit code is 8 if the outcome of a step is unknown.',
    'Fix the cause, then apply the folder again, or save and apply a new plan. Completed steps are not repeated.',
  ),
  'warehouse.guard.delete': exit.guard(
    'The plan would delete resources.',
    '--prune deletes the resources that no file defines.',
    'To allow the deletions, pass --allow-delete.',
  ),
  'warehouse.guard.reset': exit.guard(
    'A change would reset a sync position.',
    'The pipeline would then read its data again.',
    'To allow the reset, pass --allow-reset.',
  ),
  'warehouse.guard.empty': exit.guard(
    'The plan would delete everything.',
    'With --prune, a folder without any definition deletes every resource.',
    'To allow these deletions, pass --allow-empty.',
  ),
  'resource.created_meanwhile': exit.conflict(
    'Another admin created the resource first.',
    'The resource was created after the command checked that the id was free. Nothing was overwritten.',
    'Review the resource before you decide what to do.',
  ),
  'resource.changed_meanwhile': exit.conflict(
    'Another admin changed the resource first.',
    'The resource changed after the command had read it. Nothing was overwritten.',
    'Check the resource, then run the command again.',
  ),
  'pipelines.not_idle': exit.conflict(
    'The pipeline is running.',
    'The platform does not start a second run.',
    'Add --wait-idle, or watch the run with `cdpadm pipelines watch`.',
  ),
  'pipelines.paused': exit.conflict(
    'The pipeline is paused.',
    'The platform does not run a paused pipeline.',
    'Resume the pipeline with `cdpadm pipelines resume`.',
  ),
  'pipelines.no_runs': exit.notFound(
    'The pipeline has not run yet.',
    'There is nothing to show or to watch.',
    'Start a run with `cdpadm pipelines trigger`.',
  ),
  'pipelines.run_failed': exit.failed(
    'The run failed.',
    'The message quotes the errors of the run.',
    'To find the cause, run `cdpadm pipelines doctor`.',
  ),
  'pipelines.stale': exit.failed(
    'The data is older than allowed.',
    'The last successful run is older than --fail-if-stale allows.',
    'To find the cause, run `cdpadm pipelines doctor`.',
  ),
  'warehouse.guard.threshold': exit.guard(
    'The plan would change or delete more resources than the limit allows.',
    'The limit protects against applying the wrong folder.',
    'Review the plan. `cdpadm warehouse apply --help` lists the flag that allows such a plan.',
  ),
  'pipelines.guard.reset': exit.guard(
    'The change would reset the sync position.',
    'The pipeline would then read its data again.',
    'To allow the reset, pass --allow-reset.',
  ),
  'bulk.too_many_errors': exit.partial(
    'Too many rows were rejected.',
    'The run stopped at the --max-errors limit. Rows that were already accepted remain accepted.',
    'Fix the rows in the results or rejects file and send that file.',
  ),
  'seed.no_row': exit.notFound(
    'The file has no such row.',
    'Rows are counted from 1, not including the header.',
    'Count the rows with `cdpadm seed validate`.',
  ),
  'seed.run_before': exit.guard(
    'This file was already sent.',
    'Sending it again may be a mistake.',
    'Pass --resume to continue, or --restart to send the whole file again.',
  ),
  'seed.running': exit.guard(
    'Another process is sending this file.',
    'Both processes would send the same rows.',
    'Wait for that process to finish, then send the remaining rows with --resume.',
  ),
  'seed.changed': exit.conflict(
    'The file has changed since the run that you want to resume.',
    'The rows of the file no longer match the journal.',
    'Pass --restart to send the whole file.',
  ),
  'seed.journal': exit.failed(
    'The journal of a run cannot be read.',
    'Without the journal, the program cannot tell which rows were accepted.',
    'Pass --restart. Sending a row twice is safe: it sets the same values again.',
  ),
};
