// `connections get`: one connection.
import { getCommand } from '../resource-commands.ts';

export const getConnection = getCommand('connection', {
  examples: ['cdpadm connections get crm', 'cdpadm connections get crm -o yaml'],
});
