// What a program that we start for the user (editor, hook, command of a secret) sees of the environment.
import { createRedactor, type Redactor } from '../kernel/redact.ts';
import { profileReferences } from './own-references.ts';
import { parseReference } from './secret-file.ts';
import { SECRET_NAMES, variableOf } from './setting-fields.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A program that goes to the network needs them; a password in them is none of the platform's. */
const PROXY_VARIABLE = /^(?:https?|all|no)_proxy$/i;

/** Without these hardly a program runs, and none of them is a place for a secret: what stands there is a name or a folder. */
const NEEDED_TO_RUN =
  /^(?:path|home|user|logname|shell|pwd|term|lang|language|lc_\w+|tz|tmpdir|tmp|temp|display|wayland_display|xdg_runtime_dir|systemroot|pathext|comspec|userprofile|appdata|localappdata)$/i;

export interface ChildSources {
  env: Environment;
  /** The configuration folder. */
  folder: string;
  redactor: Redactor;
}

/**
 * The environment without credentials: without the variables that are ours, those that any profile names (`env:NAME`),
 * and every other one in which the value of these stands, or a secret that is known by now; a value of fewer than eight
 * characters has to be all of it. Throws KnownError invalid input (9) for a broken settings file.
 */
export async function childEnvironment({ env, folder, redactor }: ChildSources): Promise<Environment> {
  const variables = [...SECRET_NAMES.map((name) => ({ name, variable: variableOf(name) })), ...(await named(folder))];
  const withheld = new Set(variables.map(({ variable }) => variable));
  // Apart from the command's own redactor, which need not mask what the command never had.
  const values = createRedactor();
  for (const { name, variable } of variables) if (name !== 'client_id') values.add(env[variable] ?? '');
  const isKnown = (value: string): boolean => redactor.knows(value) || values.knows(value);
  const stays = (variable: string): boolean => PROXY_VARIABLE.test(variable) || NEEDED_TO_RUN.test(variable);
  return Object.fromEntries(
    Object.entries(env).filter(
      ([variable, value = '']) => !withheld.has(variable) && (stays(variable) || !isKnown(value)),
    ),
  );
}

/** The variables that hold secrets of any profile: those of another one are no program's business either. */
async function named(folder: string): Promise<{ name: string; variable: string }[]> {
  return (await profileReferences(folder)).flatMap(({ name, reference }) => {
    const parsed = parseReference(reference);
    return parsed?.kind === 'env' ? [{ name, variable: parsed.name }] : [];
  });
}
