// The judge's own list of calls that write. The list is independent of the program's contract, which it checks.

import type { PlatformAnswer, ProxiedRequest } from '../helpers/fault-proxy.ts';

/**
 * Allowed after a lost response:
 * - `repeat`: send the request again, because it is idempotent;
 * - `confirm`: send it again only after a read that shows that it did not arrive;
 * - `once`: never send it again.
 */
export type AfterLoss = 'repeat' | 'confirm' | 'once';

const WORKSPACE = '/platform/v2/workspaces/*';
const GROUPS = '/platform/workspaces/*/groups';

/** Method, path on the platform's single port (`*` for an id), and what is allowed after a lost response. */
export const WRITES: readonly (readonly [method: string, path: string, AfterLoss])[] = [
  // A second token replaces the first.
  ['POST', '/oauth/token', 'repeat'],
  // Replaces the whole manifest, so a repeated write may overwrite another admin's changes.
  ['PUT', '/platform/v2/organizations/*/accounts/*/roles', 'confirm'],
  ['POST', GROUPS, 'confirm'],
  ['PUT', `${GROUPS}/*`, 'confirm'],
  ['PATCH', `${GROUPS}/*`, 'confirm'],
  ['DELETE', `${GROUPS}/*`, 'confirm'],
  ['POST', `${WORKSPACE}/connections`, 'confirm'],
  ['PUT', `${WORKSPACE}/connections/*`, 'confirm'],
  ['DELETE', `${WORKSPACE}/connections/*`, 'confirm'],
  ['POST', `${WORKSPACE}/data-models`, 'confirm'],
  ['PUT', `${WORKSPACE}/data-models/*`, 'confirm'],
  ['DELETE', `${WORKSPACE}/data-models/*`, 'confirm'],
  ['POST', `${WORKSPACE}/inputs/data-pipelines`, 'confirm'],
  ['PUT', `${WORKSPACE}/inputs/data-pipelines/*`, 'confirm'],
  ['DELETE', `${WORKSPACE}/inputs/data-pipelines/*`, 'confirm'],
  // A second request starts a second run, or clears a newer sync position.
  ['POST', `${WORKSPACE}/inputs/data-pipelines/trigger`, 'once'],
  ['POST', `${WORKSPACE}/inputs/data-pipelines/reset`, 'once'],
  // Retry only with the same id: a second id would create a second erasure or export request.
  ['POST', '/v3/requests', 'confirm'],
  ['DELETE', '/v3/requests/*', 'confirm'],
  // Sets the same values again.
  ['POST', '/v2/calculatedattributes', 'repeat'],
  ['POST', '/v2/bulkcalculatedattributes', 'repeat'],
  // A repeated event counts twice; a repeated identity does not.
  ['POST', '/v2/events', 'once'],
  ['POST', '/v1/identify', 'repeat'],
];

const PATTERNS = WRITES.map(([method, path, afterLoss]) => {
  const pattern = path.replace(/[.+?^$()|[\]\\{}]/g, '\\$&').replaceAll('*', '[^/]+');
  return { method, pattern: new RegExp(`^${pattern}/?$`), afterLoss };
});

/** Returns undefined for a call that is not in the list: a link, or the control address of a platform. */
export function afterLossOf(method: string, target: string): AfterLoss | undefined {
  const [path = ''] = target.split('?');
  return PATTERNS.find((known) => known.method === method && known.pattern.test(path))?.afterLoss;
}

/**
 * True if the call may be sent twice: a read or an idempotent write. An unknown call must not be sent twice.
 */
export function mayRepeat(method: string, target: string): boolean {
  return method === 'GET' || method === 'HEAD' || afterLossOf(method, target) === 'repeat';
}

/**
 * For calls that have no response body and whose effect no read can confirm: the status that counts as accepted. The
 * statuses are independent of the contract, which is under test.
 */
export const ACCEPTED_ONLY: readonly (readonly [path: RegExp, status: number])[] = [
  [/^\/v2\/(bulk)?calculatedattributes\/?$/, 202],
  [/^\/v2\/events\/?$/, 202],
  [/^\/v1\/identify\/?$/, 202],
  [/\/inputs\/data-pipelines\/reset\/?$/, 204],
];

export const acceptedStatus = ({ target }: Pick<ProxiedRequest, 'target'>): number | undefined =>
  ACCEPTED_ONLY.find(([path]) => path.test(target.split('?')[0] ?? ''))?.[1];

/** True if the client received a complete response that accepts the write. */
export function wasAccepted(request: ProxiedRequest): boolean {
  const { returned } = request;
  return returned !== undefined && returned.status === acceptedStatus(request) && !isTrouble(returned);
}

function isTrouble({ body, headers }: PlatformAnswer): boolean {
  const text = body.toString();
  return String(headers['content-type']).includes('html') || /"errors"|<html/i.test(text);
}
