// Roles × tasks as columns of a table, and as an HTML page for print and for auditors.
import type { MatrixRow } from '../domain/roles/permissions.ts';
import { HELD_WORDS, type MatrixRole, type MatrixSource, matrixPage, NOTHING } from './roles-matrix-page.ts';
import type { Column, ListView } from './view.ts';

/** A view with one column per role. `source` is printed on the page. */
export function matrixView(roles: readonly MatrixRole[], source: MatrixSource): ListView<MatrixRow> {
  return {
    kind: 'list',
    columns: [
      { key: 'task_id', title: 'TASK', id: true, value: (row) => row.task_id },
      ...roles.map(({ role_id: id }): Column<MatrixRow> => ({
        key: id,
        title: id,
        idTitle: true,
        value: ({ roles: { [id]: held } }) => (held ? HELD_WORDS[held] : ''),
        paint: (text, row, style) => (row.roles[id] === 'direct' ? style.green(text) : style.dim(text)),
      })),
    ],
    empty: NOTHING,
    name: (row) => row.task_id,
    html: (rows) => matrixPage(roles, rows, source),
  };
}
