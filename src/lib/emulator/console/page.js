// The console page: reads the state regularly and draws the open tab when something changed.
import { act, call, report } from './control.js';
import { byId, make, MOST_ROWS } from './dom.js';
import { checked } from './traffic.js';
import { TABS } from './views.js';

/** @typedef {import('./dom.js').Row} Row */
/** @typedef {import('./dom.js').Child} Child */

const REFRESH_MS = 1500;

/** What falls due, by platform area. */
const DUE = { dsr: 'data subject requests', groups: 'group refresh', pipelines: 'pipeline run' };

/** @type {Row | undefined} */
let state;
let drawn = '';

const current = () => (Object.hasOwn(TABS, location.hash.slice(1)) ? location.hash.slice(1) : 'roles');

/** Draws the open tab, and keeps what is open, scrolled, focused or typed. */
function draw() {
  if (!state) return;
  const { clock, due, now } = state;
  byId('clock').textContent = `${now} (${clock})`;
  byId('due').textContent =
    due.length === 0
      ? 'Nothing falls due.'
      : `Next: ${DUE[/** @type {keyof typeof DUE} */ (due[0].area)]}, ${due[0].at}`;
  const name = current();
  const text = JSON.stringify([name, { ...state, now: 0 }, [...checked.keys()]]);
  if (text === drawn) return;
  drawn = text;
  const [title, show] = /** @type {(typeof TABS)[string]} */ (TABS[name]);
  const focused = document.activeElement?.id ?? '';
  document.title = `${title} · Embedded platform`;
  byId('tabs').replaceChildren(
    ...Object.entries(TABS).map(([id, [label]]) =>
      make('a', { href: `#${id}`, id: `tab-${id}`, ...(id === name && { 'aria-current': 'page' }) }, label),
    ),
  );
  const open = [...document.querySelectorAll('details[open]')].map(({ id }) => id);
  const scrolled = [...document.querySelectorAll('.scroll')].map(({ id, scrollLeft }) => ({ id, scrollLeft }));
  const typed = [...document.querySelectorAll('input')].map(({ id, value }) => /** @type {const} */ ([id, value]));
  byId('view').replaceChildren(...show(/** @type {any} */ (state)).filter((child) => child instanceof Node));
  for (const id of open) document.getElementById(id)?.setAttribute('open', '');
  for (const [id, value] of typed) {
    const input = document.getElementById(id);
    if (input instanceof HTMLInputElement) input.value = value;
  }
  for (const { id, scrollLeft } of scrolled) document.getElementById(id)?.scrollTo({ left: scrollLeft });
  if (focused !== '') (document.getElementById(focused) ?? byId('view')).focus({ preventScroll: true });
}

async function refresh() {
  const { tables, ...rest } = await call('/ui/state');
  const callbacks = tables.callbacks.map((/** @type {Row} */ row) => ({
    ...row,
    attempts: JSON.parse(row['attempts']),
  }));
  const log = current() === 'log' ? (await call('/requests?bodies=true')).slice(-MOST_ROWS - 1) : [];
  state = { ...rest, tables, callbacks, log };
  report('refresh');
  draw();
}

/** @param {unknown} error */
const failed = (error) => report('refresh', error);

async function follow() {
  for (;;) {
    if (!document.hidden) await refresh().catch(failed);
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
  }
}

byId('moves').addEventListener('click', ({ target }) => {
  const advance = target instanceof HTMLElement ? target.dataset['advance'] : undefined;
  if (advance !== undefined) act(() => call('/clock', 'POST', { advance }));
});
addEventListener('hashchange', () => report('change'));
for (const event of ['hashchange', 'changed']) addEventListener(event, () => void refresh().catch(failed));
void follow();
