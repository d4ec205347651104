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

/** A command being read: the line's own command, or one inside a substitution. */
interface Frame {
  words: TypedWord[];
  word: TypedWord | undefined;
  quote: Quote;
  /** Start offset and closing character (empty for the line's own command). */
  from: number;
  close: ')' | '`' | '';
}

/** Returns the words of the last command. The last word is the one at the cursor; it may be empty. */
function splitWords(line: string, { breaks = '', hasBackticks = false }: Reading): TypedWord[] {
  const outer: Frame[] = [];
  let frame: Frame = { words: [], word: undefined, quote: '', from: 0, close: '' };
  const open = (): TypedWord => (frame.word ??= { text: '', quote: '', kept: 0 });
  const enter = (from: number, close: ')' | '`'): void => {
    outer.push(frame);
    frame = { words: [], word: undefined, quote: '', from, close };
  };
  /** Returns to the outer command, and appends the whole substitution to its current word. */
  const leave = (at: number): void => {
    const { from } = frame;
    frame = outer.pop() ?? frame;
    open().text += line.slice(from, at + 1);
  };
  for (let index = 0; index < line.length; index++) {
    const char = line.charAt(index);
    if (frame.quote !== "'" && (char === '(' || char === '`') && isOpening(char, index)) {
      if (char === frame.close) leave(index);
      else enter(index, char === '(' ? ')' : '`');
    } else if (frame.quote !== '') {
      const one = open();
      if (char === frame.quote) {
        frame.quote = '';
        if (breaks.includes(char)) one.kept = one.text.length;
      } else if (char === '\\' && frame.quote === '"') {
        const next = line.charAt(index + 1);
        if ('"\\$`'.includes(next)) index++;
        one.text += '"\\$`'.includes(next) ? next : char;
      } else one.text += char;
    } else if (char === '\\') {
      index++;
      // A backslash before a newline joins the two lines.
      if (line.charAt(index) !== '\n') open().text += line.charAt(index);
    } else if (char === '"' || char === "'") {
      frame.quote = char;
      const one = open();
      one.kept = one.text.length;
    } else if (char === ')' && frame.close === ')') {
      leave(index);
    } else if (SEPARATOR.test(char)) {
      frame.words = [];
      frame.word = undefined;
    } else if (SPACE.test(char)) {
      if (frame.word) frame.words.push(frame.word);
      frame.word = undefined;
    } else {
      const one = open();
      one.text += char;
      if (breaks.includes(char)) one.kept = one.text.length;
    }
  }
  // Double quotes enclose a single word, including an incomplete substitution.
  const quoted = outer.findIndex(({ quote }) => quote !== '');
  if (quoted !== -1) {
    const { from } = outer[quoted + 1] ?? frame;
    frame = outer[quoted] ?? frame;
    open().text += line.slice(from);
  }
  const last = open();
  return [...frame.words, { ...last, quote: frame.quote }];

  /** Inside double quotes, only a parenthesis after a dollar sign opens a substitution. */
  function isOpening(char: '(' | '`', index: number): boolean {
    if (char === '`') return hasBackticks;
    return frame.quote === '' || line.charAt(index - 1) === '$';
  }
}
