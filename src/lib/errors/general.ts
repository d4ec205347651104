// Errors of any command: usage, input and output files, prompts, signals.
import { exit } from './entry.ts';

export const GENERAL_ERRORS = {
  usage: exit.usage(
    'The command line is invalid.',
    'A command, argument or flag is unknown, missing or invalid, or the command needs to prompt but there is no terminal.',
    'Fix the problem that the message describes. Run the command with --help to list its arguments and flags.',
  ),
  'input.invalid': exit.invalidInput(
    'An input file is invalid.',
    'The file, standard input or the project file breaks a rule. Up to 1,000 problems are listed, each with its line and column. Nothing was sent.',
    'Fix the listed problems and run the command again.',
  ),
  'files.read': exit.failed(
    'An input file cannot be read.',
    'The file does not exist, is a folder, or is not readable. The exit code is 2 for an input that is missing or a folder.',
    'Check the path and its permissions. Use `-` for standard input.',
  ),
  'input.changed': exit.conflict(
    'An input changed while the command was running.',
    'Only rows that were checked are sent. The message reports what was sent before the change.',
    'Run the command again when no other program is writing to the input.',
  ),
  'files.write': exit.failed(
    'A file or folder cannot be written.',
    'The folder does not exist or is read-only, or the disk is full.',
    'Free some space, or choose a different path.',
  ),
  'log.not_found': exit.notFound(
    'The log has no such entry.',
    'No entry has this id. An old entry may have been pruned.',
    'List the entries with `cdpadm log`.',
  ),
  'log.broken': exit.failed(
    'A line of the log was changed, removed or added.',
    'Each line has a hash that covers the line and the hash of the previous line. Someone edited or partly restored the file.',
    'Compare the log with a backup. `cdpadm log verify` lists the affected lines.',
  ),
  'files.symlink': exit.failed(
    'A private file is a symbolic link.',
    'Secrets, the ledger and journals are never read or written through a link, because another user may control its target.',
    'Remove the link, or set the CDPADM_*_DIR variables to the real folders.',
  ),
  'files.foreign': exit.failed(
    'A private file belongs to another user.',
    'The owner can read or replace the file.',
    'Change the owner of the file, or set the CDPADM_*_DIR variables to other folders.',
  ),
  'plans.damaged': exit.invalidInput(
    'The saved plan cannot be applied.',
    'The file is not a plan of this command, or it changed after it was saved. Nothing was sent.',
    'Save the plan again with --save-plan, and review it.',
  ),
  'plans.changed': exit.conflict(
    'The plan differs from the expected plan.',
    'The platform or a file changed after the review, or the plan was already applied. Nothing was sent.',
    'Save a new plan with --save-plan, review it, and apply that plan.',
  ),
  'plans.other_target': exit.conflict(
    'The saved plan is for a different target.',
    'A plan belongs to one address and one organization or workspace. Nothing was sent.',
    'Use the profile that the plan was created with, or save a plan for this target.',
  ),
  'output.write': exit.failed(
    'The result cannot be written.',
    'Standard output was closed, or the disk is full. Changes that were already made are not undone.',
    'Check where the output goes. If the command writes to the platform, check the platform before you run it again.',
  ),
  'mcp.no_plan': exit.conflict(
    'The MCP server has no such plan.',
    'A write needs a plan from the same session, area and command. A plan can be used once, within 10 minutes. Nothing was sent.',
    'Call the planning tool again and show its result to the user.',
  ),
  'mcp.plan_changed': exit.conflict(
    'The platform has changed since the plan was created.',
    'The dry run was repeated just before the write, and its requests or responses differed. Nothing was sent.',
    'Call the planning tool again and show its result to the user.',
  ),
  'editor.failed': exit.failed(
    'The editor failed.',
    'The editor could not be started, or exited with an error. The text was not used.',
    'Set CDPADM_EDITOR, VISUAL or EDITOR to another editor.',
  ),
  'guard.refused': exit.guard(
    'You answered no.',
    'Nothing was changed.',
    'To make the change, run the command again and answer yes.',
  ),
  'guard.confirm': exit.guard(
    'The typed confirmation did not match.',
    'A dangerous change must be confirmed by typing a word. Nothing was sent.',
    'Run the command again and type the word exactly, or pass it with --confirm.',
  ),
  timeout: exit.waitTimedOut(
    'The command reached its --timeout.',
    'The command, or the operation that it was waiting for, took too long.',
    'Pass a longer --timeout, or run the command again to check on the progress.',
  ),
  interrupted: exit.interrupted(
    'You stopped the command with Ctrl-C.',
    'A write in progress may have reached the platform. The message reports a write whose outcome is unknown.',
    'Check the platform before you retry a write.',
  ),
  terminated: exit.terminated(
    'The command received SIGTERM.',
    'A service manager or another program stopped the command.',
    'Check the platform before you retry a write.',
  ),
  hung_up: exit.hungUp(
    'The terminal was closed.',
    'A command stops when its terminal is closed.',
    'For long runs, use a terminal multiplexer or a CI job.',
  ),
  'tour.unexpected': exit.failed(
    'A step of the tour had an unexpected result.',
    'The tour runs real commands on a temporary platform and stops at the first unexpected result.',
    'Run the tour again. If it fails again, report it.',
  ),
  bug: exit.failed(
    'An internal error occurred.',
    'This is a bug in the program, regardless of the input.',
    'Run the command again with --debug, and report the output.',
  ),
};
