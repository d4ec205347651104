// The address of a rate store, which may hold a password.
import { isLoopback } from '../kernel/address.ts';
import { usageError } from '../kernel/errors.ts';

const EXAMPLE = 'for instance redis://127.0.0.1:6379 or rediss://redis.example';

/**
 * The address of `--rate-store`, else of CDPADM_RATE_STORE; undefined without either. Only an address from the environment may
 * have a password. Throws usage (2).
 */
export function readStoreAddress(
  flag: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): URL | undefined {
  const variable = flag === undefined ? 'CDPADM_RATE_STORE' : /^env:(\w+)$/.exec(flag)?.[1];
  const text = variable === undefined ? flag : env[variable];
  if (text === undefined || text === '') {
    if (flag === undefined) return undefined;
    throw usageError(`--rate-store ${flag}: the variable is not set.`);
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const what = variable ?? '--rate-store';
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '')
    throw usageError(`${what} must be an address of Redis, ${EXAMPLE}.`);
  if (variable === undefined && url.password !== '')
    throw usageError(
      '--rate-store must not have a password: other users see the arguments of a process.',
      'Put the address into CDPADM_RATE_STORE, or into another variable: --rate-store env:NAME.',
    );
  if (url.protocol === 'redis:' && !isLoopback(url.hostname))
    throw usageError(`${what}: ${url.host} is another machine, so the connection must be encrypted.`, 'Use rediss://.');
  return url;
}
