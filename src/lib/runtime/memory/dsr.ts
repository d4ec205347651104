// Opens what this machine stores about data subject requests: the ledger and the processor's certificate.
import type { CertificateCache } from '../../config/certificate-cache.ts';
import type { Ledger, ScopedLedger } from '../../config/ledger.ts';
import type { StateOrder } from '../../config/ledger-events.ts';
import type { Outbox, OutboxScope } from '../../config/outbox.ts';
import { host } from '../../kernel/host.ts';
import type { Context } from '../context.ts';
import { lastingAddress } from '../service-address.ts';

export interface DsrMemory {
  /** Of the workspace in use. */
  ledger: ScopedLedger;
  /** Fields of every ledger line of a request sent now. */
  submitter: { by: string; profile: string | null; address: string; workspace_id: string };
}

/** The ledger of all workspaces; needs no profile. */
export async function openLedgerOf(ctx: Context, isAdvance: StateOrder): Promise<Ledger> {
  const { openLedger } = await import('../../config/ledger.ts');
  return openLedger(ctx.paths.state, { clock: ctx.clock, isAdvance, signal: ctx.signal });
}

/** Throws usage (2) without a DSR address or a workspace: they are part of a request's key (decision: D225). */
export async function openDsrMemory(ctx: Context, isAdvance: StateOrder): Promise<DsrMemory> {
  const [ledger, settings] = await Promise.all([openLedgerOf(ctx, isAdvance), ctx.settings()]);
  const profile = settings.profile?.value ?? null;
  const scope = { address: lastingAddress(settings, 'dsr_base_url'), workspace_id: settings.need('workspace_id') };
  return { ledger: ledger.in(scope), submitter: { by: host.username(), profile, ...scope } };
}

/** The outbox of one listener's callbacks. */
export async function openOutboxOf(ctx: Context, scope: OutboxScope): Promise<Outbox> {
  const { openOutbox, outboxPath } = await import('../../config/outbox.ts');
  return openOutbox(outboxPath(ctx.paths.state, scope), ctx.clock);
}

/** The outboxes of all listeners on this machine. */
export async function openOutboxes(ctx: Context): Promise<Outbox[]> {
  const { openOutbox, outboxPaths } = await import('../../config/outbox.ts');
  return outboxPaths(ctx.paths.state).map((path) => openOutbox(path, ctx.clock));
}

/** The certificate kept for the DSR address in use. */
export async function openCertificates(ctx: Context): Promise<CertificateCache> {
  const { openCertificateCache } = await import('../../config/certificate-cache.ts');
  return openCertificateCache(ctx.paths.cache, lastingAddress(await ctx.settings(), 'dsr_base_url'), ctx.cacheFiles);
}
