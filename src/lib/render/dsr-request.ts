// Draws a request before it is sent: person, type and expected dates.
import type { DsrRequest } from '../contract/dsr.ts';
import { internalIdentityType } from '../contract/identities.ts';
import { DSR_LIMITS } from '../contract/limits.ts';
import { DAY_MS, deadlineFrom, isoOrNull } from '../domain/dsr/deadlines.ts';
import { identitiesOf, skipsWaiting } from '../domain/dsr/normalize.ts';
import { isoSeconds } from '../kernel/timestamps.ts';
import { cleanLine } from './clean.ts';
import type { Style } from './style.ts';
import { wrapUnder } from './width.ts';

// The width that is also used for the details before a confirmation.
const LABEL_WIDTH = 12;

/** Returns `label value` lines. Most values wrap at `width` columns. Masks identities unless they may be shown. */
export function renderRequest(
  { request, showIdentities, now }: { request: DsrRequest; showIdentities: boolean; now: number },
  style: Style,
  width: number,
): string {
  const lead = (label: string): string => `${style.dim(label.padEnd(LABEL_WIDTH))}  `;
  const line = (label: string, value: string): string => lead(label) + cleanLine(value);
  const sentence = (label: string, value: string): string => wrapUnder(lead(label), cleanLine(value), width);
  const identities = identitiesOf(request).map(([type, value], index) => {
    const internal = internalIdentityType(type);
    const shown = showIdentities ? value : maskIdentity(value);
    const known = internal === type ? '' : `  (internally ${internal})`;
    return sentence(index === 0 ? 'identities' : '', `${type} = ${shown}${known}`);
  });
  const deadline = isoOrNull(deadlineFrom(request.regulation, request.submitted_time));
  return [
    line('request', `${request.regulation.toUpperCase()} ${request.subject_request_type}`),
    line('id', request.subject_request_id),
    ...identities,
    line('submitted', request.submitted_time),
    ...(deadline === null ? [] : [line('due by law', `${deadline}  ${LEGAL[request.regulation]}`)]),
    ...timesOf(request, now).map(([label, value]) => sentence(label, value)),
    ...(request.group_id === undefined ? [] : [line('group', request.group_id)]),
    ...(request.status_callback_urls ?? []).map((url) => line('callback', url)),
  ].join('\n');
}

const LEGAL = { gdpr: '(one month)', ccpa: '(45 days)' } as const;

function timesOf(request: DsrRequest, now: number): [label: string, value: string][] {
  const { subject_request_type: type } = request;
  const skips = skipsWaiting(request);
  if (type !== 'erasure') return [['cancellable', 'while it is pending']];
  const days = DSR_LIMITS.completionDays[skips ? 'skipped' : 'waiting'];
  const day = (after: number): string => isoSeconds(now + after * DAY_MS).slice(0, 10);
  const until = skips
    ? 'skipped: it can be cancelled for less than 24 hours'
    : `${DSR_LIMITS.waitingDays} days: it can be cancelled until ${day(DSR_LIMITS.waitingDays)}`;
  return [
    ['waiting', until],
    ['expected', `done in ${days.from} to ${days.to} days, from ${day(days.from)} to ${day(days.to)}`],
  ];
}

/** Returns a copy of the request with masked identities, for dry runs and for screens that others can see. */
export function maskRequest(request: DsrRequest): DsrRequest {
  const masked = structuredClone(request);
  for (const { subject_identities: identities } of [masked, ...Object.values(masked.extensions ?? {})])
    for (const identity of Object.values(identities ?? {})) identity.value = maskIdentity(identity.value);
  return masked;
}

const STARS = '***';

/** Masks an email address as `a***@***.org`, and other values as `+4***`. Short values are hidden completely. */
export function maskIdentity(value: string): string {
  const mail = /^([^@\s])[^@\s]*@[^@\s]*?(\.[a-z]{2,})?$/i.exec(value);
  if (mail) return `${mail[1] ?? ''}${STARS}@${STARS}${mail[2] ?? ''}`;
  return [...value].length < 6 ? STARS : `${[...value].slice(0, 2).join('')}${STARS}`;
}
