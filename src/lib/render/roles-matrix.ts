// Roles × tasks as columns for every table format, and as an HTML page to print or to hand to an auditor.
import type { MatrixRow } from '../domain/roles/permissions.ts';
import { HELD_WORDS, type MatrixRole, type MatrixSource, matrixPage, NOTHING } from './roles-matrix-page.ts';
import type { Column, ListView } from './view.ts';

/** A view with one column for each role. `source` is what the page says of where the matrix comes from. */
export function matrixView(roles: readonly MatrixRole[], source: MatrixSource): ListView<MatrixRow> {
  return {
    kind: 'list',
    columns: [
      { key: 'task_id', title: 'TASK', id: true, value: (row) => row.task_id },
      ...roles.map(({ role_id: id }): Column<MatrixRow> => ({
        key: id,
        title: id,
        idTitle: true,
        value: (row) => wordOf(row, id),
        paint: (text, row, style) => (row.roles[id] === 'direct' ? style.green(text) : style.dim(text)),
      })),
    ],
    empty: NOTHING,
    name: (row) => row.task_id,
    html: (rows) => matrixPage(roles, rows, source),
  };
}

function wordOf(row: MatrixRow, roleId: string): string {
  const held = row.roles[roleId];
  return held ? HELD_WORDS[held] : '';
}
