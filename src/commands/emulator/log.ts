// `emulator log`: what the platform was asked.
import { Command } from 'commander';
import type { ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { callControl, findEmulator } from '../../lib/runtime/emulator/control.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { portOption } from './port-option.ts';

interface LoggedRequest {
  at: string;
  method: string;
  path: string;
  /** Null when a fault cut the connection. */
  status: number | null;
}

const view: ListView<LoggedRequest> = {
  kind: 'list',
  columns: [
    { key: 'at', value: ({ at }) => at, rank: 1 },
    { key: 'method', value: ({ method }) => method },
    {
      key: 'status',
      value: ({ status }) => status ?? 'cut',
      paint: (text, { status }, style) => (status === null || status >= 400 ? style.red(text) : text),
    },
    // It holds ids, which are never cut.
    { key: 'path', value: ({ path }) => path, id: true },
  ],
  empty: 'The platform was not asked anything yet.',
};

export function logCommand(ctx: Context): Command {
  const command = new Command('log')
    .description('list the requests that the platform was sent')
    .addOption(portOption())
    .action(async (flags: { port?: string }) => {
      const emulator = await findEmulator(ctx, flags.port);
      const requests = await callControl(ctx, emulator, {
        method: 'GET',
        path: '/requests',
        reply: { list: true, fields: ['at', 'method', 'path', 'status'] },
      });
      await ctx.out.emit(requests as LoggedRequest[], view);
    });
  return withHelp(command, {
    calls: 'emulator',
    examples: ['cdpadm emulator log', 'cdpadm emulator log -o csv --out requests.csv'],
    json: '[{"at","method","path","status"}]',
  });
}
