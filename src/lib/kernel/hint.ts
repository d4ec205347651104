// What to do next, as data: the renderer completes the command, so no sentence is ever searched for one.

export interface Hint {
  /** One or more sentences, or what the command is for: `To list them:`. */
  readonly text: string;
  /** A whole command line to copy, `cdpadm roles list`, without the flags that say where to. */
  readonly command?: string;
}

/** A plain string is a hint without a command; each hint of an array has a line of its own. */
export type Hints = string | Hint | readonly (string | Hint)[];

export function toHints(hints: Hints | undefined): readonly Hint[] {
  if (hints === undefined) return [];
  const list = typeof hints === 'string' || 'text' in hints ? [hints] : hints;
  return list.map((hint) => (typeof hint === 'string' ? { text: hint } : hint));
}

/** A hint as a line of its own, which ends in the command. */
export function hintLine({ text, command }: Hint): string {
  return command === undefined ? text : `${text} ${command}`;
}

/** Several hints as one text. A command that more text follows is in back-ticks. */
export function hintText(hints: readonly Hint[]): string {
  const last = hints.length - 1;
  return hints
    .map((hint, at) =>
      hint.command === undefined || at === last ? hintLine(hint) : `${hint.text} \`${hint.command}\``,
    )
    .join(' ');
}
