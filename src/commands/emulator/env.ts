// `emulator env`: the variables that point every command to a running platform, to `eval`.
import { Command } from 'commander';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { findEmulator } from '../../lib/runtime/emulator/control.ts';
import { environmentOf } from '../../lib/runtime/emulator/environment.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { portOption } from './port-option.ts';

const view: DocumentView<Record<string, string>> = {
  kind: 'document',
  text: (variables) =>
    Object.entries(variables)
      .map(([name, value]) => `export ${name}=${shellQuote(value)}`)
      .join('\n'),
};

export function envCommand(ctx: Context): Command {
  const command = new Command('env')
    .description('print the variables that point every command to a running platform')
    .addOption(portOption())
    .action(async (flags: { port?: string }) => {
      await ctx.out.emit(environmentOf(await findEmulator(ctx, flags.port, { lasting: true })), view);
    });
  return withHelp(command, {
    calls: 'emulator',
    examples: ['eval "$(cdpadm emulator env)"', 'cdpadm emulator env --port 4010 -o json'],
    json: '{"CDPADM_BASE_URL", …}',
  });
}

/** In single quotes nothing is special to a shell but the quote itself. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
