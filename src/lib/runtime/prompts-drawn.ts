// Questions on a terminal that can redraw, by inquirer.
import type { Io, PromptOptions } from './context.ts';
import { promptEnded, type Asker } from './prompts.ts';

export async function createDrawnAsker(io: Io, signal: AbortSignal): Promise<Asker> {
  const { createPromptModule } = await import('inquirer');
  // Standard output belongs to the result.
  const prompt = createPromptModule({
    input: io.stdin as NodeJS.ReadStream,
    output: io.stderr as NodeJS.WriteStream,
    signal,
  });

  async function answer<T>(question: Record<string, unknown>): Promise<T> {
    try {
      const answers = await prompt([{ ...question, name: 'value' }] as never);
      return (answers as { value: T }).value;
    } catch (error) {
      throw translate(error, signal);
    }
  }

  const common = (message: string, options: PromptOptions): Record<string, unknown> => ({
    message,
    ...(options.initial !== undefined && { default: options.initial }),
    ...(options.check && { validate: (text: string) => options.check?.(text) ?? true }),
  });

  return {
    input: (message, options) => answer({ type: 'input', ...common(message, options) }),
    secret: (message, options) => answer({ type: 'password', mask: '*', ...common(message, options) }),
    select: (message, choices, options) =>
      answer({
        type: 'select',
        message,
        ...(options.initial !== undefined && { default: options.initial }),
        choices: choices.map(({ value, label, hint }) => ({
          value,
          name: label ?? value,
          ...(hint && { description: hint }),
        })),
      }),
    yesNo: (message, fallback) => answer({ type: 'confirm', message, default: fallback }),
  };
}

/** By name: the package may be there twice, and then `instanceof` says no. */
function translate(error: unknown, signal: AbortSignal): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'AbortPromptError') return signal.reason;
  if (error.name !== 'ExitPromptError') return error;
  return promptEnded(error.message.includes('SIGINT') ? 'ctrl-c' : 'ctrl-d');
}
