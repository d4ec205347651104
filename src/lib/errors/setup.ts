// Errors of profiles, credentials, secrets and the embedded platform.
import { exit } from './entry.ts';

export const SETUP_ERRORS = {
  'setup.none': exit.usage(
    'No platform is configured.',
    'There is no profile, and no CDPADM_* variable is set.',
    'Run `cdpadm profile create NAME`, or add `--profile local` to use the embedded platform.',
  ),
  'profile.not_found': exit.notFound(
    'The profile does not exist.',
    '--profile, CDPADM_PROFILE or the project file names a profile that is not stored on this machine.',
    'List the profiles with `cdpadm profile list`.',
  ),
  'profile.exists': exit.conflict(
    'The profile already exists.',
    'This command does not overwrite an existing profile.',
    'Choose another name, or change the profile with `cdpadm profile edit`.',
  ),
  'profile.read_only': exit.guard(
    'The profile allows only reads.',
    'The profile has `access: read`, so every write is blocked before anything is sent.',
    'Add --dry-run to see what the command would do, or use a profile that allows writes.',
  ),
  'profiles.failed': exit.failed(
    'The command failed for some of the profiles.',
    'The message lists each failed profile. The exit code is the highest exit code of these profiles.',
    'Fix the problem reported for each profile.',
  ),
  'config.newer': exit.invalidInput(
    'The settings were written by a newer version.',
    'This version does not support the format of the settings, so it does not change them.',
    'Update cdpadm, or set CDPADM_CONFIG_DIR to another folder.',
  ),
  'references.not_allowed': exit.guard(
    'A file refers to a secret in a way that is not allowed.',
    'A definition may come from someone else. Its references must not read files outside its folder, run commands, or use the credentials of this program.',
    'Move the secret to an allowed location. To run the commands of a trusted file, pass --allow-commands.',
  ),
  'auth.no_credentials': exit.auth(
    'Credentials are missing.',
    'Neither the profile nor the environment contains the required credentials.',
    'Run `cdpadm auth login`, or set the variables that the message names.',
  ),
  'auth.foreign_address': exit.auth(
    'The secret and the address come from different sources, so the secret was not sent.',
    'An address from a source that you do not trust could be used to steal the secret.',
    'Set the secret and the address in the same place: the profile or the environment.',
  ),
  'auth.malformed_token': exit.auth(
    'The access token is malformed.',
    'The token is empty or contains spaces or line breaks.',
    'Set CDPADM_ACCESS_TOKEN again, without a trailing line break.',
  ),
  'auth.test_failed': exit.auth(
    'The credentials do not work.',
    'The message shows which area rejected them, and why.',
    'Fix the credentials for that area, then run `cdpadm auth test`.',
  ),
  'auth.client_refused': exit.auth(
    'The token service rejected the client id or the client secret.',
    'The id or the secret is wrong, or was revoked.',
    'Check both with `cdpadm auth test`, or store them again with `cdpadm auth login`.',
  ),
  'auth.audience_refused': exit.auth(
    'The token service does not issue tokens for this audience.',
    'The credentials are for a different audience. The default audience is the base address.',
    'Set `audience` in the profile, or CDPADM_AUDIENCE.',
  ),
  'secrets.missing': exit.auth(
    'A secret was not found.',
    'An environment variable is not set, or a keychain entry does not exist.',
    'Set the variable or the entry, or store the secret elsewhere with `cdpadm auth login`.',
  ),
  'secrets.command': exit.auth(
    'The command for a secret failed.',
    'The command could not be started, exited with an error, or printed nothing.',
    'Run the command yourself to see its output.',
  ),
  'secrets.file': exit.auth(
    'A file with a secret cannot be used.',
    'The file does not exist, cannot be read, or is readable by other users.',
    'Check the path and the permissions of the file (0600).',
  ),
  'secrets.keychain': exit.auth(
    'The system keychain cannot be used.',
    'The keychain is locked, or this system, like most servers, does not have one.',
    'Use --client-secret-env or --client-secret-command, or accept a private file with --insecure-storage.',
  ),
};

export const EMULATOR_ERRORS = {
  'emulator.none': exit.notFound(
    'No embedded platform is running.',
    'The command needs a running platform to connect to.',
    'Start a platform with `cdpadm emulator start`.',
  ),
  'emulator.running': exit.conflict(
    'An embedded platform already uses this state.',
    'Two platforms cannot share one database.',
    'Use that platform, stop it, or choose another folder with --data.',
  ),
  'emulator.unreachable': exit.network(
    'The embedded platform did not respond.',
    'The platform stopped or is busy.',
    'Run the command again, or start another platform.',
  ),
  'emulator.unreadable': exit.failed(
    'The response is not from an embedded platform.',
    'Another program may be listening on that port.',
    'Check the platform with `cdpadm emulator clock`, or start another platform.',
  ),
  'emulator.refused': exit.failed(
    'The embedded platform rejected the command.',
    'The message quotes the reason.',
    'Find the request in the output of `cdpadm emulator log`.',
  ),
  'emulator.port': exit.conflict(
    'The port is in use.',
    'Another program is listening on this port.',
    'Choose another port with --port, or pass --port 0 to use a free one.',
  ),
  'emulator.listen': exit.failed(
    'The embedded platform cannot listen.',
    'The system rejected the address or the port. The message quotes the reason.',
    'Choose another address or port.',
  ),
  'emulator.database': exit.failed(
    'The file is not an embedded platform database.',
    'Another program created the file, or it is damaged.',
    'Choose another folder with --data, or move the file elsewhere.',
  ),
  'emulator.newer': exit.failed(
    'The state was written by a newer version.',
    'This version does not support the format of the state.',
    'Use the newer version, or another folder with --data.',
  ),
  'emulator.sample_warehouse': exit.failed(
    'The sample warehouse cannot be created.',
    'The folder is missing or read-only, or the file already exists (exit code 6).',
    'Choose another name or folder.',
  ),
};
