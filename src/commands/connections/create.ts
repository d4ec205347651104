// `connections create`: a new connection from a file, flags, or both.
import { createCommand } from '../resource-commands.ts';

export const createConnection = createCommand('connection', {
  notes: [
    'Secrets are references, resolved when they are sent: env:NAME, file:PATH, keychain:NAME, command:LINE. On a terminal a secret that is missing or shown as asterisks is asked for. Flags win over the file, which `cdpadm schema connection` describes.',
  ],
  examples: [
    'cdpadm connections create -f connection.yaml',
    'cdpadm connections create lake --name Lake --service-provider PROVIDER_D --provider acme --schema shop --dry-run',
  ],
  exits: { failed: 'the platform refuses it, or cannot reach the warehouse (505)' },
});
