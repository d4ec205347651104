// `completion`: what makes a shell complete commands, flags, values, profiles and ids.
import { Argument, Command } from 'commander';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { SCRIPTS, type Shell, SHELLS } from './scripts.ts';

interface Script {
  shell: Shell;
  script: string;
}

const view: DocumentView<Script> = { kind: 'document', verbatim: () => true, text: ({ script }) => script };

export function completionCommand(ctx: Context): Command {
  const command = new Command('completion')
    .description('print the script that makes a shell complete commands, flags, values, profiles and ids')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action((shell: Shell) => ctx.out.emit({ shell, script: SCRIPTS[shell] }, view));
  return withHelp(command, {
    calls: 'nobody',
    notes: [
      'bash, in ~/.bashrc:\n  eval "$(cdpadm completion bash)"',
      'zsh, in ~/.zshrc, behind compinit:\n  eval "$(cdpadm completion zsh)"',
      'fish, once:\n  cdpadm completion fish --out ~/.config/fish/completions/cdpadm.fish',
      'PowerShell, in $PROFILE:\n  cdpadm completion powershell | Out-String | Invoke-Expression',
      'Ids are those that the platform told before: commands that list or get things keep them in the cache folder. Completing a word never asks the platform, and evaluates nothing of what was typed.',
    ],
    examples: ['cdpadm completion bash', 'cdpadm completion fish --out cdpadm.fish'],
    json: '{"shell","script"}',
  });
}
