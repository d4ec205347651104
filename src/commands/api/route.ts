// Which call of the platform a bare path is: its address, its credentials, and what may be repeated.
import type { Method } from '../../lib/contract/choices.ts';
import type { Endpoint } from '../../lib/contract/endpoint.ts';
import { endpoint } from '../../lib/contract/endpoint.ts';
import { allEndpoints } from '../../lib/contract/index.ts';
import { usageError } from '../../lib/kernel/errors.ts';

/** Paths that no endpoint of the contract has, by how they begin: tried in this order. */
const BY_PREFIX = [
  { prefix: '/platform/', service: 'base', auth: 'bearer' },
  { prefix: '/requests', service: 'dsr', auth: 'dsr-basic' },
  { prefix: '/discovery', service: 'dsr', auth: 'dsr-basic' },
  { prefix: '/v2/', service: 'seeding', auth: 'seeding-basic' },
  { prefix: '/v1/', service: 'identity', auth: 'seeding-basic' },
] as const;

/**
 * The call that `method` and `path` name. A known one keeps its safety and its wire names, and a known write the response
 * that confirms it (decision: D215). An unknown GET may be repeated, any other unknown call is never sent twice. Throws
 * KnownError usage (2) for a path of no area.
 */
export function routeOf(method: Method, path: string): Endpoint {
  // The DSR base address ends in /v3 already; a path copied from a log has it too.
  const below = path.replace(/^\/v3(?=\/(?:requests|discovery))/, '');
  const known = allEndpoints.find((candidate) => candidate.method === method && pattern(candidate.path).test(below));
  const area = known ?? allEndpoints.find((candidate) => pattern(candidate.path).test(below)) ?? byPrefix(below);
  return endpoint({
    id: known?.id ?? 'api',
    service: area.service,
    auth: area.auth,
    method,
    path: below,
    ...responseOf(method === 'GET' ? undefined : known),
    safety: known?.safety ?? (method === 'GET' ? 'repeat' : 'once'),
    ...(known?.names && { names: known.names }),
    ...('budget' in area && area.budget && { budget: area.budget }),
  });
}

function responseOf(known: Endpoint | undefined): Pick<Endpoint, 'status' | 'reply' | 'anyReply'> {
  if (known === undefined) return { status: 200, anyReply: true };
  return { status: known.status, ...(known.reply && { reply: known.reply }) };
}

function byPrefix(path: string) {
  const area = BY_PREFIX.find(({ prefix }) => path.startsWith(prefix));
  if (area) return area;
  throw usageError(
    `No area of the platform has the path ${path}.`,
    `A path begins with ${BY_PREFIX.map(({ prefix }) => prefix).join(', ')}; {orgId}, {accountId} and {workspaceId} are filled in.`,
  );
}

function pattern(template: string): RegExp {
  const escaped = template.replace(/\/$/, '').replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{\w+\}/g, '[^/]+')}/?$`);
}
