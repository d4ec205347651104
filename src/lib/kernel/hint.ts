// Hints as data: the renderer completes the command, so no text has to be searched for one.

export interface Hint {
  /** One or more sentences, or the purpose of the command: `To list them:`. */
  readonly text: string;
  /** A complete command line to copy, such as `cdpadm roles list`, without profile and id flags. */
  readonly command?: string;
}

/** A string is a hint without a command. Each hint of an array is a separate line. */
export type Hints = string | Hint | readonly (string | Hint)[];

export function toHints(hints: Hints | undefined): readonly Hint[] {
  if (hints === undefined) return [];
  const list = typeof hints === 'string' || 'text' in hints ? [hints] : hints;
  return list.map((hint) => (typeof hint === 'string' ? { text: hint } : hint));
}

/** A hint as one line that ends in the command. */
export function hintLine({ text, command }: Hint): string {
  return command === undefined ? text : `${text} ${command}`;
}

/** Several hints as one text. A command before more text is in backticks. */
export function hintText(hints: readonly Hint[]): string {
  const last = hints.length - 1;
  return hints
    .map((hint, at) =>
      hint.command === undefined || at === last ? hintLine(hint) : `${hint.text} \`${hint.command}\``,
    )
    .join(' ');
}
