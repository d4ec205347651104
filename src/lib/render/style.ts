// Colors, chosen once per stream. No other module colors text.

const COLORS = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const;
type Color = (typeof COLORS)[number];

/** Each function returns its text unchanged if the stream has no colors. */
export type Style = Readonly<Record<Color, (text: string) => string>>;

function styleOf(paint: (text: string, color: Color) => string): Style {
  return Object.fromEntries(COLORS.map((color) => [color, (text: string) => paint(text, color)])) as Style;
}

/** For files, pipes and `NO_COLOR`. */
export const plainStyle = styleOf((text) => text);

/** Only the terminal's own sixteen colors are readable on any background. Loads chalk only for a colored stream. */
export async function createStyle(isColored: boolean): Promise<Style> {
  if (!isColored) return plainStyle;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return styleOf((text, color) => chalk[color](text));
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
