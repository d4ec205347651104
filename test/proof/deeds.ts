// What the judge of the sweeps holds of each call that writes. It is written down here for itself: a judge that asked
// the program's own contract would believe whatever stands there.

/**
 * What may follow an answer that was lost:
 * - `repeat`: it is sent again, since the same thing sent twice comes to the same;
 * - `settle`: it is only sent again when the platform was looked at, and shows that it did not arrive;
 * - `once`: it is never sent again.
 */
export type AfterLoss = 'repeat' | 'settle' | 'once';

const WORKSPACE = '/platform/v2/workspaces/*';
const GROUPS = '/platform/workspaces/*/groups';

/** Method, path on the platform's one port (`*` for an id), what may follow. */
export const WRITES: readonly (readonly [method: string, path: string, AfterLoss])[] = [
  // Whichever token comes is used.
  ['POST', '/oauth/token', 'repeat'],
  // The whole manifest: who sends it twice may write over what somebody else wrote between.
  ['PUT', '/platform/v2/organizations/*/accounts/*/roles', 'settle'],
  ['POST', GROUPS, 'settle'],
  ['PUT', `${GROUPS}/*`, 'settle'],
  ['PATCH', `${GROUPS}/*`, 'settle'],
  ['DELETE', `${GROUPS}/*`, 'settle'],
  ['POST', `${WORKSPACE}/connections`, 'settle'],
  ['PUT', `${WORKSPACE}/connections/*`, 'settle'],
  ['DELETE', `${WORKSPACE}/connections/*`, 'settle'],
  ['POST', `${WORKSPACE}/data-models`, 'settle'],
  ['PUT', `${WORKSPACE}/data-models/*`, 'settle'],
  ['DELETE', `${WORKSPACE}/data-models/*`, 'settle'],
  ['POST', `${WORKSPACE}/inputs/data-pipelines`, 'settle'],
  ['PUT', `${WORKSPACE}/inputs/data-pipelines/*`, 'settle'],
  ['DELETE', `${WORKSPACE}/inputs/data-pipelines/*`, 'settle'],
  // A second one is a second run, or forgets what was synced since.
  ['POST', `${WORKSPACE}/inputs/data-pipelines/trigger`, 'once'],
  ['POST', `${WORKSPACE}/inputs/data-pipelines/reset`, 'once'],
  // With the same id alone; a second erasure or export is a second legal act.
  ['POST', '/v3/requests', 'settle'],
  ['DELETE', '/v3/requests/*', 'settle'],
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

/** Whether the same call may be done twice: a question, or a write that comes to the same. What is not known may not. */
export function mayRepeat(method: string, target: string): boolean {
  return method === 'GET' || method === 'HEAD' || afterLossOf(method, target) === 'repeat';
}
