// `emulator env`: prints the variables that point every command to a running platform, for `eval`.
import { object, optional, string } from 'zod/mini';
import type { DocumentView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { findEmulator } from '../../lib/runtime/emulator/control.ts';
import { environmentOf, VARIABLES } from '../../lib/runtime/emulator/environment.ts';
import { portFlag } from './control.ts';

const view: DocumentView<Record<string, string>> = {
  kind: 'document',
  text: (variables) =>
    Object.entries(variables)
      .map(([name, value]) => `export ${name}=${shellQuote(value)}`)
      .join('\n'),
};

export const printEnvironment = defineCommand({
  path: 'emulator env',
  summary: 'print the variables that point every command to a running platform',
  effect: 'local',
  calls: 'emulator',
  flags: portFlag,
  output: () =>
    object({
      ...Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, string()])),
      CDPADM_CA_FILE: optional(string()),
    }),
  examples: ['eval "$(cdpadm emulator env)"', 'cdpadm emulator env --port 4010 -o json'],
  run: async (ctx, { flags }) =>
    ctx.out.emit(environmentOf(await findEmulator(ctx, flags.port, { lasting: true })), view),
});

/** In single quotes, a shell interprets only the quote itself. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
