// Errors of requests and connections.
import { exit } from './entry.ts';

export const HTTP_ERRORS = {
  'http.outcome_unknown': exit.network(
    'The outcome of a write is unknown.',
    'The response was lost or does not confirm the write, and a read from the platform was inconclusive. Some writes cannot be read back.',
    'Before you retry the write, check the platform with the command in the hint.',
  ),
  'http.bad_request': exit.failed(
    'The platform rejected the request (400).',
    'A field is invalid, or the request violates a rule of the platform. The message quotes the reason.',
    'Fix the field named in the reason.',
  ),
  'http.unauthorized': exit.auth(
    'The platform rejected the credentials (401).',
    'The token or key is wrong, has expired, or belongs to another platform.',
    'Run `cdpadm auth test`.',
  ),
  'http.forbidden': exit.auth(
    'The credentials do not have permission (403).',
    'The credentials lack a permission, or belong to a different organization or workspace.',
    'Request the permission, or use other credentials.',
  ),
  'http.not_found': exit.notFound(
    'The resource was not found (404).',
    'An id in the command or in the settings is wrong.',
    'Check the ids. `cdpadm profile show --origin` shows the source of each id.',
  ),
  'http.gone': exit.notFound(
    'The resource no longer exists (410).',
    'The platform keeps some resources only for a limited time.',
    'Create or request the resource again.',
  ),
  'http.conflict': exit.conflict(
    'The request conflicts with the current state (409).',
    'The id is already in use, or the state of the resource does not allow the change.',
    'Check the current state before you try again.',
  ),
  'http.too_large': exit.failed(
    'The request is too large (413).',
    'The platform limits the size of a request.',
    'Send less data per request.',
  ),
  'http.unprocessable': exit.failed(
    'The platform understood the request but rejected it (422).',
    'The message quotes the reason.',
    'Fix the problem that the reason describes.',
  ),
  'http.rate_limited': exit.unavailable(
    'Too many requests (429).',
    'Other programs may share the limit. All retries failed.',
    'Wait a minute, or lower --rate.',
  ),
  'http.unavailable': exit.unavailable(
    'The platform is unavailable (a status such as 500 or 503).',
    'All retries failed.',
    'Try again later, or allow more retries with --retries N.',
  ),
  'http.warehouse_unreachable': exit.failed(
    'The platform cannot reach the warehouse (505).',
    'The platform works, but its connection to the warehouse does not.',
    'Check the address and the credentials of the connection.',
  ),
  'http.refused': exit.failed(
    'The platform rejected the request for some other reason.',
    'The message contains the status code and the text of the response.',
    "Fix the request, or contact the platform's operator.",
  ),
  'http.redirect': exit.failed(
    'The platform responded with a redirect.',
    'Redirects are not followed, because they would send credentials to a different address.',
    'If the new address is correct, set it in the profile.',
  ),
  'http.foreign_link': exit.failed(
    'A response contained a link to a different address.',
    "Requests and credentials are sent only to the profile's addresses.",
    'Check the addresses in the profile.',
  ),
  'http.unreadable': exit.failed(
    'The response cannot be read.',
    'The response does not match the specification: it is truncated, not JSON, or an unexpected document. A different server may have responded.',
    'Check the addresses and the proxy settings.',
  ),
  'network.refused': exit.network(
    'The connection was refused.',
    'Nothing is listening at this address and port.',
    'Check the address and port, and that the service is running.',
  ),
  'network.dns': exit.network(
    'The host name cannot be resolved.',
    'The name is misspelled, or there is a problem with the network or the DNS server.',
    'Check the spelling of the name, the network and the DNS settings.',
  ),
  'network.unreachable': exit.network(
    'The host cannot be reached.',
    'There is no route to the host from this machine.',
    'Check the network, VPN and proxy settings (HTTPS_PROXY, NO_PROXY).',
  ),
  'network.certificate': exit.network(
    "The server's certificate is not trusted.",
    'The issuer is unknown, or the certificate is for a different name or has expired.',
    'If your company has its own certificate authority, pass --ca-file or set `ca_file` in the profile.',
  ),
  'network.tls': exit.network(
    'The TLS connection failed.',
    'The server does not support HTTPS on this port, or a device on the way to it interferes.',
    'Check that the address and port use https, and check any proxies in between.',
  ),
  'network.proxy': exit.network(
    'The proxy did not connect to the host.',
    "The proxy's address is wrong, or the proxy requires credentials or blocks the host.",
    'Check HTTPS_PROXY (with user and password, if the proxy needs them), or exclude the host with NO_PROXY.',
  ),
  'network.connect_timeout': exit.network(
    'The connection timed out.',
    'A firewall may be silently dropping packets.',
    'Check the address, the network, firewalls and proxies.',
  ),
  'network.timeout': exit.network(
    'No complete response arrived in time.',
    'The platform is slow, or the time limit is too short.',
    'Pass a longer --request-timeout, such as --request-timeout 2m.',
  ),
  'network.idle': exit.network(
    'The response stalled.',
    'The platform or a proxy stopped sending data.',
    'Run the command again. If it happens again, check the network and any proxies in between.',
  ),
  'network.reset': exit.network(
    'The connection was closed before a response arrived.',
    'The platform or a proxy closed the connection.',
    'Run the command again. If it happens again, check the network and any proxies in between.',
  ),
  'network.truncated': exit.network(
    'The response was cut off.',
    'The connection was closed before the whole response arrived.',
    'Run the command again. If it happens again, check the network and any proxies in between.',
  ),
  'network.malformed': exit.network(
    'The response is not HTTP.',
    'Another program is probably listening on this port.',
    'Check that the address and port belong to the platform.',
  ),
};
