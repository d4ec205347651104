// Errors of profiles, credentials, secrets and the embedded platform.
import type { ErrorEntry } from './entry.ts';

export const SETUP_ERRORS = {
  'setup.none': {
    exit: 'usage',
    summary: 'No platform is configured.',
    explanation: 'There is no profile, and no CDPADM_* variable is set.',
    fix: 'Run `cdpadm profile create NAME`, or add `--profile local` to use the embedded platform.',
  },
  'profile.not_found': {
    exit: 'notFound',
    summary: 'The profile does not exist.',
    explanation: '--profile, CDPADM_PROFILE or the project file names a profile that is not stored on this machine.',
    fix: 'List the profiles with `cdpadm profile list`.',
  },
  'profile.exists': {
    exit: 'conflict',
    summary: 'The profile already exists.',
    explanation: 'This command does not overwrite an existing profile.',
    fix: 'Choose another name, or change the profile with `cdpadm profile edit`.',
  },
  'profile.read_only': {
    exit: 'guard',
    summary: 'The profile allows only reads.',
    explanation: 'The profile has `access: read`, so every write is blocked before anything is sent.',
    fix: 'Add --dry-run to see what the command would do, or use a profile that allows writes.',
  },
  'profiles.failed': {
    exit: 'failed',
    summary: 'The command failed for some of the profiles.',
    explanation: 'The message lists each failed profile. The exit code is the highest exit code of these profiles.',
    fix: 'Fix the problem reported for each profile.',
  },
  'config.newer': {
    exit: 'invalidInput',
    summary: 'The settings were written by a newer version.',
    explanation: 'This version does not support the format of the settings, so it does not change them.',
    fix: 'Update cdpadm, or set CDPADM_CONFIG_DIR to another folder.',
  },
  'references.not_allowed': {
    exit: 'guard',
    summary: 'A file refers to a secret in a way that is not allowed.',
    explanation:
      'A definition may come from someone else. Its references must not read files outside its folder, run commands, or use the credentials of this program.',
    fix: 'Move the secret to an allowed location. To run the commands of a trusted file, pass --allow-commands.',
  },
  'auth.no_credentials': {
    exit: 'auth',
    summary: 'Credentials are missing.',
    explanation: 'Neither the profile nor the environment contains the required credentials.',
    fix: 'Run `cdpadm auth login`, or set the variables that the message names.',
  },
  'auth.foreign_address': {
    exit: 'auth',
    summary: 'The secret and the address come from different sources, so the secret was not sent.',
    explanation: 'An address from a source that you do not trust could be used to steal the secret.',
    fix: 'Set the secret and the address in the same place: the profile or the environment.',
  },
  'auth.malformed_token': {
    exit: 'auth',
    summary: 'The access token is malformed.',
    explanation: 'The token is empty or contains spaces or line breaks.',
    fix: 'Set CDPADM_ACCESS_TOKEN again, without a trailing line break.',
  },
  'auth.test_failed': {
    exit: 'auth',
    summary: 'The credentials do not work.',
    explanation: 'The message shows which area rejected them, and why.',
    fix: 'Fix the credentials for that area, then run `cdpadm auth test`.',
  },
  'auth.client_refused': {
    exit: 'auth',
    summary: 'The token service rejected the client id or the client secret.',
    explanation: 'The id or the secret is wrong, or was revoked.',
    fix: 'Check both with `cdpadm auth test`, or store them again with `cdpadm auth login`.',
  },
  'auth.audience_refused': {
    exit: 'auth',
    summary: 'The token service does not issue tokens for this audience.',
    explanation: 'The credentials are for a different audience. The default audience is the base address.',
    fix: 'Set `audience` in the profile, or CDPADM_AUDIENCE.',
  },
  'secrets.missing': {
    exit: 'auth',
    summary: 'A secret was not found.',
    explanation: 'An environment variable is not set, or a keychain entry does not exist.',
    fix: 'Set the variable or the entry, or store the secret elsewhere with `cdpadm auth login`.',
  },
  'secrets.command': {
    exit: 'auth',
    summary: 'The command for a secret failed.',
    explanation: 'The command could not be started, exited with an error, or printed nothing.',
    fix: 'Run the command yourself to see its output.',
  },
  'secrets.file': {
    exit: 'auth',
    summary: 'A file with a secret cannot be used.',
    explanation: 'The file does not exist, cannot be read, or is readable by other users.',
    fix: 'Check the path and the permissions of the file (0600).',
  },
  'secrets.keychain': {
    exit: 'auth',
    summary: 'The system keychain cannot be used.',
    explanation: 'The keychain is locked, or this system, like most servers, does not have one.',
    fix: 'Use --client-secret-env or --client-secret-command, or accept a private file with --insecure-storage.',
  },
} as const satisfies Record<string, ErrorEntry>;

export const EMULATOR_ERRORS = {
  'emulator.none': {
    exit: 'notFound',
    summary: 'No embedded platform is running.',
    explanation: 'The command needs a running platform to connect to.',
    fix: 'Start a platform with `cdpadm emulator start`.',
  },
  'emulator.running': {
    exit: 'conflict',
    summary: 'An embedded platform already uses this state.',
    explanation: 'Two platforms cannot share one database.',
    fix: 'Use that platform, stop it, or choose another folder with --data.',
  },
  'emulator.unreachable': {
    exit: 'network',
    summary: 'The embedded platform did not respond.',
    explanation: 'The platform stopped or is busy.',
    fix: 'Run the command again, or start another platform.',
  },
  'emulator.unreadable': {
    exit: 'failed',
    summary: 'The response is not from an embedded platform.',
    explanation: 'Another program may be listening on that port.',
    fix: 'Check the platform with `cdpadm emulator clock`, or start another platform.',
  },
  'emulator.refused': {
    exit: 'failed',
    summary: 'The embedded platform rejected the command.',
    explanation: 'The message quotes the reason.',
    fix: 'Find the request in the output of `cdpadm emulator log`.',
  },
  'emulator.port': {
    exit: 'conflict',
    summary: 'The port is in use.',
    explanation: 'Another program is listening on this port.',
    fix: 'Choose another port with --port, or pass --port 0 to use a free one.',
  },
  'emulator.listen': {
    exit: 'failed',
    summary: 'The embedded platform cannot listen.',
    explanation: 'The system rejected the address or the port. The message quotes the reason.',
    fix: 'Choose another address or port.',
  },
  'emulator.database': {
    exit: 'failed',
    summary: 'The file is not an embedded platform database.',
    explanation: 'Another program created the file, or it is damaged.',
    fix: 'Choose another folder with --data, or move the file elsewhere.',
  },
  'emulator.newer': {
    exit: 'failed',
    summary: 'The state was written by a newer version.',
    explanation: 'This version does not support the format of the state.',
    fix: 'Use the newer version, or another folder with --data.',
  },
  'emulator.sample_warehouse': {
    exit: 'failed',
    summary: 'The sample warehouse cannot be created.',
    explanation: 'The folder is missing or read-only, or the file already exists (exit code 6).',
    fix: 'Choose another name or folder.',
  },
} as const satisfies Record<string, ErrorEntry>;
