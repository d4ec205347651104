// `emulator log`: what the platform was asked.
import { array, type infer as Infer, nullable, number, object, string } from 'zod/mini';
import type { ListView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { controlCalls } from '../../lib/runtime/emulator/control.ts';
import { portFlag, read } from './control.ts';

type LoggedRequest = Infer<ReturnType<typeof logResult>>[number];

/** `status` is null when a fault cut the connection. */
function logResult() {
  return array(object({ at: string(), method: string(), path: string(), status: nullable(number()) }));
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

export const listRequests = defineCommand({
  path: 'emulator log',
  summary: 'list the requests that the platform was sent',
  effect: 'local',
  calls: 'emulator',
  flags: portFlag,
  output: logResult,
  examples: ['cdpadm emulator log', 'cdpadm emulator log -o csv --out requests.csv'],
  run: async (ctx, { flags }) => ctx.out.emit(await read(ctx, flags, controlCalls.log), view),
});
