// Colour and signs, decided once per stream; the only way any text gets colour.

/** Each function returns its text unchanged when the stream has no colour. */
export interface Style {
  /** 0 none, 1 sixteen colours, 2 256, 3 true colour. */
  readonly level: 0 | 1 | 2 | 3;
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

/**
 * The style of one stream. With colour only the sixteen that the terminal's own palette defines, so that they can be
 * read on any background; chalk is loaded then and not before.
 */
export async function createStyle(coloured: boolean): Promise<Style> {
  if (!coloured) return plainStyle;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  // One argument each: chalk would draw the index that `map` passes as well.
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
