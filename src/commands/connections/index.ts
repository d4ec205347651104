// The connection commands.
import { group } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { resourceCommands } from '../resource-commands.ts';
import { connectionsEndpoints, SERVICE_PROVIDERS, type ServiceProvider } from '../../lib/contract/connections.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { choiceHint } from '../../lib/kernel/nearest.ts';
import { inNeutralWords } from '../find-resource.ts';

/** Returns the provider for a neutral or a deployment-specific name. Throws usage (2). */
async function readProvider(ctx: Context, word: string): Promise<ServiceProvider> {
  const { service_provider: neutral } = (await inNeutralWords(ctx, connectionsEndpoints.create, {
    service_provider: word,
  })) as { service_provider: unknown };
  const provider = SERVICE_PROVIDERS.find((known) => known === neutral);
  if (provider) return provider;
  throw usageError(
    `Invalid value \`${word}\` for --service-provider.`,
    `${choiceHint(word, SERVICE_PROVIDERS)} The deployment-specific name is also accepted.`,
  );
}

const failed = 'the platform rejected the connection, or cannot reach the warehouse (505)';

const commands = resourceCommands('connection', {
  list: {
    flags: { serviceProvider: { value: 'provider', help: 'list only connections of this provider' } },
    examples: ['cdpadm connections list', 'cdpadm connections list --service-provider PROVIDER_A -o json'],
    read: async (ctx, { serviceProvider: word }) => {
      const provider = word === undefined ? undefined : await readProvider(ctx, word);
      return (await ctx.api()).connections.list(ctx.signal, { serviceProvider: provider });
    },
  },
  get: { examples: ['cdpadm connections get crm', 'cdpadm connections get crm -o yaml'] },
  create: {
    notes: [
      'Pass a secret as a reference: env:NAME, file:PATH, keychain:NAME or command:LINE. The secret is read just before it is sent. On a terminal, the command asks for a secret that is missing or masked. Flags override the file. `cdpadm schema connection` prints the schema of the file.',
    ],
    examples: [
      'cdpadm connections create -f connection.yaml',
      'cdpadm connections create lake --name Lake --service-provider PROVIDER_D --provider acme --schema shop --dry-run',
    ],
    exits: { failed },
  },
  update: {
    notes: [
      'With -f, the file is the complete connection. Without -f, flags change individual fields, and an empty value removes a field. The platform never returns secrets, so pass them again (--password-from), or enter them on a terminal.',
    ],
    examples: [
      'cdpadm connections update crm -f connection.yaml',
      'cdpadm connections update crm --role loader --password-from file:password.txt --dry-run',
    ],
    exits: { failed },
  },
  delete: {
    examples: ['cdpadm connections delete unused --dry-run', 'cdpadm connections delete unused --yes'],
    exits: { conflict: 'a pipeline uses the connection, or another admin changed it' },
  },
});

export const command = group('connections', 'warehouse addresses and credentials', commands);
