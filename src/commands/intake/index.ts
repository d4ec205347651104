// The intake commands.
import { group } from '../../lib/runtime/command-line/define-command.ts';
import { sendEvents, identifyUser } from './send.ts';

export const command = group('intake', "one user's events, or identities and attributes", [sendEvents, identifyUser]);
