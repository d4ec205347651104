// Checks the links in a response, such as a link to results, before they are followed (decision: D144).
import type { Endpoint } from '../../contract/endpoint.ts';
import type { KnownError } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/address.ts';
import { type BuiltRequest, parseAddress } from './request.ts';
import type { Link, Sink } from '../types.ts';
import { fail } from '../../errors/fail.ts';

/** Returns an endpoint for a link: a GET that may be retried. */
export function linkEndpoint({ service }: Link): Endpoint {
  return {
    id: 'link',
    service: service ?? 'dsr',
    auth: service === undefined ? 'none' : 'dsr-basic',
    method: 'GET',
    path: '/',
    status: 200,
    safety: 'repeat',
    ...(service === undefined && { anyStatus: true }),
  };
}

/** Throws KnownError for a link outside `address` or, without a service, for a link that is neither https nor local. */
export function linkRequest({ accept, headers, service, url: text }: Link, address: () => string): BuiltRequest {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw foreign(`The platform sent an invalid link: ${text}`);
  if (url.username !== '' || url.password !== '')
    throw foreign(`The link ${url.origin} contains a user name or password`);
  const { origin, pathname: path, protocol, search: query } = url;
  if (service === undefined) {
    if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(url.hostname)))
      throw foreign(`The link ${text} is not encrypted`);
  } else {
    const base = parseAddress(service, address());
    if (origin !== base.origin || !path.startsWith(`${base.prefix}/`))
      throw foreign(`The link ${text} is outside ${base.origin}${base.prefix}`);
  }
  return { method: 'GET', origin, path, query, accept, ...(headers && { headers }), body: undefined };
}

/** Wraps a sink that accepts only plain bytes: a compressed response, which we did not request, ends the download. */
export function plainSink(sink: Sink): Sink {
  return {
    ...sink,
    begin: (headers, status) => {
      const encoding = headers['content-encoding'] ?? 'identity';
      if (encoding === 'identity') sink.begin(headers, status);
      else
        throw fail('http.unreadable', {
          message: `Unreadable response: it is compressed (${encoding}), but the request did not ask for that.`,
          hint: 'A proxy may have responded: check the addresses and the proxy settings.',
        });
    },
  };
}

function foreign(what: string): KnownError {
  return fail('http.foreign_link', {
    message: `${what}. Nothing was sent there.`,
    hint: "Requests and credentials are sent only to the profile's addresses. Check the addresses in the profile.",
  });
}
