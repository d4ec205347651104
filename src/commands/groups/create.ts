// `groups create`: the definition of a file as a new group.
import { Command } from 'commander';
import { groupView } from '../../lib/render/groups.ts';
import { CliError, EXIT } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { applyGroup, planWanted, readGroup } from './apply.ts';

export function createCommand(ctx: Context): Command {
  const command = new Command('create')
    .description('create a group definition from a file')
    .requiredOption('-f, --file <file>', 'the definition, YAML or JSON; - is standard input')
    .action((flags: { file: string }) => createGroup(ctx, flags.file));
  return withHelp(command, {
    calls: 'platform',
    columns: groupView.columns,
    notes: ['A workspace has one definition, with at most 10 attributes; `cdpadm schema group` describes the file.'],
    examples: ['cdpadm groups create -f group.yaml', 'cdpadm groups create -f group.yaml --dry-run -o json'],
    json: '{"id","description","source_user_attribute","attributes":[{"id","type"}],…}',
    exits: {
      1: 'the platform refuses it, such as a second definition (422)',
      6: 'there is a group of this id already',
      9: 'the file is invalid',
      12: 'you answered no',
    },
  });
}

async function createGroup(ctx: Context, file: string): Promise<void> {
  const planned = await planWanted(ctx, await readGroup(ctx, file));
  if (planned.live) {
    throw new CliError({
      code: 'groups.exists',
      message: `There is a group ${planned.wanted.id} already.`,
      hint: `Change it with \`cdpadm groups set -f ${file}\`.`,
      exit: EXIT.conflict,
    });
  }
  await applyGroup(ctx, planned);
}
