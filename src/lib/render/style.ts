// Colors, chosen once per stream. No other module colors text.

/** Each function returns its text unchanged if the stream has no colors. */
export interface Style {
  /** 1 for the terminal's sixteen colors, 0 for none. */
  readonly level: 0 | 1;
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

const same = (text: string): string => text;

/** For files, pipes and `NO_COLOR`. */
export const plainStyle: Style = { level: 0, bold: same, dim: same, red: same, green: same, yellow: same, cyan: same };

/** Only the terminal's own sixteen colors are readable on any background. Loads chalk only for a colored stream. */
export async function createStyle(isColored: boolean): Promise<Style> {
  if (!isColored) return plainStyle;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  // Each function ignores the index that `map` passes, because chalk would print it.
  return {
    level: 1,
    bold: (text) => chalk.bold(text),
    dim: (text) => chalk.dim(text),
    red: (text) => chalk.red(text),
    green: (text) => chalk.green(text),
    yellow: (text) => chalk.yellow(text),
    cyan: (text) => chalk.cyan(text),
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Precedence: flag, `CDPADM_NO_COLOR`, `NO_COLOR`, `FORCE_COLOR`, `CLICOLOR_FORCE`, `TERM=dumb`. Empty means unset. */
export function wantsColor(flag: 'auto' | 'always' | 'never', env: Environment, isTerminal: boolean): boolean {
  if (flag !== 'auto') return flag === 'always';
  if (env.CDPADM_NO_COLOR || env.NO_COLOR) return false;
  const forced = env.FORCE_COLOR || env.CLICOLOR_FORCE;
  if (forced) return forced !== '0' && forced !== 'false';
  return env.TERM !== 'dumb' && isTerminal;
}
