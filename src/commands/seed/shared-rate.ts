// `--rate-store`: the rate shared by the shards of a run.
import { rootCertificates } from 'node:tls';
import type { SharedRate } from '../../lib/bulk/shared-schedule.ts';
import { systemErrorCode } from '../../lib/kernel/errors.ts';
import { furtherAuthorities } from '../../lib/runtime/checks/trusted-roots.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { lastingAddress } from '../../lib/runtime/target.ts';
import type { BulkNumbers } from './run.ts';

/** Opens the store of the shared rate, if there is one. If it is unreachable, the shard uses its own share. */
export async function openSharedRate(
  ctx: Context,
  { pace, shard, store }: BulkNumbers,
): Promise<SharedRate | undefined> {
  if (store === undefined || shard === undefined) return undefined;
  const settings = await ctx.settings();
  if (store.password !== '') ctx.redactor.add(decodeURIComponent(store.password));
  const limit = [lastingAddress(settings, 'seeding_url'), settings.get('workspace_id')?.value ?? '', 'seeding'];
  const file = settings.get('ca_file')?.value;
  const certificates = file === undefined ? undefined : [...rootCertificates, furtherAuthorities(file, ctx.io.env)];
  const { openRateStore } = await import('../../lib/bulk/rate-store.ts');
  const opened = await openRateStore(store, limit, pace.rate && pace.rate * shard.count, certificates);
  let isClosed = false;
  ctx.onClose(() => {
    isClosed = true;
    opened.close();
    return Promise.resolve();
  });
  const share =
    pace.rate === undefined ? 'a rate of its own' : `its share, ${Number(pace.rate.toPrecision(3))} requests/s`;
  const warn = (text: string): void => {
    if (!isClosed) ctx.out.warn(text);
  };
  return {
    store: opened,
    onLost: (error) => {
      const reason = (error as Error).message || systemErrorCode(error) || 'no response';
      warn(
        `The rate store ${store.host} cannot be used: ${reason.trimEnd().replace(/\.$/, '')}. This shard continues with ${share} and retries the store every 5 s.`,
      );
    },
  };
}
