// Files may contain the deployment's words, which are translated to the contract's words before any check.
import type { Endpoint } from '../contract/endpoint.ts';
import { createWireNames } from '../contract/names.ts';
import type { Context } from './context.ts';

/** Translates the contents of a file (a body for this endpoint) to neutral words. Neutral words stay unchanged. */
export async function inNeutralWords(ctx: Context, endpoint: Endpoint, value: unknown): Promise<unknown> {
  const { names } = await ctx.settings();
  return createWireNames(names).decode(value, endpoint.names?.body ?? []);
}
