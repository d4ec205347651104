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
/** What ends a command, and what leads somewhere else: whatever stands before it is another command's. */
const SEPARATOR = /[;|&()<>\n]/;

/**
 * Reads the line up to the cursor. Of several commands in it the last one counts; what stands before the word `name`
 * (variables, `sudo`) is no part of it. `breaks` are the characters at which the shell begins a new word to replace.
 */
export function readLine(line: string, name: string, breaks = ''): TypedLine {
  const words = splitWords(line, breaks);
  const current = words.pop() ?? { text: '', quote: '', kept: 0 };
  const texts = words.map(({ text }) => text);
  return { words: texts.slice(texts.lastIndexOf(name, texts.length - 1) + 1), current };
}

/** One word as it was typed, without its quotes and escapes. */
export function unquote(word: string): string {
  return splitWords(word, '')
    .map(({ text }) => text)
    .join(' ');
}

/** The words of the last command; the last word is the cursor's and may be empty. */
function splitWords(line: string, breaks: string): TypedWord[] {
  let words: TypedWord[] = [];
  let word: TypedWord | undefined;
  let quote: Quote = '';
  const open = (): TypedWord => (word ??= { text: '', quote: '', kept: 0 });
  for (let index = 0; index < line.length; index++) {
    const char = line.charAt(index);
    if (quote !== '') {
      const one = open();
      if (char === quote) {
        quote = '';
        if (breaks.includes(char)) one.kept = one.text.length;
      } else if (char === '\\' && quote === '"') {
        const next = line.charAt(index + 1);
        if ('"\\$`'.includes(next)) index++;
        one.text += '"\\$`'.includes(next) ? next : char;
      } else one.text += char;
    } else if (char === '\\') {
      index++;
      // A line that goes on in the next one.
      if (line.charAt(index) !== '\n') open().text += line.charAt(index);
    } else if (char === '"' || char === "'") {
      quote = char;
      const one = open();
      one.kept = one.text.length;
    } else if (SEPARATOR.test(char)) {
      words = [];
      word = undefined;
    } else if (SPACE.test(char)) {
      if (word) words.push(word);
      word = undefined;
    } else {
      const one = open();
      one.text += char;
      if (breaks.includes(char)) one.kept = one.text.length;
    }
  }
  const last = open();
  return [...words, { ...last, quote }];
}
