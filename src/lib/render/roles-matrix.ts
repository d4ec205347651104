// The matrix of roles and tasks, as a table and as an HTML page (one table on screen, a few roles per sheet on paper).
import type { Role } from '../domain/roles/manifest.ts';
import { type MatrixRow, isEscalation } from '../domain/roles/permissions.ts';
import type { Column, ListView } from './view.ts';
import { groupBy } from '../kernel/group-by.ts';
import { counted } from '../kernel/words.ts';
import { escapeHtml, htmlPage, type PageSource } from './html-page.ts';

/** Returns a view with one column per role. The page shows `source`. */
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

type MatrixRole = Pick<Role, 'role_id' | 'name'>;

interface MatrixSource extends PageSource {
  last_modified_on?: string | null | undefined;
  last_modified_by?: string | null | undefined;
}

/** Words for a cell. Colors only repeat them. */
const HELD_WORDS = { direct: 'yes', implied: 'by *' } as const;

const NOTHING = 'There are no roles, or none of them has a task.';

/** Maximum number of roles per sheet of paper. A table with more roles has vertical headings. */
const MANY_ROLES = 8;

export function matrixPage(roles: readonly MatrixRole[], rows: readonly MatrixRow[], source: MatrixSource): string {
  const paper = Array.from(
    { length: roles.length > MANY_ROLES ? Math.ceil(roles.length / MANY_ROLES) : 0 },
    (_, sheet) => {
      const first = sheet * MANY_ROLES;
      const part = roles.slice(first, first + MANY_ROLES);
      const caption = `<p>Roles ${first + 1} to ${first + part.length} of ${roles.length}</p>`;
      return `<section class="paper">${caption}${table(part, rows)}</section>`;
    },
  ).join('\n');
  const whole = `<div class="scroll${paper === '' ? '' : ' screen'}" tabindex="0">${table(roles, rows)}</div>`;
  const by = source.last_modified_by ? ` by ${source.last_modified_by}` : '';
  return htmlPage(source, {
    title: 'Roles and their permissions',
    facts: [
      counted(roles.length, 'role'),
      counted(rows.length, 'task'),
      ...(source.last_modified_on ? [`last modified ${source.last_modified_on} UTC${by}`] : []),
    ],
    lead: `<ul class="legend">
<li><span class="direct">${HELD_WORDS.direct}</span> the role has the task</li>
<li><span class="implied">${HELD_WORDS.implied}</span> full access to the same feature grants it</li>
<li><span class="look">escalation</span> full access, or any access to user management, API credentials or privacy</li>
</ul>`,
    main: rows.length === 0 ? `<p>${NOTHING}</p>` : `${whole}\n${paper}`,
    style: STYLE,
  });
}

function table(roles: readonly MatrixRole[], rows: readonly MatrixRow[]): string {
  const heads = roles.map((role) => roleHead(role, rows)).join('');
  return `<table${roles.length > MANY_ROLES ? ' class="upright"' : ''}>
<thead><tr><th scope="col" class="first">Feature and permission</th>${heads}</tr></thead>
${[...groupBy(rows, ({ feature }) => feature)].map((group) => featureBody(group, roles)).join('\n')}
</table>`;
}

function roleHead({ role_id, name }: MatrixRole, rows: readonly MatrixRow[]): string {
  const held = rows.filter((row) => row.roles[role_id] === 'direct');
  const looks = held.filter((row) => isEscalation(row.task_id)).length;
  const told = [counted(held.length, 'task'), ...(looks > 0 ? [counted(looks, 'escalation')] : [])];
  const own = name && name !== role_id ? `<span class="name">${wordsWhole(name)}</span>` : '';
  const whole = escapeHtml(name && name !== role_id ? `${name} (${role_id})` : role_id);
  return `<th scope="col" class="role" title="${whole}"><div>${own}<code>${breakable(role_id)}</code><small>${told.join(', <br>')}</small></div></th>`;
}

/** A task that is not in the reference has no feature. */
function featureBody([feature, group]: [string, MatrixRow[]], roles: readonly MatrixRole[]): string {
  const title = feature === '' ? 'Not in the permission reference' : feature;
  const head = `<tr class="feature"><th scope="rowgroup" colspan="${roles.length + 1}"><span>${escapeHtml(title)}</span></th></tr>`;
  return `<tbody>${head}\n${group.map((row) => `<tr>${rowHead(row)}${roles.map((role) => cell(row, role.role_id)).join('')}</tr>`).join('\n')}</tbody>`;
}

function rowHead(row: MatrixRow): string {
  const look = isEscalation(row.task_id) ? '<span class="look">escalation</span>' : '';
  const permission = row.permission === '' ? '' : `<span class="permission">${escapeHtml(row.permission)}</span>`;
  return `<th scope="row" class="first"><div>${permission}<code>${breakable(row.task_id)}</code>${look}</div></th>`;
}

/** Allows a line break after each word of an id, but never between a feature and its `:*`. */
function breakable(id: string): string {
  return escapeHtml(id).replace(/[:_-](?!\*)/g, '$&<wbr>');
}

