// What the judge of the sweeps holds of each call that writes. It is written down here for itself: a judge that asked
// the program's own contract would believe whatever stands there.

import type { PlatformAnswer, ProxiedRequest } from '../helpers/fault-proxy.ts';

/**
 * What may follow an answer that was lost:
 * - `repeat`: it is sent again, since the same thing sent twice comes to the same;
 * - `confirm`: it is only sent again when the platform was looked at, and shows that it did not arrive;
 * - `once`: it is never sent again.
 */
export type AfterLoss = 'repeat' | 'confirm' | 'once';

const WORKSPACE = '/platform/v2/workspaces/*';
const GROUPS = '/platform/workspaces/*/groups';

/** Method, path on the platform's one port (`*` for an id), what may follow. */
export const WRITES: readonly (readonly [method: string, path: string, AfterLoss])[] = [
  // Any token does.
  ['POST', '/oauth/token', 'repeat'],
  // The whole manifest: who sends it twice may write over what somebody else wrote between.
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
  // A second one is a second run, or forgets what was synced since.
  ['POST', `${WORKSPACE}/inputs/data-pipelines/trigger`, 'once'],
  ['POST', `${WORKSPACE}/inputs/data-pipelines/reset`, 'once'],
  // With the same id alone; a second erasure or export is a second legal act.
  ['POST', '/v3/requests', 'confirm'],
  ['DELETE', '/v3/requests/*', 'confirm'],
  // The same values are set again.
  ['POST', '/v2/calculatedattributes', 'repeat'],
  ['POST', '/v2/bulkcalculatedattributes', 'repeat'],
  // An event that comes twice counts twice; an identity does not.
  ['POST', '/v2/events', 'once'],
  ['POST', '/v1/identify', 'repeat'],
];

const PATTERNS = WRITES.map(([method, path, afterLoss]) => {
  const pattern = path.replace(/[.+?^$()|[\]\\{}]/g, '\\$&').replaceAll('*', '[^/]+');
  return { method, pattern: new RegExp(`^${pattern}/?$`), afterLoss };
});

/** Undefined for what the list does not have: a link, or the address by which a platform is controlled. */
export function afterLossOf(method: string, target: string): AfterLoss | undefined {
  const [path = ''] = target.split('?');
  return PATTERNS.find((known) => known.method === method && known.pattern.test(path))?.afterLoss;
}

/** True if the call may be sent twice: a read, or a write with the same result. An unknown call may not. */
export function mayRepeat(method: string, target: string): boolean {
  return method === 'GET' || method === 'HEAD' || afterLossOf(method, target) === 'repeat';
}

/**
 * Calls for which the specification gives neither a body nor a read: the status that counts as *accepted*. Written down
 * here and not read from the contract, which is what is judged.
 */
export const ACCEPTED_ONLY: readonly (readonly [path: RegExp, status: number])[] = [
  [/^\/v2\/(bulk)?calculatedattributes\/?$/, 202],
  [/^\/v2\/events\/?$/, 202],
  [/^\/v1\/identify\/?$/, 202],
  [/\/inputs\/data-pipelines\/reset\/?$/, 204],
];

export const acceptedStatus = ({ target }: Pick<ProxiedRequest, 'target'>): number | undefined =>
  ACCEPTED_ONLY.find(([path]) => path.test(target.split('?')[0] ?? ''))?.[1];

/** True if the client got a whole response that the platform accepted the write. */
export function wasAccepted(request: ProxiedRequest): boolean {
  const { told } = request;
  return told !== undefined && told.status === acceptedStatus(request) && !isTrouble(told);
}

function isTrouble({ body, headers }: PlatformAnswer): boolean {
  const text = body.toString();
  return String(headers['content-type']).includes('html') || /"errors"|<html/i.test(text);
}
