// The base addresses of the platform, as a call needs them: where each is set, and what is said of one that cannot be used.
import type { Service } from '../../contract/endpoint.ts';
import { type AddressFault, type BaseAddress, readBaseAddress } from '../../kernel/address.ts';
import { usageError } from '../../kernel/errors.ts';

const VARIABLES: Record<Service, string> = {
  base: 'CDPADM_BASE_URL',
  auth: 'CDPADM_AUTH_URL',
  dsr: 'CDPADM_DSR_BASE_URL',
  seeding: 'CDPADM_SEEDING_URL',
  identity: 'CDPADM_IDENTITY_URL',
};

/** What is wrong, and what to do about the variable that sets it. An address with a password in it is not shown. */
const FAULTS: Record<AddressFault, (address: string, variable: string) => [what: string, hint: string]> = {
  'no-url': noAddress,
  scheme: noAddress,
  credentials: (_address, variable) => [
    'holds a user name or password',
    `Take it out of ${variable}; credentials have settings of their own.`,
  ],
  query: (address, variable) => [`"${address}" holds a query or a fragment`, `Take it out of ${variable}.`],
  plain: (address, variable) => [
    `"${address}" is not encrypted; credentials would be readable on the way`,
    `Set ${variable} to its https form. Plain http is allowed to this machine only.`,
  ],
};

function noAddress(address: string, variable: string): [what: string, hint: string] {
  return [`"${address}" is no http or https address`, `Set ${variable} to one, such as https://host.example.`];
}

/** Checks a configured address. Throws KnownError (usage) for one that cannot be used, naming the variable that sets it. */
export function parseAddress(service: Service, address: string): BaseAddress {
  const read = readBaseAddress(address);
  if (!('fault' in read)) return read;
  const [what, hint] = FAULTS[read.fault](address, VARIABLES[service]);
  throw usageError(`The ${service} address ${what}.`, hint);
}
