// The groups commands.
import { group } from '../../lib/runtime/command-line/define-command.ts';
import { addAttributes, removeAttributes, createGroup, setGroup, updateGroup, deleteGroup } from './change.ts';
import { diffGroup, getGroup, listGroups } from './read.ts';

export const command = group('groups', 'group identities, such as households', [
  listGroups,
  getGroup,
  createGroup,
  updateGroup,
  setGroup,
  deleteGroup,
  diffGroup,
  group('attributes', 'attributes that the members of a group share', [addAttributes, removeAttributes]),
]);
