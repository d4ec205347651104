// `completion`: prints the completion script for a shell.
import * as z from 'zod/mini';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { SCRIPTS, SHELLS } from './scripts.ts';

export const command = defineCommand({
  path: 'completion',
  summary: 'print a shell completion script for commands, flags, values, profiles and ids',
  effect: 'local',
  calls: 'none',
  args: { shell: { help: 'name of the shell', choices: SHELLS } },
  output: () => z.object({ shell: z.enum(SHELLS), script: z.string() }),
  notes: [
    'bash, in ~/.bashrc:\n  eval "$(cdpadm completion bash)"',
    'zsh, in ~/.zshrc, after compinit:\n  eval "$(cdpadm completion zsh)"',
    'fish, once:\n  cdpadm completion fish --out ~/.config/fish/completions/cdpadm.fish',
    'PowerShell, in $PROFILE:\n  cdpadm completion powershell | Out-String | Invoke-Expression',
    'Ids come from the cache folder, where commands that list or get resources store them. Completion never calls the platform and never evaluates typed text.',
  ],
  examples: ['cdpadm completion bash', 'cdpadm completion fish --out cdpadm.fish'],
  run: (_ctx, { args: { shell } }) => Promise.resolve({ shell, script: SCRIPTS[shell] }),
  view: { kind: 'document', verbatim: () => true, text: ({ script }) => script },
});
