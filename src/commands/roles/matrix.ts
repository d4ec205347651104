// `roles matrix`: every role against every task.
import { array, enum as oneOf, nullable, object, record, string } from 'zod/mini';
import { roleMatrix } from '../../lib/domain/roles/permissions.ts';
import { matrixView } from '../../lib/render/roles-matrix.ts';
import { COMMON_FORMATS } from '../../lib/runtime/command-line/help.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { pageSource } from '../page-source.ts';

export const showMatrix = defineCommand({
  path: 'roles matrix',
  summary: 'show the tasks of every role: roles × tasks',
  effect: 'read',
  calls: 'platform',
  output: () =>
    array(
      object({
        task_id: string(),
        feature: string(),
        permission: string(),
        roles: record(string(), nullable(oneOf(['direct', 'implied']))),
      }),
    ),
  // A column for each role.
  columns: () => undefined,
  formats: [...COMMON_FORMATS, 'html'],
  notes: ['`-o html` is one page without scripts, to print or to share: cdpadm roles matrix -o html --out roles.html'],
  examples: ['cdpadm roles matrix', 'cdpadm roles matrix -o csv', 'cdpadm roles matrix -o html --out roles.html'],
  run: async (ctx) => {
    const api = await ctx.api();
    const { roles, last_modified_on, last_modified_by } = await api.roles.get({ signal: ctx.signal });
    // All workspaces of an organization share one manifest.
    const source = { ...(await pageSource(ctx)), workspace: undefined, last_modified_on, last_modified_by };
    await ctx.out.emit(roleMatrix(roles), matrixView(roles, source));
  },
});
