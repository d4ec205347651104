// The data model commands.
import { buildGroup } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { createDataModel } from './create.ts';
import { deleteDataModel } from './delete.ts';
import { getDataModel } from './get.ts';
import { listDataModels } from './list.ts';
import { updateDataModel } from './update.ts';

export function dataModelsGroup(ctx: Context) {
  return buildGroup(ctx, 'data-models', 'SQL queries that pipelines read', [
    listDataModels,
    getDataModel,
    createDataModel,
    updateDataModel,
    deleteDataModel,
  ]);
}
