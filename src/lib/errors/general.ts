// Errors of any command: usage, input and output files, prompts, signals.
import type { ErrorEntry } from './entry.ts';

export const GENERAL_ERRORS = {
  usage: {
    exit: 'usage',
    summary: 'The command line is invalid.',
    explanation:
      'A command, argument or flag is unknown, missing or invalid, or the command needs to prompt but there is no terminal.',
    fix: 'Fix the problem that the message describes. Run the command with --help to list its arguments and flags.',
  },
  'input.invalid': {
    exit: 'invalidInput',
    summary: 'An input file is invalid.',
    explanation:
      'The file, standard input or the project file breaks a rule. Up to 1,000 problems are listed, each with its line and column. Nothing was sent.',
    fix: 'Fix the listed problems and run the command again.',
  },
  'files.read': {
    exit: 'failed',
    summary: 'An input file cannot be read.',
    explanation:
      'The file does not exist, is a folder, or is not readable. The exit code is 2 for an input that is missing or a folder.',
    fix: 'Check the path and its permissions. Use `-` for standard input.',
  },
  'input.changed': {
    exit: 'conflict',
    summary: 'An input changed while the command was running.',
    explanation: 'Only rows that were checked are sent. The message reports what was sent before the change.',
    fix: 'Run the command again when no other program is writing to the input.',
  },
  'files.write': {
    exit: 'failed',
    summary: 'A file or folder cannot be written.',
    explanation: 'The folder does not exist or is read-only, or the disk is full.',
    fix: 'Free some space, or choose a different path.',
  },
  'log.not_found': {
    exit: 'notFound',
    summary: 'The log has no such entry.',
    explanation: 'No entry has this id. An old entry may have been pruned.',
    fix: 'List the entries with `cdpadm log`.',
  },
  'log.broken': {
    exit: 'failed',
    summary: 'A line of the log was changed, removed or added.',
    explanation:
      'Each line has a hash that covers the line and the hash of the previous line. Someone edited or partly restored the file.',
    fix: 'Compare the log with a backup. `cdpadm log verify` lists the affected lines.',
  },
  'files.symlink': {
    exit: 'failed',
    summary: 'A private file is a symbolic link.',
    explanation:
      'Secrets, the ledger and journals are never read or written through a link, because another user may control its target.',
    fix: 'Remove the link, or set the CDPADM_*_DIR variables to the real folders.',
  },
  'files.foreign': {
    exit: 'failed',
    summary: 'A private file belongs to another user.',
    explanation: 'The owner can read or replace the file.',
    fix: 'Change the owner of the file, or set the CDPADM_*_DIR variables to other folders.',
  },
  'plans.damaged': {
    exit: 'invalidInput',
    summary: 'The saved plan cannot be applied.',
    explanation: 'The file is not a plan of this command, or it changed after it was saved. Nothing was sent.',
    fix: 'Save the plan again with --save-plan, and review it.',
  },
  'plans.changed': {
    exit: 'conflict',
    summary: 'The plan differs from the expected plan.',
    explanation: 'The platform or a file changed after the review, or the plan was already applied. Nothing was sent.',
    fix: 'Save a new plan with --save-plan, review it, and apply that plan.',
  },
  'plans.other_target': {
    exit: 'conflict',
    summary: 'The saved plan is for a different target.',
    explanation: 'A plan belongs to one address and one organization or workspace. Nothing was sent.',
    fix: 'Use the profile that the plan was created with, or save a plan for this target.',
  },
  'output.write': {
    exit: 'failed',
    summary: 'The result cannot be written.',
    explanation: 'Standard output was closed, or the disk is full. Changes that were already made are not undone.',
    fix: 'Check where the output goes. If the command writes to the platform, check the platform before you run it again.',
  },
  'mcp.no_plan': {
    exit: 'conflict',
    summary: 'The MCP server has no such plan.',
    explanation:
      'A write needs a plan from the same session, area and command. A plan can be used once, within 10 minutes. Nothing was sent.',
    fix: 'Call the planning tool again and show its result to the user.',
  },
  'mcp.plan_changed': {
    exit: 'conflict',
    summary: 'The platform has changed since the plan was created.',
    explanation:
      'The dry run was repeated just before the write, and its requests or responses differed. Nothing was sent.',
    fix: 'Call the planning tool again and show its result to the user.',
  },
  'editor.failed': {
    exit: 'failed',
    summary: 'The editor failed.',
    explanation: 'The editor could not be started, or exited with an error. The text was not used.',
    fix: 'Set CDPADM_EDITOR, VISUAL or EDITOR to another editor.',
  },
  'guard.refused': {
    exit: 'guard',
    summary: 'You answered no.',
    explanation: 'Nothing was changed.',
    fix: 'To make the change, run the command again and answer yes.',
  },
  'guard.confirm': {
    exit: 'guard',
    summary: 'The typed confirmation did not match.',
    explanation: 'A dangerous change must be confirmed by typing a word. Nothing was sent.',
    fix: 'Run the command again and type the word exactly, or pass it with --confirm.',
  },
  timeout: {
    exit: 'waitTimedOut',
    summary: 'The command reached its --timeout.',
    explanation: 'The command, or the operation that it was waiting for, took too long.',
    fix: 'Pass a longer --timeout, or run the command again to check on the progress.',
  },
  interrupted: {
    exit: 'interrupted',
    summary: 'You stopped the command with Ctrl-C.',
    explanation:
      'A write in progress may have reached the platform. The message reports a write whose outcome is unknown.',
    fix: 'Check the platform before you retry a write.',
  },
  terminated: {
    exit: 'terminated',
    summary: 'The command received SIGTERM.',
    explanation: 'A service manager or another program stopped the command.',
    fix: 'Check the platform before you retry a write.',
  },
  hung_up: {
    exit: 'hungUp',
    summary: 'The terminal was closed.',
    explanation: 'A command stops when its terminal is closed.',
    fix: 'For long runs, use a terminal multiplexer or a CI job.',
  },
  'tour.unexpected': {
    exit: 'failed',
    summary: 'A step of the tour had an unexpected result.',
    explanation: 'The tour runs real commands on a temporary platform and stops at the first unexpected result.',
    fix: 'Run the tour again. If it fails again, report it.',
  },
  bug: {
    exit: 'failed',
    summary: 'An internal error occurred.',
    explanation: 'This is a bug in the program, regardless of the input.',
    fix: 'Run the command again with --debug, and report the output.',
  },
} as const satisfies Record<string, ErrorEntry>;
