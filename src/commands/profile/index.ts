// The profile commands.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { copyProfileCommand } from './copy.ts';
import { createProfileCommand } from './create.ts';
import { deleteProfileCommand } from './delete.ts';
import { editProfileCommand } from './edit.ts';
import { exportProfileCommand } from './export.ts';
import { importProfileCommand } from './import.ts';
import { listProfilesCommand } from './list.ts';
import { renameProfileCommand } from './rename.ts';
import { showProfileCommand } from './show.ts';
import { useProfileCommand } from './use.ts';

export function profileGroup(ctx: Context): Command {
  const group = new Command('profile').description('profiles: the addresses, ids and credentials of one platform each');
  for (const build of [
    createProfileCommand,
    listProfilesCommand,
    showProfileCommand,
    useProfileCommand,
    editProfileCommand,
    renameProfileCommand,
    copyProfileCommand,
    exportProfileCommand,
    importProfileCommand,
    deleteProfileCommand,
  ]) {
    group.addCommand(build(ctx));
  }
  return group;
}
