// Prompts with Inquirer, for terminals that can redraw.
import { Writable } from 'node:stream';
import { KnownError } from '../../kernel/errors.ts';
import type { Style } from '../../render/style.ts';
import { largest } from '../../kernel/words.ts';
import { displayWidth, padText, wrapMessage, wrapUnder } from '../../render/width.ts';
import type { Io, PromptOptions } from '../context.ts';
import { type Asker, promptEnded } from './asker.ts';

/** Width of the mark before a question, including the space after it. */
const MARK = 2;
/** Space that the cursor occupies before a choice. */
const CURSOR = '  ';
/** Lines below a list's choices: an empty line, the keys, and the terminal's last line, which stays free. */
const BELOW = 3;
/** Number of choices shown during a search. */
const SEARCH_PAGE = 7;

export async function createDrawnAsker(
  io: Io,
  { bold, cyan, dim, green, red }: Style,
  signal: AbortSignal,
): Promise<Asker> {
  const { createPromptModule } = await import('inquirer');
  // Inquirer breaks a long line in the middle of a word.
  const fitted = (text: string): string => wrapMessage(text, io.columns() - MARK);

  /** Asks a question. The note after the question disappears once the user has answered. */
  async function answer<T>(type: string, text: string, question: Record<string, unknown>, note?: string): Promise<T> {
    const message = fitted(text);
    const last = MARK + displayWidth(message.split('\n').at(-1) ?? '');
    /** Text that does not fit after the question starts on the next line. */
    const after = (it: string): string =>
      last + displayWidth(it) < io.columns() ? it : `\n${wrapUnder(CURSOR, it, io.columns())}`;
    const shown = (_message: string, status: string): string =>
      bold(status === 'done' || note === undefined ? message : fitted(`${text} (${note})`));
    // Our own colors, because Inquirer ignores `--color` and our own variables.
    const theme = {
      validationFailureMode: 'clear',
      prefix: { idle: cyan('?'), done: green('✔') },
      icon: { cursor: cyan('❯') },
      style: {
        message: shown,
        answer: (it: string) => cyan(after(it)),
        error: (it: string) => red(`> ${it}`),
        defaultAnswer: (it: string) => dim(after(`(${it})`)),
        help: dim,
        highlight: cyan,
        description: cyan,
        key: (it: string) => bold(`<${it}>`),
      },
    };
    // Standard output is reserved for the result. Inquirer ends the stream that it draws on.
    const drawing = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        io.stderr.write(chunk);
        done();
      },
    });
    const output = Object.assign(drawing, { isTTY: true, columns: io.columns() }) as unknown as NodeJS.WriteStream;
    const prompt = createPromptModule({ input: io.stdin as NodeJS.ReadStream, output, signal });
    try {
      const asked: Promise<unknown> = prompt([{ type, message, theme, ...question, name: 'value' }] as never);
      // Ctrl-D closes the input, which Inquirer notices only when the process ends.
      const closed = new Promise<never>((_resolve, reject) => {
        io.stdin.once('pause', () => setImmediate(() => reject(promptEnded('ctrl-d'))));
      });
      // The input also pauses after an answer, but then the answer arrives first.
      return ((await Promise.race([asked, closed])) as { value: T }).value;
    } catch (error) {
      if (error instanceof KnownError) io.stderr.write('\n');
      // Compare class names, because `instanceof` fails if the package is installed twice.
      const name = error instanceof Error ? error.name : '';
      if (name === 'AbortPromptError') throw signal.reason;
      // `closed` detects Ctrl-D first.
      throw name === 'ExitPromptError' ? promptEnded('ctrl-c') : error;
    }
  }

  const complaint = (wrong: string | undefined): string | true => (wrong === undefined ? true : fitted(wrong));
  const common = (options: PromptOptions): Record<string, unknown> => ({
    ...(options.initial !== undefined && { default: options.initial }),
    ...(options.check && { validate: (text: string) => complaint(options.check?.(text)) }),
    ...(options.shown && {
      transformer: (text: string, { isFinal }: { isFinal: boolean }) => (isFinal ? options.shown?.(text) : text),
    }),
  });

  return {
    input: (message, options) => answer('input', message, common(options), options.note),
    // Inquirer's password prompt keeps an invalid secret, which the user can neither see nor correct.
    secret: (message, options) => {
      const transformer = (text: string): string => '*'.repeat(text.length);
      return answer('input', message, { transformer, ...common(options) }, options.note);
    },
    select: (question, choices, options) => {
      const column = largest(choices.map(({ value, label = value }) => displayWidth(label))) + CURSOR.length;
      const isBeside = choices.every(({ hint = '' }) => CURSOR.length + column + displayWidth(hint) <= io.columns());
      const shown = choices.map(({ value, label = value, hint = '' }) => {
        const line = isBeside ? `${padText(label, column)}${hint}`.trimEnd() : label;
        const name = wrapUnder(CURSOR, line, io.columns()).slice(CURSOR.length);
        const description = isBeside || hint === '' ? {} : { description: wrapMessage(hint, io.columns()) };
        // Tab completes the search text with the name.
        return { value, name, short: label, text: `${name}\n${label} ${hint}`, ...description };
      });
      const lines = shown.reduce((sum, { name }) => sum + linesOf(name), 0);
      // Inquirer cannot redraw a list that is taller than the terminal.
      const hints = largest(shown.map(({ description = '' }) => (description === '' ? 0 : linesOf(description))));
      const room = Math.max(1, io.rows() - linesOf(fitted(question)) - hints - BELOW);
      const pageSize = Math.min(room, options.search ? SEARCH_PAGE : lines);
      const found = (text = ''): typeof shown => {
        const matches = shown.filter((it) => it.text.toLowerCase().includes(text.toLowerCase()));
        const typed = { value: text, name: `${text} (not in the list)`, short: text, text };
        return matches.length === 0 && options.open && text !== '' ? [typed] : matches;
      };
      if (options.search) return answer('search', question, { source: found, pageSize, ...common(options) });
      return answer('select', question, { choices: shown, pageSize, ...common(options) });
    },
  };
}

const linesOf = (text: string): number => text.split('\n').length;
