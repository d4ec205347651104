// `connections list`: the connections of the workspace, or those of one provider.
import { connectionsEndpoints, SERVICE_PROVIDERS, type ServiceProvider } from '../../lib/contract/connections.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { choiceHint } from '../../lib/kernel/nearest.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { inNeutralWords } from '../../lib/runtime/neutral-words.ts';
import { listRecord } from '../resource-commands.ts';
import { emitList } from '../resource-read.ts';

export const listConnections = defineCommand({
  ...listRecord('connection'),
  flags: { serviceProvider: { value: 'provider', help: 'only those of this provider' } },
  examples: ['cdpadm connections list', 'cdpadm connections list --service-provider PROVIDER_A -o json'],
  run: async (ctx, { flags }) => {
    const provider = flags.serviceProvider === undefined ? undefined : await readProvider(ctx, flags.serviceProvider);
    const api = await ctx.api();
    await emitList(ctx, 'connection', await api.connections.list(provider, ctx.signal));
  },
});

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
