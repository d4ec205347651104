// Prompts line by line, without redrawing, for screen readers (`CDPADM_ACCESSIBLE`) and dumb terminals.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { abortable } from '../../kernel/clock.ts';
import { nearest } from '../../kernel/nearest.ts';
import { wrapMessage, wrapUnder } from '../../render/width.ts';
import type { Io } from '../context.ts';
import { type Asker, promptEnded } from './asker.ts';

export function createPlainAsker(io: Io, signal: AbortSignal): Asker {
  /** Asks until `read` accepts the answer. To reject an answer, `read` prints the reason and returns undefined. */
  async function untilRight<T>(question: string, read: (line: string) => T | undefined, hidden = false): Promise<T> {
    for (;;) {
      const value = read(await readLine(io, signal, question, hidden));
      if (value !== undefined) return value;
    }
  }

  const complain = (sentence: string): undefined => {
    io.stderr.write(`${wrapMessage(sentence, io.columns())}\n`);
    return undefined;
  };

  const asText =
    (options: Parameters<Asker['input']>[1]) =>
    (line: string): string | undefined => {
      const text = line === '' ? (options.initial ?? '') : line;
      const wrong = options.check?.(text);
      return wrong === undefined ? text : complain(wrong);
    };

  return {
    input: (question, options) => untilRight(asLine(question, options.note ?? options.initial), asText(options)),
    secret: (question, options) => untilRight(asLine(question, 'not shown'), asText(options), true),
    select: (question, choices, options) => {
      const lines = choices.map(({ value, label, hint }, index) => {
        const text = `${label ?? value}${hint === undefined ? '' : ` (${hint})`}`;
        return wrapUnder(`  ${index + 1}. `, text, io.columns());
      });
      io.stderr.write(`${wrapMessage(question, io.columns())}\n${lines.join('\n')}\n`);
      const initial = choices.findIndex(({ value }) => value === options.initial) + 1;
      return untilRight(asLine('Number or word', initial > 0 ? String(initial) : undefined), (line) => {
        const number = line === '' ? initial : Number(line);
        const named = choices.find(({ value, label }) => isWord(line, value) || isWord(line, label));
        const chosen = (choices[number - 1] ?? named)?.value;
        if (chosen !== undefined) return chosen;
        if (options.open && line !== '') return line;
        const words = choices.flatMap(({ value, label }) => [label ?? value, value]);
        const guess = line === '' ? undefined : nearest(line, words);
        const proposal = guess === undefined ? '' : ` Did you mean ${guess}?`;
        return complain(`Type a number from 1 to ${choices.length}, or a word from the list.${proposal}`);
      });
    },
  };
}

/** Appends the note: after a question mark, but before a colon. */
function asLine(question: string, note: string | undefined): string {
  const after = note === undefined ? '' : ` (${note})`;
  return question.endsWith('?') ? `${question}${after}` : `${question.replace(/:$/, '')}${after}:`;
}

/** True if the user typed a choice instead of its number. */
function isWord(typed: string, word: string | undefined): boolean {
  return word !== undefined && typed !== '' && typed.toLowerCase() === word.toLowerCase();
}

/** Reads a line. The terminal edits and echoes a visible line. A hidden line is read key by key, without an echo. */
async function readLine(io: Io, signal: AbortSignal, question: string, hidden: boolean): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: io.stdin, output: nowhere, terminal: hidden });
  // Print the question only after the terminal stops echoing a hidden line.
  io.stderr.write(wrapMessage(question.trimEnd(), io.columns()) + ' ');
  let isVisible = false;
  try {
    const answered = new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('SIGINT', () => reject(promptEnded('ctrl-c')));
      lines.once('close', () => reject(promptEnded('ctrl-d')));
    });
    const line = await abortable(answered, signal);
    isVisible = !hidden;
    return line.trim();
  } finally {
    lines.close();
    if (!isVisible) io.stderr.write('\n');
  }
}
