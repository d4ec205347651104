// Errors of any command: usage, input and output files, prompts, signals.
import type { ErrorEntry } from './entry.ts';

export const GENERAL_ERRORS = {
  usage: {
    exit: 'usage',
    summary: 'The command line is wrong.',
    explanation:
      'A command, argument or flag does not exist, is missing, or has a value that the command does not accept; or a question could not be asked because there is no terminal.',
    fix: 'Correct the word that the message names. `--help` after the command lists its arguments and flags.',
  },
  'input.invalid': {
    exit: 'invalidInput',
    summary: 'An input file is invalid.',
    explanation:
      'The file, standard input or the project file breaks a rule. Every problem is listed with its line and column. Nothing was sent.',
    fix: 'Correct the listed places and run the command again.',
  },
  'files.read': {
    exit: 'failed',
    summary: 'An input file cannot be read.',
    explanation:
      'The file does not exist, is a folder, or may not be read by you. A path that does not exist is a usage error (exit code 2).',
    fix: 'Check the path and its permissions; `-` reads standard input.',
  },
  'files.write': {
    exit: 'failed',
    summary: 'A file or folder cannot be written.',
    explanation: 'The folder is missing, full or read-only.',
    fix: 'Free some space, or choose another path.',
  },
  'files.symlink': {
    exit: 'failed',
    summary: 'A private file is a symbolic link.',
    explanation:
      'Secrets, the ledger and journals are never read or written through a link, because someone else may control its target.',
    fix: 'Remove the link, or set the CDPADM_*_DIR variables to the real folder.',
  },
  'files.foreign': {
    exit: 'failed',
    summary: 'A private file belongs to another user.',
    explanation: 'Whoever owns the file can read or replace what is stored in it.',
    fix: 'Change its owner, or choose other folders with the CDPADM_*_DIR variables.',
  },
  'output.write': {
    exit: 'failed',
    summary: 'The result cannot be written.',
    explanation:
      'Standard output was closed, or the disk is full. Everything that the command did before that is still done.',
    fix: 'Check where the output goes. For a write, look at the platform before you run the command again.',
  },
  'editor.failed': {
    exit: 'failed',
    summary: 'The editor did not end well.',
    explanation: 'It could not be started or reported a failure. The text was not used.',
    fix: 'Choose another editor with CDPADM_EDITOR, VISUAL or EDITOR.',
  },
  'guard.refused': {
    exit: 'guard',
    summary: 'The question was answered with no.',
    explanation: 'Nothing was done.',
    fix: 'Run the command again, and answer yes if that is what you want.',
  },
  'guard.confirm': {
    exit: 'guard',
    summary: 'The typed confirmation did not match.',
    explanation: 'A dangerous change must be confirmed by typing a word. Nothing was sent.',
    fix: 'Run the command again and type the word exactly, or give it with --confirm.',
  },
  timeout: {
    exit: 'waitTimedOut',
    summary: 'The time given with --timeout ran out.',
    explanation: 'The command, or what it waited for, took longer.',
    fix: 'Give it more time, or run it again to see how far it has come.',
  },
  interrupted: {
    exit: 'interrupted',
    summary: 'You stopped the command with Ctrl-C.',
    explanation: 'A write that was on its way may have arrived; the message says so if it is not known.',
    fix: 'Look at the platform before you repeat a write.',
  },
  terminated: {
    exit: 'terminated',
    summary: 'The command received SIGTERM.',
    explanation: 'A service manager or another program ended it.',
    fix: 'Look at the platform before you repeat a write.',
  },
  hung_up: {
    exit: 'hungUp',
    summary: 'The terminal was closed.',
    explanation: 'The command ends with its terminal.',
    fix: 'For long runs, use a terminal multiplexer or a job of your CI system.',
  },
  'tour.unexpected': {
    exit: 'failed',
    summary: 'A step of the tour did not end as expected.',
    explanation: 'The tour runs real commands on a temporary platform and stops at the first surprise.',
    fix: 'Run it again. If it fails again, please report it.',
  },
  bug: {
    exit: 'failed',
    summary: 'The program itself failed.',
    explanation: 'This should not happen, whatever the input.',
    fix: 'Run the command again with --debug, and please report what it prints.',
  },
} as const satisfies Record<string, ErrorEntry>;
