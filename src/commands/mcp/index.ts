// `mcp`: a server for assistants over the Model Context Protocol.
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';

export const command = defineCommand({
  path: 'mcp',
  summary: 'serve an assistant over the Model Context Protocol',
  effect: 'local',
  endless: true,
  calls: 'platform',
  flags: { allowWrites: { help: 'also offer tools that write; each write needs an approved plan' } },
  notes: [
    'The server communicates over standard input and output until the client closes them. The server uses one profile, which the assistant cannot change. Its tools read data or show a dry run (a plan). An assistant passes the contents of files, never paths.',
    'With --allow-writes, write tools apply a plan from the same session: once, within 10 minutes, and only if the platform is unchanged. The plan replaces --yes but never overrides a guard. Write tools are not available for profiles that are protected or have `access: read`.',
  ],
  exits: {
    invalidInput: 'the client sent a message of more than 10 MiB',
    interrupted: 'stopped by Ctrl-C',
    terminated: 'stopped by SIGTERM',
  },
  examples: ['cdpadm mcp', 'cdpadm mcp --allow-writes --profile local'],
  run: async (ctx, { flags: { allowWrites = false } }) => {
    const { serveMcp } = await import('../../lib/runtime/mcp/serve.ts');
    await serveMcp(ctx, allowWrites);
  },
});
