// `emulator ui`: the address of the console of a running platform.
import { object, string } from 'zod/mini';
import type { DocumentView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { findEmulator } from '../../lib/runtime/emulator/control.ts';
import { consoleUrl } from '../../lib/runtime/emulator/environment.ts';
import { portFlag } from './control.ts';

const view: DocumentView<{ console_url: string }> = { kind: 'document', text: ({ console_url: url }) => url };

export const showConsole = defineCommand({
  path: 'emulator ui',
  summary: "print the address of the running platform's web console",
  effect: 'local',
  calls: 'emulator',
  flags: portFlag,
  output: () => object({ console_url: string() }),
  notes: [
    'Open the address in a browser on this machine. The console shows the state, requests and callbacks of the platform, and controls its clock and faults.',
  ],
  examples: ['cdpadm emulator ui', 'cdpadm emulator ui --port 4010 -o json'],
  run: async (ctx, { flags }) =>
    ctx.out.emit({ console_url: consoleUrl(await findEmulator(ctx, flags.port, { lasting: true })) }, view),
});
