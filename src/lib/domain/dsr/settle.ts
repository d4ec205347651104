// One body, wherever it came from, checked whole: upgraded, spelled as it is sent, with every issue and every advice.
import { API_VERSION, DsrRequest, dsrEndpoints, extensionKey } from '../../contract/dsr.ts';
import { EXTENSION_PREFIX } from '../../contract/dsr-rules.ts';
import { explainIssues, type FieldIssue } from '../../contract/explain.ts';
import { DEVICE_IDENTITY_TYPES } from '../../contract/identities.ts';
import type { WireNames } from '../../contract/names.ts';
import { upgradeRequest } from './upgrade.ts';

export interface SettledRequest {
  /** Only there when nothing is wrong; as it is sent, in the specification's words. */
  request?: DsrRequest;
  issues: FieldIssue[];
  /** Advice: it stops nothing. */
  warnings: FieldIssue[];
  /** What an upgrade changed. */
  changes: string[];
}

export interface SettleOptions {
  /** Of the profile: the only one whose extension the platform takes. */
  vendorDomain: string;
  /** A body may be in a deployment's words. */
  names: WireNames;
}

/** Checks `value` against everything that can be known without the platform. */
export function settleRequest(value: unknown, { vendorDomain, names }: SettleOptions): SettledRequest {
  const upgraded = upgradeRequest(names.decode(value, dsrEndpoints.create.names?.body ?? []), vendorDomain);
  const result = DsrRequest.safeParse(upgraded.value);
  const issues = [
    ...upgraded.issues,
    ...(result.success ? [] : explainIssues(result.error.issues, upgraded.value)),
    ...foreignExtensions(upgraded.value, vendorDomain),
  ];
  if (!result.success || issues.length > 0) return { issues, warnings: [], changes: upgraded.changes };
  const request = { ...result.data, api_version: API_VERSION };
  return { request, issues: [], warnings: adviceOn(request), changes: upgraded.changes };
}

/** Every identity of a request with its type, those of the extension last. */
export function identitiesOf(request: DsrRequest): [type: string, value: string][] {
  const maps = [
    request.subject_identities,
    ...Object.values(request.extensions ?? {}).map((extension) => extension.subject_identities),
  ];
  return maps.flatMap((map) => Object.entries(map ?? {}).map(([type, entry]): [string, string] => [type, entry.value]));
}

/** Whether the waiting period of an erasure is skipped. */
export function skipsWaiting(request: DsrRequest): boolean {
  return Object.values(request.extensions ?? {}).some((extension) => extension.skip_waiting_period === true);
}

function foreignExtensions(value: unknown, vendorDomain: string): FieldIssue[] {
  const extensions = (value as { extensions?: unknown } | null)?.extensions;
  if (typeof extensions !== 'object' || extensions === null) return [];
  const own = extensionKey(vendorDomain);
  return Object.keys(extensions)
    .filter((key) => key !== own && key.startsWith(EXTENSION_PREFIX) && key.length > EXTENSION_PREFIX.length)
    .map((key) => ({
      path: ['extensions', key],
      message: `is of another vendor; the profile's is \`${own}\``,
      at: 'key',
    }));
}

/** decision: D56 */
function adviceOn(request: DsrRequest): FieldIssue[] {
  const types = identitiesOf(request).map(([type]) => type);
  if (types.length === 0 || !types.every((type) => DEVICE_IDENTITY_TYPES.has(type))) return [];
  return [
    {
      path: ['subject_identities'],
      message: 'names devices only; a person whose data is kept under other identities will not be found',
    },
  ];
}
