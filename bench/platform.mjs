// A server with fixed responses (a token, and the manifests of two organizations), so that only the client is measured.
// The server runs as a separate process, prints its address, and exits when its standard input closes.
import { createServer } from 'node:http';
import { allTasks, BIG_ORG, bigManifest, SMALL_ORG, smallManifest } from './manifests.mjs';

/** @type {Record<string, string>} */
const ANSWERS = {
  'POST /oauth/token': JSON.stringify({ access_token: 'bench', expires_in: 28_800, token_type: 'Bearer' }),
  [`GET ${rolesPath(SMALL_ORG)}`]: JSON.stringify(smallManifest()),
  [`GET ${rolesPath(BIG_ORG)}`]: JSON.stringify(bigManifest()),
  [`GET ${rolesPath(BIG_ORG).replace('/roles', '/tasks')}`]: JSON.stringify(allTasks()),
};

/** @param {string} org */
function rolesPath(org) {
  return `/platform/v2/organizations/${org}/accounts/1/roles`;
}

let tokens = 0;

const server = createServer((request, response) => {
  const name = `${request.method} ${request.url}`;
  const answer = ANSWERS[name];
  if (name === 'POST /oauth/token') tokens += 1;
  const isUnauthorized = name.startsWith('GET') && request.headers.authorization !== 'Bearer bench';
  // A second token request means that the cached token was not used, so the measurement would be wrong.
  const status = tokens > 1 ? 500 : isUnauthorized ? 401 : answer === undefined ? 404 : 200;
  request.resume();
  request.on('end', () => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(status === 200 ? answer : JSON.stringify({ error: `${name} is unknown` }));
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
process.stdin.resume().on('end', () => {
  server.close();
  server.closeAllConnections();
});
