// Builds the elements of the console page. Text from outside is added as text, never as markup.

/** @typedef {Record<string, any>} Row */
/** @typedef {'manifests'|'role_assignments'|'groups'|'connections'|'data_models'|'pipelines'|'pipeline_runs'|'dsr_requests'|'dsr_steps'|'profiles'} Table */
/** @typedef {{ tables: Record<Table, Row[]>, counts: Row, faults: Row[], callbacks: Row[], log: Row[] }} State */
/** @typedef {Node | string | number | null | undefined} Child */

/** @param {string} id */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * @param {string} tag
 * @param {Record<string, string | boolean | (() => void)>} attributes
 * @param {...Child} children
 */
export function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false) element.setAttribute(name, value);
  }
  for (const child of children) {
    if (child !== null && child !== undefined) element.append(child instanceof Node ? child : `${child}`);
  }
  return element;
}

/** @param {unknown} value */
export const pretty = (value) => make('pre', {}, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
/** @param {string} text */
export const none = (text) => make('p', { class: 'quiet' }, text);
/** @param {number | null | undefined} ms epoch milliseconds */
export const time = (ms) =>
  typeof ms === 'number' ? make('time', {}, new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')) : '';
/** @param {Row} row */
export const documentOf = (row) => /** @type {Row} */ (JSON.parse(row['document'] ?? row['body'] ?? '{}'));

/**
 * A narrow page shows the label of each cell.
 * @param {string[]} heads
 * @param {number} at
 * @returns {Record<string, string>}
 */
const labelOf = (heads, at) => (at === 0 ? { scope: 'row' } : { 'data-label': heads[at] ?? '' });

/**
 * @param {string[]} heads
 * @param {Child[][]} rows
 * @param {string} empty
 * @param {string} kind
 */
export function table(heads, rows, empty, kind = '') {
  if (rows.length === 0) return none(empty);
  const head = make('tr', {}, ...heads.map((name) => make('th', { scope: 'col' }, name)));
  const body = rows.map((cells) =>
    make('tr', {}, ...cells.map((cell, at) => make(at === 0 ? 'th' : 'td', labelOf(heads, at), cell))),
  );
  const whole = make('table', { class: kind }, make('thead', {}, head), make('tbody', {}, ...body));
  return make('div', { class: 'scroll', tabindex: '0' }, whole);
}

/**
 * @param {string} id keeps it open when the page is drawn again
 * @param {Child} title
 * @param {...Child} children
 */
export const fold = (id, title, ...children) => make('details', { id }, make('summary', {}, title), ...children);

/** @param {string} name @param {Child} content */
export const part = (name, content) => make('section', {}, make('h2', {}, name), content);
