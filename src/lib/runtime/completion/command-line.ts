// Splits the command line before the cursor into words. Does not evaluate it.

export type Quote = '' | "'" | '"';

export interface TypedWord {
  text: string;
  quote: Quote;
  /** Length of the prefix of `text` that the shell keeps: bash breaks words at `:` and `=`. */
  kept: number;
}

const SPACE = /[ \t\r\n]/;
const SEPARATOR = /[;|&<>)\n]/;

export interface Reading {
  /** Characters that end a word in the shell. */
  breaks?: string;
  hasBackticks?: boolean;
}

/**
 * Reads the line's last command, after the word `name` (which may follow variables and `sudo`). Inside an incomplete
 * command substitution, reads the substitution's last command. A complete substitution stays in its word.
 */
export function readLine(line: string, name: string, reading: Reading = {}) {
  const words = splitWords(line, reading);
  const current = words.pop() ?? { text: '', quote: '', kept: 0 };
  const texts = words.map(({ text }) => text);
  // Omit the words up to the program's name.
  return { words: texts.slice(texts.lastIndexOf(name, texts.length - 1) + 1), current };
}

export function unquote(word: string): string {
  return splitWords(word, {})
    .map(({ text }) => text)
    .join(' ');
}

/** Returns the words of the last command. The last word is the one at the cursor; it may be empty. */
function splitWords(line: string, { breaks = '', hasBackticks = false }: Reading): TypedWord[] {
  let words: TypedWord[] = [];
  let word: TypedWord | undefined;
  let quote: Quote = '';
  const ends = parenthesesIn(line);
  const open = (): TypedWord => (word ??= { text: '', quote: '', kept: 0 });
  for (let index = 0; index < line.length; index++) {
    const char = line.charAt(index);
    // Inside double quotes, only a parenthesis after a dollar sign opens a substitution.
    const isParenthesis = char === '(' && (quote === '' || line.charAt(index - 1) === '$');
    if (quote !== "'" && (isParenthesis || (char === '`' && hasBackticks))) {
      const end = char === '(' ? ends.get(index) : line.indexOf('`', index + 1) + 1 || undefined;
      if (end !== undefined || quote !== '') {
        // Double quotes enclose a single word, including an incomplete substitution.
        open().text += line.slice(index, end);
        index = (end ?? line.length) - 1;
      } else [words, word] = [[], undefined];
    } else if (quote !== '') {
      const one = open();
      if (char === quote) {
        quote = '';
        if (breaks.includes(char)) one.kept = one.text.length;
      } else if (char === '\\' && quote === '"' && '"\\$`'.includes(line.charAt(index + 1))) {
        one.text += line.charAt(++index);
      } else one.text += char;
    } else if (char === '\\') {
      index++;
      // A backslash before a newline joins the two lines.
      if (line.charAt(index) !== '\n') open().text += line.charAt(index);
    } else if (char === '"' || char === "'") {
      quote = char;
      const one = open();
      one.kept = one.text.length;
    } else if (SEPARATOR.test(char)) {
      [words, word] = [[], undefined];
    } else if (SPACE.test(char)) {
      if (word) words.push(word);
      word = undefined;
    } else {
      const one = open();
      one.text += char;
      if (breaks.includes(char)) one.kept = one.text.length;
    }
  }
  return [...words, { ...open(), quote }];
}

/** Returns the offset after each pair of parentheses, by the offset of its first one. Ignores quotes. */
function parenthesesIn(line: string): Map<number, number> {
  const open: number[] = [];
  const ends = new Map<number, number>();
  for (const { 0: char, index } of line.matchAll(/[()]/g)) {
    if (char === '(') open.push(index);
    else ends.set(open.pop() ?? -1, index + 1);
  }
  return ends;
}
