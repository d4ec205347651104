// Calls the control address, on which the page itself is served.
import { byId } from './dom.js';

/** @typedef {import('./dom.js').Row} Row */

/**
 * @param {string} path below the control address
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

/** @param {unknown} error */
export function report(error) {
  const problem = byId('problem');
  problem.textContent = error instanceof Error ? error.message : '';
  problem.hidden = error === undefined;
}

/** Runs a change, then announces that the state has changed. @param {() => Promise<unknown>} work */
export function act(work) {
  work().then(() => dispatchEvent(new Event('changed')), report);
}
