// `seed bulk --dry-run`: reads and checks everything and shows the first request; nothing is sent.
import { parseJson } from '../../lib/kernel/json.ts';
import type { SingleSeed } from '../../lib/contract/seeding.ts';
import { counted } from '../../lib/kernel/words.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { validateSeeds } from '../../lib/workflows/seed-validate.ts';
import type { BulkNumbers } from './bulk-flags.ts';
import type { OpenedInputs } from './inputs.ts';

export async function showDryRun(
  ctx: Context,
  { inputs, rules }: OpenedInputs,
  { limits }: BulkNumbers,
): Promise<void> {
  const api = await ctx.api();
  const checked = await validateSeeds(inputs, rules, limits, ctx.signal);
  const { rows, rejected, batches, first } = checked;
  if (first !== undefined && ctx.flags.curl) {
    const sender = await api.seeding.openBulk();
    await sender.send(first, ctx.signal);
    return;
  }
  const requests =
    first === undefined ? [] : [api.seeding.describeBulk(parseJson(first.toString('utf8')) as SingleSeed[])];
  await ctx.out.emitDryRun(requests, { rows, accepted: rows - rejected, rejected, batches }, () =>
    [
      `${counted(rows, 'row')}: ${rows - rejected} to send in ${counted(batches, 'request')}, ${rejected} refused by the check.`,
      ...(requests[0] ? [`The first request would go to ${requests[0].url}.`] : []),
    ].join('\n'),
  );
}
