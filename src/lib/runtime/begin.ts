// The second half of a context: what an action needs and `--help` does not.
import type { Redactor } from '../kernel/redact.ts';
import { wantsColour } from '../render/colour.ts';
import { createStyle } from '../render/style.ts';
import type { GlobalFlags, Io, Output, Prompts } from './context.ts';
import { createOutput } from './output.ts';
import { createPrompts } from './prompts.ts';

export interface Begun {
  flags: GlobalFlags;
  out: Output;
  prompt: Prompts;
}

/** Loads colour and the query's language where they are wanted. Throws CliError usage (2) for a malformed query. */
export async function begin(io: Io, flags: GlobalFlags, redactor: Redactor, signal: AbortSignal): Promise<Begun> {
  const query = flags.query === undefined ? undefined : await (await import('./query.ts')).compileQuery(flags.query);
  const toFile = flags.out !== undefined && flags.out !== '-';
  const styles = {
    stdout: await createStyle(!toFile && wantsColour(flags.color, io.env, io.tty.stdout)),
    stderr: await createStyle(wantsColour(flags.color, io.env, io.tty.stderr)),
  };
  return {
    flags,
    out: createOutput({ io, flags, redactor, query, styles }),
    prompt: createPrompts(io, flags, signal),
  };
}
