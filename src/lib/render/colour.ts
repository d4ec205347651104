// Whether a stream gets colour: the flag first, then the environment, then the stream itself.

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `--color`/`--no-color` > `CDPADM_NO_COLOR` > `NO_COLOR` > `FORCE_COLOR`, `CLICOLOR_FORCE` > `TERM=dumb` > terminal.
 * A variable that is set to nothing counts as unset.
 */
export function wantsColour(flag: 'auto' | 'always' | 'never', env: Environment, isTerminal: boolean): boolean {
  if (flag !== 'auto') return flag === 'always';
  if (env.CDPADM_NO_COLOR || env.NO_COLOR) return false;
  const forced = env.FORCE_COLOR || env.CLICOLOR_FORCE;
  if (forced) return forced !== '0' && forced !== 'false';
  return env.TERM !== 'dumb' && isTerminal;
}