/** Allows a line break only within words of more than 18 characters, so that a column is wide enough for its words. */
function wordsWhole(name: string): string {
  return (name.match(/\S{1,18}|\s+/g) ?? []).map(escapeHtml).join('<wbr>');
}

function cell(row: MatrixRow, roleId: string): string {
  const held = row.roles[roleId];
  return held ? `<td><span class="${held}">${HELD_WORDS[held]}</span></td>` : '<td></td>';
}

/** Uses separate borders, because collapsed borders would not move with a sticky heading. */
const STYLE = `
.legend { display: flex; flex-wrap: wrap; gap: .35rem 1.5rem; margin: 0 0 1.1rem; padding: 0; list-style: none; color: var(--quiet); font-size: .875rem; }
.direct, .implied, .look { display: inline-block; border-radius: 1em; white-space: nowrap; }
.direct { padding: 0 .6em; background: var(--mark-soft); color: var(--mark); font-weight: 600; }
.implied { color: var(--faint); }
.look { padding: 0 .55em; border: 1px solid currentColor; color: var(--warn); background: var(--warn-soft); font-size: .75rem; font-weight: 500; }
.scroll { overflow: auto; max-height: calc(100vh - 3.5rem); width: fit-content; max-width: 100%; border: 1px solid var(--line); border-radius: .5rem; }
.scroll:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; }
table { border-collapse: separate; border-spacing: 0; }
th, td { padding: .3rem .75rem; border-bottom: 1px solid var(--line); text-align: left; font-weight: 400; vertical-align: middle; }
tbody:last-child tr:last-child > * { border-bottom: 0; }
td { text-align: center; }
td + td, th + td, th + th { border-left: 1px solid var(--line); }
thead th { position: sticky; top: 0; z-index: 2; background: var(--soft); vertical-align: bottom; padding-block: .6rem; }
.first { position: sticky; left: 0; z-index: 1; background: var(--page); }
thead .first { z-index: 3; background: var(--soft); font-weight: 600; }
th.first > div { display: flex; align-items: center; gap: .25rem .8rem; white-space: nowrap; }
.permission { min-width: 10.5rem; }
th.first .look { margin-left: auto; }
tr.feature > * { background: var(--soft); padding-block: .25rem; border-left: 0; }
tr.feature th { font-weight: 600; }
tr.feature span { position: sticky; left: .75rem; }
tbody tr:not(.feature):hover > * { background: color-mix(in srgb, var(--mark-soft) 45%, var(--page)); }
.role { min-width: 6.5rem; max-width: 11rem; text-align: center; }
.role > div { display: flex; flex-direction: column; gap: .1rem; overflow-wrap: anywhere; }
.role .name { font-weight: 600; overflow-wrap: break-word; }
.role code { color: var(--quiet); font-size: .8rem; }
.role small { color: var(--faint); font-size: .75rem; overflow-wrap: normal; }
.upright .role { min-width: 0; max-width: none; padding-inline: .3rem; }
.upright .role > div { writing-mode: vertical-rl; transform: rotate(180deg); max-height: 17rem; margin-inline: auto; text-align: left; gap: 0; line-height: 1.2; }
.upright .role .name { font-size: .875rem; }
.upright .role .name, .upright .role code { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.upright .role wbr, .upright .role small br { display: none; }
.upright .role small { white-space: nowrap; }
.upright td { padding-inline: .2rem; }
.upright .direct { padding: 0 .45em; }
@media screen and (min-width: 48.01rem) {
  .first wbr { display: none; }
  .permission { min-width: 9rem; }
}
.paper { display: none; }
@media screen and (max-width: 48rem) {
  th.first > div { flex-direction: column; align-items: flex-start; white-space: normal; gap: 0; }
  th.first .look { margin-left: 0; }
  .permission { min-width: 0; }
  tr:not(.feature) > .first { min-width: 9rem; max-width: 10rem; padding-inline: .5rem; overflow-wrap: anywhere; }
  .role { min-width: 6.1rem; padding-inline: .4rem; overflow-wrap: break-word; }
  .role code { font-size: .75rem; }
}
@media print {
  .scroll { overflow: visible; max-height: none; border: 0; width: auto; }
  .screen { display: none; }
  .paper { display: block; }
  .paper + .paper { break-before: page; }
  .paper > p { margin-bottom: 2mm; }
  .legend { margin-bottom: 3mm; }
  table { width: 100%; table-layout: fixed; border-top: 1px solid var(--line); line-height: 1.3; }
  thead { display: table-header-group; }
  thead th, .first { position: static; }
  thead .first { width: 40%; }
  tr { break-inside: avoid; }
  tr.feature { break-after: avoid; }
  th, td { padding: .6mm 1.5mm; }
  tr.feature > *, thead th { padding-block: .6mm; }
  th.first > div { flex-wrap: wrap; }
  .permission { min-width: 30mm; }
  .role { min-width: 0; max-width: none; }
  .direct, .look { border: 1px solid currentColor; line-height: 1.25; }
  .direct { padding: 0 .5em; }
  .look { font-size: 7pt; }
  th, td, .direct, .look { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}`;
