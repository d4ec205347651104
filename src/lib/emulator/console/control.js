// Calls the control address, which also serves this page.
import { byId, visible } from './dom.js';

/** @typedef {import('./dom.js').Row} Row */

/**
 * @param {string} path under the control address
 * @param {'GET' | 'POST' | 'DELETE'} method
 * @param {object} [body]
 * @returns {Promise<any>}
 */
export async function call(path, method = 'GET', body) {
  const options = body
    ? { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    : { method };
  const reply = await fetch(`.${path}`, options);
  const text = await reply.text();
  const json = /** @type {Row} */ (text === '' ? {} : JSON.parse(text));
  if (!reply.ok) throw new Error(json['errors']?.[0]?.message ?? `The platform responded with ${reply.status}.`);
  return json;
}

/** @type {Map<'refresh' | 'change', string>} */
const problems = new Map();

/** Shows or removes the error of a kind of work. @param {'refresh' | 'change'} work @param {unknown} [error] */
export function report(work, error) {
  if (error instanceof Error) problems.set(work, error.message);
  else problems.delete(work);
  const text = visible([...problems.values()].join(' '));
  const problem = byId('problem');
  // A screen reader would announce the same text again.
  if (problem.textContent !== text) problem.textContent = text;
  problem.hidden = text === '';
}

/** Makes a change, then announces it or reports the error. @param {() => Promise<unknown>} work */
export function act(work) {
  const announce = () => {
    report('change');
    dispatchEvent(new Event('changed'));
  };
  work().then(announce, (/** @type {unknown} */ error) => report('change', error));
}
