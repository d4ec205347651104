// Builds the elements of the console page. External text is added as text, never as markup.

/** @typedef {Record<string, any>} Row */
/** @typedef {'manifests'|'role_assignments'|'groups'|'connections'|'data_models'|'pipelines'|'pipeline_runs'|'dsr_requests'|'dsr_steps'|'profiles'} Table */
/** @typedef {{ tables: Record<Table, Row[]>, counts: Row, faults: Row[], callbacks: Row[], log: Row[], words: Record<string, string> }} State */
/** @typedef {Node | string | number | null | undefined} Child */

/** As in the terminal: characters that are invisible or reorder the text around them. */
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff\u{e0000}-\u{e007f}]/gu;

/** @param {string} text */
export const visible = (text) =>
  text.replace(UNSAFE, (unsafe) => `\\u{${unsafe.codePointAt(0)?.toString(16).toUpperCase()}}`);

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
    if (child !== null && child !== undefined) element.append(child instanceof Node ? child : visible(`${child}`));
  }
  return element;
}

/** Maximum number of rows shown. The platform sends one more. */
export const MOST_ROWS = 200;
const LIMITED = `Only the newest ${MOST_ROWS} are shown.`;

/** @param {unknown} value */
export const pretty = (value) => make('pre', {}, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
/** @param {string} text */
export const none = (text) => make('p', { class: 'quiet' }, text);
/** @param {number | null | undefined} ms epoch milliseconds */
export const time = (ms) =>
  typeof ms === 'number' ? make('time', {}, new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')) : '';
/** @param {string} status of a run, a callback or a resource */
export const marked = (status) =>
  make('span', { class: BAD.includes(status) ? 'bad' : status === 'delivered' ? 'good' : '' }, status);
const BAD = ['failed', 'faulted', 'invalid'];
/** The deployment's word for a neutral word. @param {Record<string, string>} words @param {string} word */
export const worded = (words, word) => (Object.hasOwn(words, word) ? `${words[word]}` : word);
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
 * Each fold gets its own row, as wide as the table.
 * @param {string} id keeps the scroll position when the page is drawn again
 * @param {string[]} heads
 * @param {Child[][]} rows
 * @param {string} empty
 * @param {string} kind
 */
export function table(id, heads, rows, empty, kind = '') {
  if (rows.length === 0) return none(empty);
  const head = make('tr', {}, ...heads.map((name) => make('th', { scope: 'col' }, name)));
  const body = rows.slice(0, MOST_ROWS).flatMap((cells) => {
    const wide = cells.filter((cell) => cell instanceof HTMLDetailsElement);
    const narrow = cells.filter((cell) => !(cell instanceof HTMLDetailsElement));
    return [
      make('tr', {}, ...narrow.map((cell, at) => make(at === 0 ? 'th' : 'td', labelOf(heads, at), cell))),
      ...wide.map((cell) => make('tr', {}, make('td', { class: 'wide', colspan: `${heads.length}` }, cell))),
    ];
  });
  const whole = make('table', { class: kind }, make('thead', {}, head), make('tbody', {}, ...body));
  return make('div', { class: 'scroll', id: `table-${id}`, tabindex: '0' }, whole);
}

/**
 * @param {string} id keeps the fold open when the page is drawn again
 * @param {Child} title
 * @param {...Child} children
 */
export const fold = (id, title, ...children) =>
  make('details', { id }, make('summary', { id: `${id}-summary` }, title), ...children);

/**
 * @param {string} name
 * @param {Child} content
 * @param {unknown[]} rows of the platform's table
 */
export const part = (name, content, rows = []) =>
  make('section', {}, make('h2', {}, name), rows.length <= MOST_ROWS ? null : none(LIMITED), content);
