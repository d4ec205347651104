// `connections list`: the connections of the workspace, or those of one provider.
import { Command } from 'commander';
import { connectionsEndpoints, SERVICE_PROVIDERS, type ServiceProvider } from '../../lib/contract/connections.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { choiceHint } from '../../lib/kernel/nearest.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { resourceListView } from '../../lib/render/warehouse.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { inNeutralWords } from '../../lib/runtime/neutral-words.ts';
import { emitList } from '../resource-read.ts';

export function listCommand(ctx: Context): Command {
  const command = new Command('list')
    .description('list the connections of the workspace')
    .option('--service-provider <provider>', 'only those of this provider')
    .action((flags: { serviceProvider?: string }) => listConnections(ctx, flags.serviceProvider));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    columns: () => resourceListView('connection').columns,
    examples: ['cdpadm connections list', 'cdpadm connections list --service-provider PROVIDER_A -o json'],
    json: '[{"id","name","state","status","errors":[{"message"}],"service_provider","config":{…},"created_on",…}]',
  });
}

async function listConnections(ctx: Context, word: string | undefined): Promise<void> {
  const provider = word === undefined ? undefined : await readProvider(ctx, word);
  const api = await ctx.api();
  await emitList(ctx, 'connection', await api.connections.list(provider, ctx.signal));
}

/** A provider in neutral words or in the deployment's own. */
async function readProvider(ctx: Context, word: string): Promise<ServiceProvider> {
  const { service_provider: neutral } = (await inNeutralWords(ctx, connectionsEndpoints.create, {
    service_provider: word,
  })) as { service_provider: unknown };
  const provider = SERVICE_PROVIDERS.find((known) => known === neutral);
  if (provider) return provider;
  throw usageError(
    `--service-provider does not know \`${word}\`.`,
    `${choiceHint(word, SERVICE_PROVIDERS)} Or the deployment's word for one.`,
  );
}
