// The hidden entry point `__complete SHELL …`, which the scripts printed by `cdpadm completion` call.
import { host } from '../../kernel/host.ts';
import type { Context } from '../context.ts';
import { complete, type Candidate, type Tree } from './complete.ts';
import { createValues } from './sources.ts';

/**
 * Prints the kind (`values`, `values nospace`, `files` or `folders`) and one candidate per line, in the form that the
 * shell needs. `args` are `bash BREAKS NAME LINE`, `fish NAME LINE`, `powershell NAME LINE` or `zsh WORD…`. Does
 * not evaluate the command line or call the platform.
 */
export async function answerCompletion(args: readonly string[], ctx: Context, tree: Tree): Promise<void> {
  const [shell = '', ...rest] = args;
  const typed = typedOf(shell, rest);
  if (!typed) return;
  const { words, current } = typed;
  const { kind, candidates } = await complete(words, current.text, tree, createValues(ctx, host.home(ctx.io.env)));
  const fitting = candidates.filter(({ value }) => value.startsWith(current.text));
  // Do not add a space after `email=`, `env:`, `limits.` or a folder, because the word continues.
  const nospace =
    fitting.length > 0 &&
    fitting.every(({ value }) => /[=:.]$/.test(value) || (value.endsWith('/') && /(?:^|=)file:/.test(value)));
  const lines = [`${kind}${nospace ? ' nospace' : ''}`, ...fitting.map((one) => lineOf(shell, one, current))];
  ctx.io.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

function typedOf(shell: string, args: readonly string[]): { words: string[]; current: TypedWord } | undefined {
  const [first = '', second = '', third = ''] = args;
  if (shell === 'bash') return readLine(third, second, { breaks: first, hasBackticks: true });
  if (shell === 'fish' || shell === 'powershell') return readLine(second, first);
  if (shell !== 'zsh') return undefined;
  const words = args.map(unquote);
  return { words: words.slice(0, -1), current: { text: words.at(-1) ?? '', quote: '', kept: 0 } };
}

function lineOf(shell: string, { value, description }: Candidate, current: TypedWord): string {
  // A tab or newline would start the next field or candidate.
  const text = description?.replaceAll(/\s+/g, ' ');
  switch (shell) {
    case 'bash':
      return quoteForBash(value.slice(current.kept), current);
    case 'zsh': {
      const escaped = value.replaceAll(/[\\:]/g, '\\$&');
      return text === undefined ? escaped : `${escaped}:${text}`;
    }
    case 'powershell':
      return [/^[\w.=-]+$/.test(value) ? value : `'${value.replaceAll("'", "''")}'`, value, text ?? value].join('\t');
    default:
      return text === undefined ? value : `${value}\t${text}`;
  }
}

/** Bash inserts a candidate unchanged, so escape its special characters here. */
function quoteForBash(text: string, { quote }: TypedWord): string {
  if (quote === "'") return text.replaceAll("'", "'\\''");
  if (quote === '"') return text.replaceAll(/["\\$`]/g, '\\$&');
  return text.replaceAll(/[^\p{L}\p{N}_.,:/=@%+-]/gu, '\\$&');
}

type Quote = '' | "'" | '"';

interface TypedWord {
  text: string;
  quote: Quote;
  /** Length of the prefix of `text` that the shell keeps: bash breaks words at `:` and `=`. */
  kept: number;
}

const SPACE = /[ \t\r\n]/;
const SEPARATOR = /[;|&<>)\n]/;

interface Reading {
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
