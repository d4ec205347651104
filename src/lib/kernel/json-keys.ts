// Whether a parsed JSON value holds every key of its text: of one that stands twice the last is taken in silence.

/**
 * True when each key of the text is in the value that `parseJson` made of it; false when a key stands twice in the same
 * object, or was dropped (`__proto__`). One walk, without places: whoever wants to tell them reads the text again.
 */
export function holdsEachKey(value: unknown, text: string): boolean {
  return countMembers(value) === countColons(text);
}

/** Members of all objects in a value. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Object.values(value);
  return items.reduce<number>((sum, item) => sum + countMembers(item), Array.isArray(value) ? 0 : items.length);
}

/** Members as the text writes them: one colon outside of texts for each. */
function countColons(text: string): number {
  // By hand: a pattern over a string of some megabytes runs out of stack.
  let count = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text[at];
    if (quoted && unit === '\\') at++;
    else if (unit === '"') quoted = !quoted;
    else if (unit === ':' && !quoted) count++;
  }
  return count;
}
