// Errors of connections, data models, pipelines and seeding.
import type { ErrorEntry } from './entry.ts';

export const WAREHOUSE_ERRORS = {
  'warehouse.not_found': {
    exit: 'notFound',
    summary: 'The connection, data model or pipeline does not exist.',
    explanation: 'No resource in the workspace has this id.',
    fix: 'List the existing resources with the `list` command.',
  },
  'warehouse.exists': {
    exit: 'conflict',
    summary: 'The id is already in use.',
    explanation: 'The workspace already has a resource with this id. Nothing was sent.',
    fix: 'Change that resource with the `update` command, or choose another id.',
  },
  'warehouse.in_use': {
    exit: 'conflict',
    summary: 'The resource is used by a pipeline.',
    explanation: 'The platform does not delete a resource that is in use.',
    fix: 'First delete the pipelines that use it, or change what they use.',
  },
  'warehouse.id': {
    exit: 'failed',
    summary: 'An id cannot be used as a file name.',
    explanation: 'The export writes one file per resource, named after its id.',
    fix: 'Create the resource again with an id that contains only letters, digits, `_` and `-`.',
  },
  'warehouse.local_edits': {
    exit: 'conflict',
    summary: 'Files differ from the platform.',
    explanation: 'The export would overwrite changes that were not applied.',
    fix: 'Compare them with `cdpadm warehouse diff`, then apply the files, or export into another folder.',
  },
  'warehouse.incomplete': {
    exit: 'failed',
    summary: 'Some steps of the plan were not completed.',
    explanation:
      'If a step fails, only the steps that depend on it are skipped. The other steps were applied. The exit code is 8 if the outcome of a step is unknown.',
    fix: 'Fix the cause, then apply the folder again, or save and apply a new plan. Completed steps are not repeated.',
  },
  'warehouse.guard.delete': {
    exit: 'guard',
    summary: 'The plan would delete resources.',
    explanation: '--prune deletes the resources that no file defines.',
    fix: 'To allow the deletions, pass --allow-delete.',
  },
  'warehouse.guard.reset': {
    exit: 'guard',
    summary: 'A change would reset a sync position.',
    explanation: 'The pipeline would then read its data again.',
    fix: 'To allow the reset, pass --allow-reset.',
  },
  'warehouse.guard.empty': {
    exit: 'guard',
    summary: 'The plan would delete everything.',
    explanation: 'With --prune, a folder without any definition deletes every resource.',
    fix: 'To allow these deletions, pass --allow-empty.',
  },
  'resource.created_meanwhile': {
    exit: 'conflict',
    summary: 'Another admin created the resource first.',
    explanation: 'The resource was created after the command checked that the id was free. Nothing was overwritten.',
    fix: 'Review the resource before you decide what to do.',
  },
  'resource.changed_meanwhile': {
    exit: 'conflict',
    summary: 'Another admin changed the resource first.',
    explanation: 'The resource changed after the command had read it. Nothing was overwritten.',
    fix: 'Check the resource, then run the command again.',
  },
  'pipelines.not_idle': {
    exit: 'conflict',
    summary: 'The pipeline is running.',
    explanation: 'The platform does not start a second run.',
    fix: 'Add --wait-idle, or watch the run with `cdpadm pipelines watch`.',
  },
  'pipelines.paused': {
    exit: 'conflict',
    summary: 'The pipeline is paused.',
    explanation: 'The platform does not run a paused pipeline.',
    fix: 'Resume the pipeline with `cdpadm pipelines resume`.',
  },
  'pipelines.no_runs': {
    exit: 'notFound',
    summary: 'The pipeline has not run yet.',
    explanation: 'There is nothing to show or to watch.',
    fix: 'Start a run with `cdpadm pipelines trigger`.',
  },
  'pipelines.run_failed': {
    exit: 'failed',
    summary: 'The run failed.',
    explanation: 'The message quotes the errors of the run.',
    fix: 'To find the cause, run `cdpadm pipelines doctor`.',
  },
  'pipelines.stale': {
    exit: 'failed',
    summary: 'The data is older than allowed.',
    explanation: 'The last successful run is older than --fail-if-stale allows.',
    fix: 'To find the cause, run `cdpadm pipelines doctor`.',
  },
  'warehouse.guard.threshold': {
    exit: 'guard',
    summary: 'The plan would change or delete more resources than the limit allows.',
    explanation: 'The limit protects against applying the wrong folder.',
    fix: 'Review the plan. `cdpadm warehouse apply --help` lists the flag that allows such a plan.',
  },
  'pipelines.guard.reset': {
    exit: 'guard',
    summary: 'The change would reset the sync position.',
    explanation: 'The pipeline would then read its data again.',
    fix: 'To allow the reset, pass --allow-reset.',
  },
  'bulk.too_many_errors': {
    exit: 'partial',
    summary: 'Too many rows were rejected.',
    explanation: 'The run stopped at the --max-errors limit. Rows that were already accepted remain accepted.',
    fix: 'Fix the rows in the results or rejects file and send that file.',
  },
  'seed.no_row': {
    exit: 'notFound',
    summary: 'The file has no such row.',
    explanation: 'Rows are counted from 1, not including the header.',
    fix: 'Count the rows with `cdpadm seed validate`.',
  },
  'seed.run_before': {
    exit: 'guard',
    summary: 'This file was already sent.',
    explanation: 'Sending it again may be a mistake.',
    fix: 'Pass --resume to continue, or --restart to send the whole file again.',
  },
  'seed.running': {
    exit: 'guard',
    summary: 'Another process is sending this file.',
    explanation: 'Both processes would send the same rows.',
    fix: 'Wait for that process to finish, then send the remaining rows with --resume.',
  },
  'seed.changed': {
    exit: 'conflict',
    summary: 'The file has changed since the run that you want to resume.',
    explanation: 'The rows of the file no longer match the journal.',
    fix: 'Pass --restart to send the whole file.',
  },
  'seed.journal': {
    exit: 'failed',
    summary: 'The journal of a run cannot be read.',
    explanation: 'Without the journal, the program cannot tell which rows were accepted.',
    fix: 'Pass --restart. Sending a row twice is safe: it sets the same values again.',
  },
} as const satisfies Record<string, ErrorEntry>;
