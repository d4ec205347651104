// `connections update`: replaces a connection by what a file says, or changes the fields that flags give.
import { updateCommand } from '../resource-commands.ts';

export const updateConnection = updateCommand('connection', {
  notes: [
    'With -f the file is the whole connection. Without it the flags change what is there; the platform never shows a secret, so it must be given again (--password-from), or is asked for on a terminal. An empty text takes a field out.',
  ],
  examples: [
    'cdpadm connections update crm -f connection.yaml',
    'cdpadm connections update crm --role loader --password-from file:password.txt --dry-run',
  ],
  exits: { failed: 'the platform refuses it, or cannot reach the warehouse (505)' },
});
