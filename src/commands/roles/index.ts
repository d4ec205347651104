// The roles commands.
import { group } from '../../lib/runtime/command-line/define-command.ts';
import { createRole, deleteRoles, renameRole, updateRole } from './change.ts';
import { diffRoles } from './diff.ts';
import { editRoles } from './edit.ts';
import {
  compareRoles,
  explainRole,
  getRole,
  listHolders,
  listRoles,
  listTasks,
  listTemplates,
  showMatrix,
} from './read.ts';
import { listRevisions, rollBackRoles } from './history.ts';
import { pullRoles } from './pull.ts';
import { pushRoles } from './push.ts';
import { testRoles, validateRoles } from './validate.ts';

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
  testRoles,
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
