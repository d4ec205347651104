// Maps a path to a call of the platform: its address, its credentials and whether it may be repeated.
import type { Method } from '../../lib/contract/choices.ts';
import type { Endpoint } from '../../lib/contract/endpoint.ts';
import { endpoint } from '../../lib/contract/endpoint.ts';
import { allEndpoints } from '../../lib/contract/index.ts';
import { usageError } from '../../lib/kernel/errors.ts';

/** The areas of paths that are not in the contract, by prefix, tried in this order. */
const BY_PREFIX = [
  { prefix: '/platform/', service: 'base', auth: 'bearer' },
  { prefix: '/requests', service: 'dsr', auth: 'dsr-basic' },
  { prefix: '/discovery', service: 'dsr', auth: 'dsr-basic' },
  { prefix: '/v2/', service: 'seeding', auth: 'seeding-basic' },
  { prefix: '/v1/', service: 'identity', auth: 'seeding-basic' },
] as const;

/**
 * The call for `method` and `path`. A known call keeps its safety and wire names, and a known write the response that
 * confirms it (decision: D215). An unknown GET may be repeated; any other unknown call is sent only once. Throws
 * KnownError usage (2) for a path outside all areas.
 */
export function routeOf(method: Method, path: string): Endpoint {
  // The DSR base address already ends in /v3, and so may a path copied from a log.
  const below = path.replace(/^\/v3(?=\/(?:requests|discovery))/, '');
  const known = allEndpoints.find((candidate) => candidate.method === method && pattern(candidate.path).test(below));
  const area = known ?? allEndpoints.find((candidate) => pattern(candidate.path).test(below)) ?? byPrefix(below);
  return endpoint({
    id: known?.id ?? 'api',
    service: area.service,
    auth: area.auth,
    method,
    path: below,
    ...(known && method !== 'GET'
      ? { status: known.status, ...(known.reply && { reply: known.reply }) }
      : { status: 200, anyReply: true }),
    safety: known?.safety ?? (method === 'GET' ? 'repeat' : 'once'),
    ...(known?.names && { names: known.names }),
    ...('budget' in area && area.budget && { budget: area.budget }),
  });
}

function byPrefix(path: string) {
  const area = BY_PREFIX.find(({ prefix }) => path.startsWith(prefix));
  if (area) return area;
  throw usageError(
    `Unknown path ${path}.`,
    `A path begins with ${BY_PREFIX.map(({ prefix }) => prefix).join(', ')}; {orgId}, {accountId} and {workspaceId} are replaced.`,
  );
}

function pattern(template: string): RegExp {
  const escaped = template.replace(/\/$/, '').replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{\w+\}/g, '[^/]+')}/?$`);
}
