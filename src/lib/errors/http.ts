// Errors of requests and connections.
import type { ErrorEntry } from './entry.ts';

export const HTTP_ERRORS = {
  'http.outcome_unknown': {
    exit: 'network',
    summary: 'The outcome of a write is unknown.',
    explanation:
      'The response was lost or does not confirm the write, and a read from the platform was inconclusive. Some writes cannot be read back.',
    fix: 'Before you retry the write, check the platform with the command in the hint.',
  },
  'http.bad_request': {
    exit: 'failed',
    summary: 'The platform rejected the request (400).',
    explanation: 'A field is invalid, or the request violates a rule of the platform. The message quotes the reason.',
    fix: 'Fix the field named in the reason.',
  },
  'http.unauthorized': {
    exit: 'auth',
    summary: 'The platform rejected the credentials (401).',
    explanation: 'The token or key is wrong, has expired, or belongs to another platform.',
    fix: 'Run `cdpadm auth test`.',
  },
  'http.forbidden': {
    exit: 'auth',
    summary: 'The credentials do not have permission (403).',
    explanation: 'The credentials lack a permission, or belong to a different organization or workspace.',
    fix: 'Request the permission, or use other credentials.',
  },
  'http.not_found': {
    exit: 'notFound',
    summary: 'The resource was not found (404).',
    explanation: 'An id in the command or in the settings is wrong.',
    fix: 'Check the ids. `cdpadm profile show --origin` shows the source of each id.',
  },
  'http.gone': {
    exit: 'notFound',
    summary: 'The resource no longer exists (410).',
    explanation: 'The platform keeps some resources only for a limited time.',
    fix: 'Create or request the resource again.',
  },
  'http.conflict': {
    exit: 'conflict',
    summary: 'The request conflicts with the current state (409).',
    explanation: 'The id is already in use, or the state of the resource does not allow the change.',
    fix: 'Check the current state before you try again.',
  },
  'http.too_large': {
    exit: 'failed',
    summary: 'The request is too large (413).',
    explanation: 'The platform limits the size of a request.',
    fix: 'Send less data per request.',
  },
  'http.unprocessable': {
    exit: 'failed',
    summary: 'The platform understood the request but rejected it (422).',
    explanation: 'The message quotes the reason.',
    fix: 'Fix the problem that the reason describes.',
  },
  'http.rate_limited': {
    exit: 'unavailable',
    summary: 'Too many requests (429).',
    explanation: 'Other programs may share the limit. All retries failed.',
    fix: 'Wait a minute, or lower --rate.',
  },
  'http.unavailable': {
    exit: 'unavailable',
    summary: 'The platform is unavailable (a status such as 500 or 503).',
    explanation: 'All retries failed.',
    fix: 'Try again later, or allow more retries with --retries N.',
  },
  'http.warehouse_unreachable': {
    exit: 'failed',
    summary: 'The platform cannot reach the warehouse (505).',
    explanation: 'The platform works, but its connection to the warehouse does not.',
    fix: 'Check the address and the credentials of the connection.',
  },
  'http.refused': {
    exit: 'failed',
    summary: 'The platform rejected the request for some other reason.',
    explanation: 'The message contains the status code and the text of the response.',
    fix: "Fix the request, or contact the platform's operator.",
  },
  'http.redirect': {
    exit: 'failed',
    summary: 'The platform responded with a redirect.',
    explanation: 'Redirects are not followed, because they would send credentials to a different address.',
    fix: 'If the new address is correct, set it in the profile.',
  },
  'http.foreign_link': {
    exit: 'failed',
    summary: 'A response contained a link to a different address.',
    explanation: "Requests and credentials are sent only to the profile's addresses.",
    fix: 'Check the addresses in the profile.',
  },
  'http.unreadable': {
    exit: 'failed',
    summary: 'The response cannot be read.',
    explanation:
      'The response does not match the specification: it is truncated, not JSON, or an unexpected document. A different server may have responded.',
    fix: 'Check the addresses and the proxy settings.',
  },
  'network.refused': {
    exit: 'network',
    summary: 'The connection was refused.',
    explanation: 'Nothing is listening at this address and port.',
    fix: 'Check the address and port, and that the service is running.',
  },
  'network.dns': {
    exit: 'network',
    summary: 'The host name cannot be resolved.',
    explanation: 'The name is misspelled, or there is a problem with the network or the DNS server.',
    fix: 'Check the spelling of the name, the network and the DNS settings.',
  },
  'network.unreachable': {
    exit: 'network',
    summary: 'The host cannot be reached.',
    explanation: 'There is no route to the host from this machine.',
    fix: 'Check the network, VPN and proxy settings (HTTPS_PROXY, NO_PROXY).',
  },
  'network.certificate': {
    exit: 'network',
    summary: "The server's certificate is not trusted.",
    explanation: 'The issuer is unknown, or the certificate is for a different name or has expired.',
    fix: 'If your company has its own certificate authority, pass --ca-file or set `ca_file` in the profile.',
  },
  'network.tls': {
    exit: 'network',
    summary: 'The TLS connection failed.',
    explanation: 'The server does not support HTTPS on this port, or a device on the way to it interferes.',
    fix: 'Check that the address and port use https, and check any proxies in between.',
  },
  'network.proxy': {
    exit: 'network',
    summary: 'The proxy did not connect to the host.',
    explanation: "The proxy's address is wrong, or the proxy requires credentials or blocks the host.",
    fix: 'Check HTTPS_PROXY (with user and password, if the proxy needs them), or exclude the host with NO_PROXY.',
  },
  'network.connect_timeout': {
    exit: 'network',
    summary: 'The connection timed out.',
    explanation: 'A firewall may be silently dropping packets.',
    fix: 'Check the address, the network, firewalls and proxies.',
  },
  'network.timeout': {
    exit: 'network',
    summary: 'No complete response arrived in time.',
    explanation: 'The platform is slow, or the time limit is too short.',
    fix: 'Pass a longer --request-timeout, such as --request-timeout 2m.',
  },
  'network.idle': {
    exit: 'network',
    summary: 'The response stalled.',
    explanation: 'The platform or a proxy stopped sending data.',
    fix: 'Run the command again. If it happens again, check the network and any proxies in between.',
  },
  'network.reset': {
    exit: 'network',
    summary: 'The connection was closed before a response arrived.',
    explanation: 'The platform or a proxy closed the connection.',
    fix: 'Run the command again. If it happens again, check the network and any proxies in between.',
  },
  'network.truncated': {
    exit: 'network',
    summary: 'The response was cut off.',
    explanation: 'The connection was closed before the whole response arrived.',
    fix: 'Run the command again. If it happens again, check the network and any proxies in between.',
  },
  'network.malformed': {
    exit: 'network',
    summary: 'The response is not HTTP.',
    explanation: 'Another program is probably listening on this port.',
    fix: 'Check that the address and port belong to the platform.',
  },
} as const satisfies Record<string, ErrorEntry>;
