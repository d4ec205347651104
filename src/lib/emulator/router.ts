// Finds a request's handler among the contract's endpoints, with or without a trailing slash. Uses Hono's router but
// not its server, which creates a `Request` for each message: loading `fetch` takes a quarter of the startup time.
import type { IncomingMessage } from 'node:http';
import { METHODS } from '../contract/choices.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Control } from './control.ts';
import { rejectionAnswer } from './platform/envelopes.ts';
import type { Destination, Exchange } from './platform/exchange.ts';
import type { RunningPlatform } from './open-platform.ts';
import { rejection, splitUrl, write } from './wire/platform-error.ts';
import type { Router } from './wire/server.ts';
import { CONTROL_PATH, SERVICE_PATHS } from './wire/service-paths.ts';

type Route = Omit<Extract<Destination, { endpoint: Endpoint }>, 'params'> | 'control';

export async function createRouter(
  areas: RunningPlatform['areas'],
  exchange: Exchange,
  control: Control,
): Promise<Router> {
  const { TrieRouter } = await import('hono/router/trie-router');
  const routes = new TrieRouter<Route>();
  for (const { area, open } of areas) {
    for (const [name, endpoint] of Object.entries(area.endpoints)) {
      const handle = open.handlers[name];
      if (!handle) throw new Error(`area ${area.name} has no handler for ${endpoint.id}`);
      routes.add(endpoint.method, routePath(endpoint), { endpoint, handle });
    }
  }
  routes.add('ALL', `${CONTROL_PATH}/*`, 'control');
  const endpoints = areas.flatMap(({ area }) => Object.values(area.endpoints));
  const services = new Map(endpoints.map((endpoint) => [startOf(routePath(endpoint)), endpoint.service]));

  function unmatched(method: string, path: string): Destination {
    const service = services.get(startOf(path));
    // The specification mentions PATCH for warehouse resources but gives no path, so PATCH is unknown (decision: D62).
    const isUnknown = method === 'PATCH' && path.startsWith('/platform/v2/workspaces/');
    const allowed = isUnknown ? [] : METHODS.filter((other) => routes.match(other, path)[0].length > 0);
    if (allowed.length === 0) return { service, rejected: rejection(404, `no such endpoint: ${method} ${path}`) };
    const allow = allowed.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each])).join(', ');
    return { service, rejected: rejection(405, `method not allowed: ${method} ${path}; allowed: ${allow}`, { allow }) };
  }

  return async (incoming, outgoing, rejected) => {
    const path = plainPath(incoming);
    if (rejected) return write(outgoing, rejectionAnswer(rejected, services.get(startOf(path))));
    // Node omits the body of a response to HEAD.
    const method = incoming.method === 'HEAD' ? 'GET' : (incoming.method ?? '');
    const [[found]] = routes.match(method, path) as [[Route, Record<string, string>][]];
    if (found === undefined) return exchange(incoming, outgoing, unmatched(method, path));
    const [route, values] = found;
    if (route === 'control') return control(incoming, outgoing, path);
    const params: Record<string, string> = {};
    for (const name in values) params[name] = decoded(values[name] ?? '', decodeURIComponent);
    return exchange(incoming, outgoing, { ...route, params });
  };
}

/** Returns the first part of a path, such as `/v3`. */
function startOf(path: string): string {
  return /^\/[^/]*/.exec(path)?.[0] ?? '';
}

export function controlOnly(control: Control): Router {
  return async (incoming, outgoing, rejected) => {
    if (rejected) return write(outgoing, rejectionAnswer(rejected));
    const path = plainPath(incoming);
    await control(incoming, outgoing, path.startsWith(CONTROL_PATH) ? path : CONTROL_PATH);
  };
}

/** Returns the route of an endpoint: for `/a/{id}/` of a service at `/v3`, `/v3/a/:id`. */
function routePath({ service, path }: Endpoint): string {
  return SERVICE_PATHS[service] + path.replace(/\{(\w+)\}/g, ':$1').replace(/\/$/, '');
}

/** Returns the path without a trailing slash or unnecessary escapes. Keeps `%2F` and `%25`. */
function plainPath(incoming: IncomingMessage): string {
  const { path } = splitUrl(incoming);
  const plain = decoded(path.replaceAll('%25', '%2525'), decodeURI);
  return plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain;
}

/** Returns the text unchanged if its escapes are invalid. */
function decoded(text: string, decode: (text: string) => string): string {
  if (!text.includes('%')) return text;
  try {
    return decode(text);
  } catch {
    return text;
  }
}
