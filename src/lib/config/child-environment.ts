// What a program that we start for the user (editor, hook, command of a secret) sees of the environment.
import { createRedactor, type Redactor } from '../kernel/redact.ts';
import { parseReference } from './secret-reference.ts';
import { SECRET_NAMES, variableOf } from './setting-fields.ts';
import { readSettingsFile } from './settings-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A program that goes to the network needs them; a password in them is none of the platform's. */
const PROXY_VARIABLE = /^(?:https?|all|no)_proxy$/i;

export interface ChildSources {
  env: Environment;
  /** The configuration folder. */
  folder: string;
  redactor: Redactor;
}

/**
 * The environment without credentials: without the variables that are ours, those that any profile names (`env:NAME`),
 * and every other one in which the value of these stands, or a secret that is known by now. Throws CliError invalid
 * input (9) for a broken settings file.
 */
export async function childEnvironment({ env, folder, redactor }: ChildSources): Promise<Environment> {
  const variables = [...SECRET_NAMES.map((name) => ({ name, variable: variableOf(name) })), ...(await named(folder))];
  const withheld = new Set(variables.map(({ variable }) => variable));
  // Apart from the command's own redactor, which need not mask what the command never had.
  const values = createRedactor();
  for (const { name, variable } of variables) if (name !== 'client_id') values.add(env[variable] ?? '');
  const isKnown = (value: string): boolean => redactor.knows(value) || values.knows(value);
  return Object.fromEntries(
    Object.entries(env).filter(
      ([variable, value = '']) => !withheld.has(variable) && (PROXY_VARIABLE.test(variable) || !isKnown(value)),
    ),
  );
}

/** The variables that hold secrets of any profile: those of another one are no program's business either. */
async function named(folder: string): Promise<{ name: string; variable: string }[]> {
  const { profiles } = await readSettingsFile(folder);
  const written = [...profiles.values()].flatMap(({ secrets = {} }) => Object.entries(secrets));
  return written.flatMap(([name, text]) => {
    const reference = typeof text === 'string' ? parseReference(text) : undefined;
    return reference?.kind === 'env' ? [{ name, variable: reference.name }] : [];
  });
}
