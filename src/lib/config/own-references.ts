// Finds this program's secrets, which definition files must not reference and child processes must not receive.
import { join, sep } from 'node:path';
import { createRedactor, type Redactor } from '../kernel/redact.ts';
import { parseReference } from './secret-file.ts';
import { SECRET_NAMES, variableOf } from './setting-fields.ts';
import { readSettingsFile } from './settings-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the variables and keychain entries that profiles reference for their secrets. */
export async function profileReferences(folder: string): Promise<{ name: string; reference: string }[]> {
  const { profiles } = await readSettingsFile(folder);
  return [...profiles.values()].flatMap(({ secrets = {} }) =>
    Object.entries(secrets).flatMap(([name, text]) => {
      const parsed = typeof text === 'string' ? parseReference(text) : undefined;
      return parsed?.kind === 'env' || parsed?.kind === 'keychain'
        ? [{ name, reference: spelling(text as string) }]
        : [];
    }),
  );
}

/** Returns `env: NAME` as `env:NAME`. */
function spelling(reference: string): string {
  return reference.replace(/:\s*/, ':').trimEnd();
}

/** True if a reference (not `file:`) points to a secret of this program. `held` contains the profiles' references. */
export function isOwnReference(reference: string, held: readonly { reference: string }[]): boolean {
  const text = spelling(reference);
  return /^env:CDPADM_/i.test(text) || held.some((it) => it.reference === text);
}

/** True if `path`, a real path, is in a folder that contains this program's secrets or tokens. */
export function isOwnFile(path: string, folders: { config: string; cache: string }): boolean {
  return [join(folders.config, 'secrets'), folders.cache].some((folder) => path.startsWith(folder + sep));
}

/** A child program may need proxy variables to reach the network; a proxy's password is not a platform secret. */
const PROXY_VARIABLE = /^(?:https?|all|no)_proxy$/i;

/** Variables that other programs need in order to run. Their values are names and folders, not secrets. */
const NEEDED_TO_RUN =
  /^(?:path|home|user|logname|shell|pwd|term|lang|language|lc_\w+|tz|tmpdir|tmp|temp|display|wayland_display|xdg_runtime_dir|systemroot|pathext|comspec|userprofile|appdata|localappdata)$/i;

/**
 * Returns the environment, without credentials, for a program that a command starts for the user. Omits the variables
 * of our credentials and those that a profile names (`env:NAME`). Also omits any other variable that contains a known
 * secret or the value of such a variable, unless its name matches an expression above. A secret with fewer
 * than eight characters must be the whole value. Throws KnownError invalid input (9) for a broken settings file.
 */
export async function childEnvironment(env: Environment, folder: string, redactor: Redactor): Promise<Environment> {
  const named = (await profileReferences(folder)).filter(({ reference }) => reference.startsWith('env:'));
  const variables = [
    ...SECRET_NAMES.map((name) => ({ name, variable: variableOf(name) })),
    { name: 'rate_store', variable: 'CDPADM_RATE_STORE' },
    ...named.map(({ name, reference }) => ({ name, variable: reference.slice('env:'.length) })),
  ];
  const withheld = new Set(variables.map(({ variable }) => variable));
  // This redactor is separate from the command's, which need not mask secrets that the command never reads.
  const values = createRedactor();
  for (const { name, variable } of variables) if (name !== 'client_id') values.add(env[variable] ?? '');
  return Object.fromEntries(
    Object.entries(env).filter(([variable, value = '']) => {
      if (withheld.has(variable)) return false;
      if (PROXY_VARIABLE.test(variable) || NEEDED_TO_RUN.test(variable)) return true;
      return !redactor.knows(value) && !values.knows(value);
    }),
  );
}
