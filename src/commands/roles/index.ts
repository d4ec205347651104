// The roles commands.
import { group } from '../../lib/runtime/command-line/define-command.ts';
import { compareRoles } from './compare.ts';
import { createRole } from './create.ts';
import { deleteRoles } from './delete.ts';
import { diffRoles } from './diff.ts';
import { editRoles } from './edit.ts';
import { explainRole } from './explain.ts';
import { getRole } from './get.ts';
import { listRevisions } from './history.ts';
import { listRoles } from './list.ts';
import { showMatrix } from './matrix.ts';
import { pullRoles } from './pull.ts';
import { pushRoles } from './push.ts';
import { renameRole } from './rename.ts';
import { rollBackRoles } from './rollback.ts';
import { listTasks } from './tasks.ts';
import { listTemplates } from './templates.ts';
import { updateRole } from './update.ts';
import { validateRoles } from './validate.ts';
import { listHolders } from './who-can.ts';

export const command = group('roles', 'custom access roles: pull, edit, diff, push', [
  listRoles,
  getRole,
  listTasks,
  explainRole,
  listHolders,
  compareRoles,
  showMatrix,
  listTemplates,
  pullRoles,
  validateRoles,
  diffRoles,
  pushRoles,
  editRoles,
  createRole,
  updateRole,
  renameRole,
  deleteRoles,
  listRevisions,
  rollBackRoles,
]);
