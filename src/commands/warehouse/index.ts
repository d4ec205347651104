// The commands over all of warehouse sync at once.
import { buildGroup } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { applyFolder } from './apply.ts';
import { diffFolder } from './diff.ts';
import { exportFolder } from './export.ts';

export function warehouseGroup(ctx: Context) {
  return buildGroup(ctx, 'warehouse', 'connections, data models and pipelines as a folder of files', [
    exportFolder,
    diffFolder,
    applyFolder,
  ]);
}
