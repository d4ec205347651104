// Roles × tasks as columns for every table format, and as an HTML page to print or to hand to an auditor.
import { isEscalation } from '../domain/roles/escalation.ts';
import type { MatrixRow } from '../domain/roles/permissions.ts';
import { escapeHtml, htmlPage } from './html-page.ts';
import type { Column, ListView } from './view.ts';

const WORDS = { direct: 'yes', implied: 'by *' } as const;

/** A view with one column for each role. */
export function matrixView(roleIds: readonly string[]): ListView<MatrixRow> {
  return {
    kind: 'list',
    columns: [
      { key: 'task_id', title: 'TASK', id: true, value: (row) => row.task_id },
      ...roleIds.map((id): Column<MatrixRow> => ({
        key: id,
        title: id,
        value: (row) => wordOf(row, id),
        paint: (text, row, style) => (row.roles[id] === 'direct' ? style.green(text) : style.dim(text)),
      })),
    ],
    empty: 'There are no roles, or none of them holds a task.',
    name: (row) => row.task_id,
    html: (rows) => matrixPage(roleIds, rows),
  };
}

function wordOf(row: MatrixRow, roleId: string): string {
  const held = row.roles[roleId];
  return held ? WORDS[held] : '';
}

const STYLE = `
td.held { text-align: center; white-space: nowrap; }
td.direct { color: var(--mark); font-weight: 600; }
.look { color: var(--warn); font-size: .85em; white-space: nowrap; }`;

function matrixPage(roleIds: readonly string[], rows: readonly MatrixRow[]): string {
  const head = roleIds.map((id) => `<th scope="col"><code>${escapeHtml(id)}</code></th>`).join('');
  const body = rows.map((row) => `<tr>${rowHead(row)}${roleIds.map((id) => cell(row, id)).join('')}</tr>`).join('\n');
  return htmlPage(
    'Roles and what they may do',
    `<h1>Roles and what they may do</h1>
<p>“yes”: the role holds the task. “by *”: a task with full access to the same feature grants it. “escalation”: full access, or access to user management, API credentials or privacy.</p>
<div class="scroll"><table>
<thead><tr><th scope="col">Feature</th><th scope="col">Task</th>${head}</tr></thead>
<tbody>
${body}
</tbody>
</table></div>`,
    STYLE,
  );
}

function rowHead(row: MatrixRow): string {
  const permission = row.permission === '' ? '' : `: ${row.permission}`;
  const look = isEscalation(row.task_id) ? ' <span class="look">escalation</span>' : '';
  return `<td>${escapeHtml(row.feature + permission)}</td><th scope="row"><code>${escapeHtml(row.task_id)}</code>${look}</th>`;
}

function cell(row: MatrixRow, roleId: string): string {
  const held = row.roles[roleId];
  return `<td class="held${held === 'direct' ? ' direct' : ''}">${wordOf(row, roleId)}</td>`;
}
