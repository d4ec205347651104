// Which handler answers which path: built from the contract's endpoints, both spellings of the trailing slash alike.
// Hono finds the route. Its server is not asked for: it makes a `Request` of every message, for which Node loads all of
// `fetch`, a quarter of what a start costs, and here the answer is written past it anyway.
import type { IncomingMessage } from 'node:http';
import { METHODS } from '../contract/choices.ts';
import type { Endpoint, Service } from '../contract/endpoint.ts';
import type { Control } from './control.ts';
import type { Exchange, MatchedRoute, UnmatchedRoute } from './platform/exchange.ts';
import type { RunningPlatform } from './open-platform.ts';
import { refusal, splitUrl } from './wire/platform-error.ts';
import type { Router } from './wire/server.ts';
import { CONTROL_PATH, SERVICE_PATHS } from './wire/service-paths.ts';

type Route = Pick<MatchedRoute, 'endpoint' | 'handle'> | 'control';

export async function createRouter(
  areas: RunningPlatform['areas'],
  exchange: Exchange,
  control: Control,
): Promise<Router> {
  const [{ RegExpRouter }, { SmartRouter }, { TrieRouter }] = await Promise.all([
    import('hono/router/reg-exp-router'),
    import('hono/router/smart-router'),
    import('hono/router/trie-router'),
  ]);
  const routes = new SmartRouter<Route>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const { area, open } of areas) {
    for (const [name, endpoint] of Object.entries(area.endpoints)) {
      const handle = open.handlers[name];
      if (!handle) throw new Error(`area ${area.name} has no handler for ${endpoint.id}`);
      routes.add(endpoint.method, routePath(endpoint), { endpoint, handle });
    }
    for (const { endpoint, handle } of open.links ?? []) {
      routes.add(endpoint.method, routePath(endpoint), { endpoint, handle });
    }
  }
  routes.add('ALL', `${CONTROL_PATH}/*`, 'control');
  const services = new Map(areas.flatMap(({ area }) => Object.values(area.endpoints).map(serviceByStart)));

  function unmatched(method: string, path: string): UnmatchedRoute {
    const service = services.get(startOf(path));
    // The specification mentions a PATCH of warehouse resources without its path: that one is unknown (decision: D62).
    const isUnknown = method === 'PATCH' && path.startsWith('/platform/v2/workspaces/');
    const allowed = isUnknown ? [] : METHODS.filter((other) => routes.match(other, path)[0].length > 0);
    if (allowed.length === 0) return { service, refused: refusal(404, `no such endpoint: ${method} ${path}`) };
    const allow = allowed.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each])).join(', ');
    return { service, refused: refusal(405, `method not allowed: ${method} ${path}; allowed: ${allow}`, { allow }) };
  }

  return async (incoming, outgoing) => {
    const path = plainPath(incoming);
    // A HEAD is a GET of which Node leaves out the body.
    const method = incoming.method === 'HEAD' ? 'GET' : (incoming.method ?? '');
    const [[found], stash] = routes.match(method, path) as Found;
    if (found === undefined) return exchange(incoming, outgoing, unmatched(method, path));
    const [route, places] = found;
    if (route === 'control') return control(incoming, outgoing, path);
    const params = Object.entries(places).map(([name, place]) => {
      const value = typeof place === 'number' ? (stash?.[place] ?? '') : place;
      return [name, decoded(value, decodeURIComponent)];
    });
    return exchange(incoming, outgoing, { ...route, params: Object.fromEntries(params) as Record<string, string> });
  };
}

/** The first part of a path: `/v3`. */
function startOf(path: string): string {
  return /^\/[^/]*/.exec(path)?.[0] ?? '';
}

function serviceByStart(endpoint: Endpoint): [string, Service] {
  return [startOf(routePath(endpoint)), endpoint.service];
}

/** Answers below the control address and nowhere else. */
export function controlOnly(control: Control): Router {
  return async (incoming, outgoing) => {
    const path = plainPath(incoming);
    await control(incoming, outgoing, path.startsWith(CONTROL_PATH) ? path : CONTROL_PATH);
  };
}

/** What a router finds: routes with their parameters, as they are or as places in the list that comes second. */
type Found = [found: [Route, Record<string, string | number>][], stash?: string[]];

/** `/a/{id}/` on its service: `/v3/a/:id`. */
function routePath({ service, path }: Endpoint): string {
  return SERVICE_PATHS[service] + path.replace(/\{(\w+)\}/g, ':$1').replace(/\/$/, '');
}

/** The path without the slash at its end and without escapes that it did not need; `%2F` and `%25` stay. */
function plainPath(incoming: IncomingMessage): string {
  const { path } = splitUrl(incoming);
  const plain = path.includes('%') ? decoded(path.replaceAll('%25', '%2525'), decodeURI) : path;
  return plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain;
}

/** As it is, when its escapes stand for no text. */
function decoded(text: string, decode: (text: string) => string): string {
  try {
    return decode(text);
  } catch {
    return text;
  }
}
