// The profile commands.
import { group } from '../../lib/runtime/command-line/define-command.ts';
import {
  copyProfile,
  renameProfile,
  deleteProfile,
  exportProfile,
  importProfile,
  listProfiles,
  useProfile,
} from './manage.ts';
import { createProfile } from './create.ts';
import { editProfile } from './edit.ts';
import { showProfile } from './show.ts';

export const command = group('profile', 'profiles: the addresses, ids and credentials of a platform', [
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
