// `connections delete`: takes a connection away.
import { deleteCommand } from '../resource-commands.ts';

export const deleteConnection = deleteCommand('connection', {
  examples: ['cdpadm connections delete unused --dry-run', 'cdpadm connections delete unused --yes'],
  exits: { conflict: 'a pipeline uses it' },
});
