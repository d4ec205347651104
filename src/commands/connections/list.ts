// `connections list`: lists the connections of the workspace, or of one provider.
import { connectionsEndpoints, SERVICE_PROVIDERS, type ServiceProvider } from '../../lib/contract/connections.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { choiceHint } from '../../lib/kernel/nearest.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { inNeutralWords } from '../../lib/runtime/neutral-words.ts';
import { hidden, listRecord } from '../resource-commands.ts';

export const listConnections = defineCommand({
  ...listRecord('connection'),
  flags: { serviceProvider: { value: 'provider', help: 'list only connections of this provider' } },
  examples: ['cdpadm connections list', 'cdpadm connections list --service-provider PROVIDER_A -o json'],
  run: async (ctx, { flags }) => {
    const provider = flags.serviceProvider === undefined ? undefined : await readProvider(ctx, flags.serviceProvider);
    const { connections } = await ctx.api();
    return hidden('connection', await connections.list(ctx.signal, provider));
  },
});

/** Accepts the neutral word or the deployment's word. */
async function readProvider(ctx: Context, word: string): Promise<ServiceProvider> {
  const { service_provider: neutral } = (await inNeutralWords(ctx, connectionsEndpoints.create, {
    service_provider: word,
  })) as { service_provider: unknown };
  const provider = SERVICE_PROVIDERS.find((known) => known === neutral);
  if (provider) return provider;
  throw usageError(
    `Invalid value \`${word}\` for --service-provider.`,
    `${choiceHint(word, SERVICE_PROVIDERS)} The deployment's own word is accepted too.`,
  );
}
