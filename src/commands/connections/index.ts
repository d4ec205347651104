// The connection commands.
import { buildGroup } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { createConnection } from './create.ts';
import { deleteConnection } from './delete.ts';
import { getConnection } from './get.ts';
import { listConnections } from './list.ts';
import { updateConnection } from './update.ts';

export function connectionsGroup(ctx: Context) {
  return buildGroup(ctx, 'connections', 'where warehouses are and how they are entered', [
    listConnections,
    getConnection,
    createConnection,
    updateConnection,
    deleteConnection,
  ]);
}
