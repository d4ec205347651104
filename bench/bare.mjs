// Starts a server that returns as many bytes as the embedded platform, but without checking anything. `hono` uses the
// platform's router and that router's own server; `node` uses only Node. The server exits when its standard input
// closes.
import { createServer } from 'node:http';

const ANSWER = {
  id: 'household',
  description: '',
  source_user_attribute: 'address',
  attributes: [{ id: 'points', type: 'sum' }],
  created_on: '2026-01-01T00:00:00.000Z',
  created_by: 'someone@example.com',
  last_modified_on: '2026-01-01T00:00:00.000Z',
  last_modified_by: 'someone@example.com',
};

/** @param {number} port */
const announce = (port) => process.stdout.write(`${JSON.stringify({ base_url: `http://127.0.0.1:${port}` })}\n`);

async function bareHono() {
  const [{ Hono }, { serve: listen }] = await Promise.all([import('hono'), import('@hono/node-server')]);
  const app = new Hono({ strict: false });
  app.get('/platform/workspaces/:workspace/groups/:group', (context) => context.json(ANSWER));
  app.patch('/platform/workspaces/:workspace/groups/:group', async (context) => {
    await context.req.json();
    return context.json(ANSWER);
  });
  listen({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => announce(port));
}

function bareNode() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ANSWER));
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address) announce(address.port);
  });
}

if (process.argv[2] === 'hono') await bareHono();
else bareNode();
process.stdin.resume().on('end', () => process.exit());
