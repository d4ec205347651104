// Links that an answer of the platform gave, such as a request's results: where they may lead (decision: D144).
import type { Endpoint } from '../../contract/endpoint.ts';
import type { KnownError } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/address.ts';
import { parseAddress } from './address.ts';
import type { BuiltRequest } from './request.ts';
import type { Link, Sink } from '../types.ts';
import { fail } from '../../errors/fail.ts';

/** What a link is to the rest of the core: a GET that may be repeated. */
export function linkEndpoint({ service }: Link): Endpoint {
  return {
    id: 'link',
    service: service ?? 'dsr',
    auth: service === undefined ? 'none' : 'dsr-basic',
    method: 'GET',
    path: '/',
    status: 200,
    safety: 'repeat',
  };
}

/**
 * The request for a link. `address` is the base address of its service. Throws KnownError, so that nothing is sent, for a
 * link that leads elsewhere; for one without a service, when it is neither https nor http to this machine.
 */
export function linkRequest({ accept, headers, service, url: text }: Link, address: () => string): BuiltRequest {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw foreign(`The platform gave a link that is no address: ${text}`);
  if (url.username !== '' || url.password !== '') throw foreign(`The link ${url.origin} holds a user name or password`);
  if (service === undefined) {
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
      throw foreign(`The link ${text} is not encrypted`);
    }
  } else {
    const { origin, prefix } = parseAddress(service, address());
    if (url.origin !== origin || !url.pathname.startsWith(`${prefix}/`)) {
      throw foreign(`The link ${text} leads outside of ${origin}${prefix}`);
    }
  }
  return {
    method: 'GET',
    origin: url.origin,
    path: url.pathname,
    query: url.search,
    accept,
    ...(headers && { headers }),
    body: undefined,
  };
}

/** A sink takes bytes as they are meant: what is compressed although it was not asked for ends the download. */
export function plainSink(sink: Sink): Sink {
  return {
    ...sink,
    begin: (headers) => {
      const encoding = headers['content-encoding'] ?? 'identity';
      if (encoding === 'identity') sink.begin(headers);
      else
        throw fail('http.unreadable', {
          message: `Unreadable answer: it is compressed (${encoding}), which was not asked for.`,
          hint: 'Something other than the platform may have answered: check the addresses and the proxy settings.',
        });
    },
  };
}

function foreign(what: string): KnownError {
  return fail('http.foreign_link', {
    message: `${what}. Nothing was sent there.`,
    hint: 'Credentials and requests go to the addresses of the profile only; check that the profile has the right ones.',
  });
}
