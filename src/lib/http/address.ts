// The base addresses of the platform: what may be one, and how a path is hung on it.
import type { Service } from '../contract/endpoint.ts';
import { usageError } from '../kernel/errors.ts';
import { isLoopback } from '../kernel/loopback.ts';

const VARIABLES: Record<Service, string> = {
  base: 'CDPADM_BASE_URL',
  auth: 'CDPADM_AUTH_URL',
  dsr: 'CDPADM_DSR_BASE_URL',
  seeding: 'CDPADM_SEEDING_URL',
  identity: 'CDPADM_IDENTITY_URL',
};

export interface BaseAddress {
  /** Scheme, host and port. */
  origin: string;
  /** The path in front of every call's path; empty or `/prefix`, never with a slash at its end. */
  prefix: string;
}

/** Checks a configured address. Throws CliError (usage) for one that cannot be used, naming the variable that sets it. */
export function parseAddress(service: Service, address: string): BaseAddress {
  const refuse = (what: string, hint: string) => usageError(`The ${service} address ${what}.`, hint);
  const variable = VARIABLES[service];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw refuse(`"${address}" is no http or https address`, `Set ${variable} to one, such as https://host.example.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse(
      'holds a user name or password',
      `Take it out of ${variable}; credentials have settings of their own.`,
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw refuse(`"${address}" holds a query or a fragment`, `Take it out of ${variable}.`);
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw refuse(
      `"${address}" is not encrypted; credentials would be readable on the way`,
      `Set ${variable} to its https form. Plain http is allowed to this machine only.`,
    );
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}
