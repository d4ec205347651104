// The profile commands.
import { group } from '../../lib/runtime/command-line/define-command.ts';
import { copyProfile, renameProfile } from './copy.ts';
import { createProfile } from './create.ts';
import { deleteProfile } from './delete.ts';
import { editProfile } from './edit.ts';
import { exportProfile } from './export.ts';
import { importProfile } from './import.ts';
import { listProfiles } from './list.ts';
import { showProfile } from './show.ts';
import { useProfile } from './use.ts';

export const command = group('profile', 'profiles: the addresses, ids and credentials of one platform each', [
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
