// The environment of every program that a command starts for the user.
import { childEnvironment } from '../config/own-references.ts';
import type { Context } from './context.ts';

export function environmentForChild({ io, paths, redactor }: Context): ReturnType<typeof childEnvironment> {
  return childEnvironment({ env: io.env, folder: paths.config, redactor });
}
