// The groups commands.
import { buildGroup } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { addAttributes, removeAttributes } from './attributes.ts';
import { createGroup, setGroup, updateGroup } from './change.ts';
import { deleteGroup } from './delete.ts';
import { diffGroup, getGroup, listGroups } from './read.ts';

export function groupsGroup(ctx: Context) {
  return buildGroup(ctx, 'groups', 'group identities: households and the like', [
    listGroups,
    getGroup,
    createGroup,
    updateGroup,
    setGroup,
    deleteGroup,
    diffGroup,
    { name: 'attributes', summary: 'what the members of a group share', records: [addAttributes, removeAttributes] },
  ]);
}
