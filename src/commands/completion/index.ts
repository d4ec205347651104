// `completion`: what makes a shell complete commands, flags, values, profiles and ids.
import { enum as oneOf, type infer as Infer, object, string } from 'zod/mini';
import type { DocumentView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { SCRIPTS, SHELLS } from './scripts.ts';

function scriptResult() {
  return object({ shell: oneOf(SHELLS), script: string() });
}

const view: DocumentView<Infer<ReturnType<typeof scriptResult>>> = {
  kind: 'document',
  verbatim: () => true,
  text: ({ script }) => script,
};

export const printScript = defineCommand({
  path: 'completion',
  summary: 'print the script that makes a shell complete commands, flags, values, profiles and ids',
  effect: 'local',
  calls: 'nobody',
  args: { shell: { help: 'which shell', choices: SHELLS } },
  output: scriptResult,
  notes: [
    'bash, in ~/.bashrc:\n  eval "$(cdpadm completion bash)"',
    'zsh, in ~/.zshrc, behind compinit:\n  eval "$(cdpadm completion zsh)"',
    'fish, once:\n  cdpadm completion fish --out ~/.config/fish/completions/cdpadm.fish',
    'PowerShell, in $PROFILE:\n  cdpadm completion powershell | Out-String | Invoke-Expression',
    'Ids are those that the platform told before: commands that list or get things keep them in the cache folder. Completing a word never asks the platform, and evaluates nothing of what was typed.',
  ],
  examples: ['cdpadm completion bash', 'cdpadm completion fish --out cdpadm.fish'],
  run: (ctx, { args: { shell } }) => ctx.out.emit({ shell, script: SCRIPTS[shell] }, view),
});
