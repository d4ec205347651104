// Prompts the user on standard error, if it is an interactive terminal.
import { type KnownError, usageError } from '../../kernel/errors.ts';
import { cleanText } from '../../render/clean.ts';
import type { Style } from '../../render/style.ts';
import { type Asker, BACK, refused, TO_GO_BACK } from './asker.ts';
import type { GlobalFlags, Io, PromptOptions, Prompts } from '../context.ts';
import { mayRedraw } from '../output/messages.ts';
import { fail } from '../../errors/fail.ts';

export function createPrompts(io: Io, flags: GlobalFlags, style: Style, signal: AbortSignal): Prompts {
  const possible = flags.input && io.tty.stdin && io.tty.stderr && !io.env.CI;
  const confirmations = [...flags.confirm];

  async function ask<T>(what: string, flag: string, question: (asker: Asker) => Promise<T>): Promise<T> {
    if (!possible) throw cannotAsk(what, flag);
    const asker = mayRedraw(io)
      ? await (await import('./drawn.ts')).createDrawnAsker(io, style, signal)
      : (await import('./plain.ts')).createPlainAsker(io, signal);
    return await question(asker);
  }

  /** Undefined if the user goes back. In Inquirer's own confirmation, `garbage` and then `y` would give `garbagey`. */
  async function yesNo(what: string, flag: string, question: string, fallback: boolean, canGoBack = false) {
    const note = `${fallback ? 'Y/n' : 'y/N'}${canGoBack ? `; ${TO_GO_BACK}` : ''}`;
    const check = (text: string): string | undefined => {
      if (/^(y|yes|n|no)?$/i.test(text.trim()) || (canGoBack && text.trim() === BACK)) return undefined;
      return canGoBack ? `Type y, n or ${BACK}.` : 'Type y or n.';
    };
    const isYes = (text: string): boolean => (text.trim() === '' ? fallback : /^y/i.test(text.trim()));
    const shown = (text: string): string => (text.trim() === BACK ? 'Back' : isYes(text) ? 'Yes' : 'No');
    const answer = await ask(what, flag, (asker) => asker.input(cleanText(question), { note, check, shown }));
    return answer.trim() === BACK ? undefined : isYes(answer);
  }

  const asked = (kind: 'input' | 'secret'): Prompts['input'] => {
    return (question, options = {}) =>
      ask(`an answer to "${question}"`, flagOf(options), (asker) => asker[kind](cleanText(question), options));
  };

  return {
    possible,
    confirm: async (question, canGoBack) => {
      if (flags.yes) return true;
      const yes = await yesNo('a confirmation', '--yes', question, false, canGoBack);
      if (yes === false) throw refused('Cancelled.');
      return yes === true;
    },
    typed: async (question, expected, options = {}) => {
      const index = confirmations.indexOf(expected);
      if (index >= 0) {
        // Each value answers only one question, so a command with two guards needs two answers.
        confirmations.splice(index, 1);
        return;
      }
      const flag = options.flag ?? `--confirm ${expected}`;
      if (!possible) throw cannotAsk('a typed confirmation', flag, options.exit);
      const typed = await ask('', flag, (asker) => asker.input(cleanText(question), {}));
      if (typed.trim() !== expected) throw refused(`Cancelled: the answer is not \`${expected}\`.`);
    },
    input: asked('input'),
    secret: asked('secret'),
    select: async (question, choices, options = {}) => {
      const answer = await ask(`a choice for "${question}"`, flagOf(options), (asker) =>
        asker.select(cleanText(question), choices, options),
      );
      return answer as (typeof choices)[0]['value'];
    },
    ask: async (question, fallback) =>
      (await yesNo(`an answer to "${question}"`, 'a flag', question, fallback)) === true,
  };
}

function flagOf(options: PromptOptions): string {
  return options.flag ?? 'a flag';
}

function cannotAsk(what: string, flag: string, exit: 'usage' | 'guard' = 'usage'): KnownError {
  const { message, hint } = usageError(
    `This command needs ${what}, but this is not an interactive terminal.`,
    `Pass ${flag}, or run the command in a terminal, without --no-input and with CI unset.`,
  );
  return fail(exit === 'usage' ? 'usage' : 'guard.confirm', { message, ...(hint !== undefined && { hint }) });
}
