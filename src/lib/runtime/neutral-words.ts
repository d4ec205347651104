// Files may contain the deployment's words, which are translated to the contract's before anything is checked.
import type { Endpoint } from '../contract/endpoint.ts';
import { createWireNames } from '../contract/names.ts';
import type { Context } from './context.ts';

/** A body from a file, for this endpoint, in neutral words. Neutral words are unchanged. */
export async function inNeutralWords(ctx: Context, endpoint: Endpoint, value: unknown): Promise<unknown> {
  const { names } = await ctx.settings();
  return createWireNames(names).decode(value, endpoint.names?.body ?? []);
}
