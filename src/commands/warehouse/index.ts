// Commands for a whole warehouse sync setup.
import { group } from '../../lib/runtime/command-line/define-command.ts';
import { applyFolder } from './apply.ts';
import { diffFolder } from './diff.ts';
import { exportFolder } from './export.ts';

export const command = group('warehouse', 'connections, data models and pipelines as a folder of files', [
  exportFolder,
  diffFolder,
  applyFolder,
]);
