// The environment of every program that a command starts for the user.
import { childEnvironment } from '../config/child-environment.ts';
import type { Context } from './context.ts';

/** The command's own, without credentials. Throws KnownError invalid input (9) for a broken settings file. */
export function environmentForChild({ io, paths, redactor }: Context): ReturnType<typeof childEnvironment> {
  return childEnvironment({ env: io.env, folder: paths.config, redactor });
}
