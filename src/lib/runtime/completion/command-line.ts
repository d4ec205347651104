// A command line as a shell has it before Tab was pressed: split into words, and nothing in it evaluated.

/** Inside which quotes the cursor is. */
export type Quote = '' | "'" | '"';

export interface TypedWord {
  /** Without its quotes and escapes. */
  text: string;
  quote: Quote;
  /** How much of `text` stands before the place from which the shell replaces; bash breaks words at `:` and `=`. */
  kept: number;
}

export interface TypedLine {
  /** The words before the cursor's, the program's own name left out. */
  words: string[];
  current: TypedWord;
}

const SPACE = /[ \t\r\n]/;
/** What ends a command: whatever stands before it is another command's. */
const SEPARATOR = /[;|&<>)\n]/;

export interface Reading {
  /** The characters at which the shell begins a new word to replace. */
  breaks?: string;
  /** Backticks are brackets around a command, as in bash; elsewhere they are characters. */
  hasBackticks?: boolean;
}

/**
 * Reads the line up to the cursor. Of several commands in it the last one counts; what stands before the word `name`
 * (variables, `sudo`) is no part of it. Inside a substitution that is still open its own command counts; a closed one is
 * a part of its word, as it was typed: what it would give is not known.
 */
export function readLine(line: string, name: string, reading: Reading = {}): TypedLine {
  const words = splitWords(line, reading);
  const current = words.pop() ?? { text: '', quote: '', kept: 0 };
  const texts = words.map(({ text }) => text);
  return { words: texts.slice(texts.lastIndexOf(name, texts.length - 1) + 1), current };
}

/** One word as it was typed, without its quotes and escapes. */
export function unquote(word: string): string {
  return splitWords(word, {})
    .map(({ text }) => text)
    .join(' ');
}

/** A command that is being read: the line's own, or one inside a substitution. */
interface Frame {
  words: TypedWord[];
  word: TypedWord | undefined;
  quote: Quote;
  /** Where it was opened, and the character that closes it; the line's own never ends. */
  from: number;
  close: ')' | '`' | '';
}

/** The words of the last command; the last word is the cursor's and may be empty. */
function splitWords(line: string, { breaks = '', hasBackticks = false }: Reading): TypedWord[] {
  const outer: Frame[] = [];
  let frame: Frame = { words: [], word: undefined, quote: '', from: 0, close: '' };
  const open = (): TypedWord => (frame.word ??= { text: '', quote: '', kept: 0 });
  const enter = (from: number, close: ')' | '`'): void => {
    outer.push(frame);
    frame = { words: [], word: undefined, quote: '', from, close };
  };
  /** Back to the command around it, in whose word the whole substitution stands. */
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
      // A line that goes on in the next one.
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
  // A shell takes all between double quotes for one word, a substitution that is still open too.
  const quoted = outer.findIndex(({ quote }) => quote !== '');
  if (quoted !== -1) {
    const { from } = outer[quoted + 1] ?? frame;
    frame = outer[quoted] ?? frame;
    open().text += line.slice(from);
  }
  const last = open();
  return [...frame.words, { ...last, quote: frame.quote }];

  /** Inside double quotes a bracket stands for itself unless a dollar is before it. */
  function isOpening(char: '(' | '`', index: number): boolean {
    if (char === '`') return hasBackticks;
    return frame.quote === '' || line.charAt(index - 1) === '$';
  }
}
