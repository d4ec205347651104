// Which handler answers which path: built from the contract's endpoints, both spellings of the trailing slash alike.
import type { HttpBindings } from '@hono/node-server';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Control } from './control.ts';
import type { Exchange } from './exchange.ts';
import type { RunningPlatform } from './platform.ts';
import { CONTROL_PATH, SERVICE_PATHS } from './ready.ts';

/** What the server calls for each request; the answer is written past it. */
export type Router = (request: Request, bindings: HttpBindings) => Response | Promise<Response>;

export async function createRouter(
  areas: RunningPlatform['areas'],
  exchange: Exchange,
  control: Control,
): Promise<Router> {
  const [{ Hono }, { RESPONSE_ALREADY_SENT }] = await Promise.all([
    import('hono'),
    import('@hono/node-server/utils/response'),
  ]);
  // Slashes at the end are ignored only where the route itself has none.
  const app = new Hono<{ Bindings: HttpBindings }>({ strict: false });
  for (const { area, open } of areas) {
    const calls = Object.entries(area.endpoints).map(([name, endpoint]) => {
      const handle = open.handlers[name];
      if (!handle) throw new Error(`area ${area.name} has no handler for ${endpoint.id}`);
      return { endpoint, handle };
    });
    for (const { endpoint, handle } of [...calls, ...(open.links ?? [])]) {
      app.on(endpoint.method, routePath(endpoint), async (context) => {
        const target = { endpoint, handle, params: context.req.param() };
        await exchange(context.env.incoming, context.env.outgoing as never, target);
        return RESPONSE_ALREADY_SENT;
      });
    }
  }
  app.all(`${CONTROL_PATH}/*`, async (context) => {
    await control(context.env.incoming, context.env.outgoing as never, context.req.path);
    return RESPONSE_ALREADY_SENT;
  });
  app.notFound(async (context) => {
    await exchange(context.env.incoming, context.env.outgoing as never, undefined);
    return RESPONSE_ALREADY_SENT;
  });
  return app.fetch;
}

/** `/a/{id}/` on its service: `/v3/a/:id`. */
function routePath({ service, path }: Endpoint): string {
  return SERVICE_PATHS[service] + path.replace(/\{(\w+)\}/g, ':$1').replace(/\/$/, '');
}
