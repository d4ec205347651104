// Errors of the embedded platform.
import type { ErrorEntry } from './entry.ts';

export const EMULATOR_ERRORS = {
  'emulator.none': {
    exit: 'notFound',
    summary: 'No embedded platform is running.',
    explanation: 'The command needs a running platform to connect to.',
    fix: 'Start one with `cdpadm emulator start`.',
  },
  'emulator.running': {
    exit: 'conflict',
    summary: 'An embedded platform already uses this state.',
    explanation: 'Two platforms cannot share one database.',
    fix: 'Use that one, stop it, or choose another folder with --data.',
  },
  'emulator.unreachable': {
    exit: 'network',
    summary: 'The embedded platform did not respond.',
    explanation: 'It stopped, or it is busy.',
    fix: 'Run the command again, or start another platform.',
  },
  'emulator.unreadable': {
    exit: 'failed',
    summary: 'The response is not from an embedded platform.',
    explanation: 'Another program may be listening on that port.',
    fix: 'Check it with `cdpadm emulator clock`, or start another platform.',
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
    explanation: 'Another program is listening on it.',
    fix: 'Choose another port with --port, or a free one with --port 0.',
  },
  'emulator.listen': {
    exit: 'failed',
    summary: 'The embedded platform cannot listen.',
    explanation: 'You do not have permission to use the address or the port.',
    fix: 'Choose another port.',
  },
  'emulator.database': {
    exit: 'failed',
    summary: 'The file is not a database of the embedded platform.',
    explanation: 'Another program created it, or it is damaged.',
    fix: 'Choose another folder with --data, or move the file away.',
  },
  'emulator.newer': {
    exit: 'failed',
    summary: 'The state was written by a newer version.',
    explanation: 'This version does not support its format.',
    fix: 'Use that version, or another folder with --data.',
  },
  'emulator.sample_warehouse': {
    exit: 'failed',
    summary: 'The sample warehouse cannot be created.',
    explanation: 'The folder is missing or read-only; if the file exists, the exit code is 6.',
    fix: 'Choose another name or folder.',
  },
} as const satisfies Record<string, ErrorEntry>;
