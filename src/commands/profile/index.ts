// The profile commands.
import { buildGroup } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { copyProfile, renameProfile } from './copy.ts';
import { createProfile } from './create.ts';
import { deleteProfile } from './delete.ts';
import { editProfile } from './edit.ts';
import { exportProfile } from './export.ts';
import { importProfile } from './import.ts';
import { listProfiles } from './list.ts';
import { showProfile } from './show.ts';
import { useProfile } from './use.ts';

export function profileGroup(ctx: Context) {
  return buildGroup(ctx, 'profile', 'profiles: the addresses, ids and credentials of one platform each', [
    createProfile,
    listProfiles,
    showProfile,
    useProfile,
    editProfile,
    renameProfile,
    copyProfile,
    exportProfile,
    importProfile,
    deleteProfile,
  ]);
}
