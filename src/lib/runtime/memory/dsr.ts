// Opens what this machine remembers of data subject requests: the ledger, the processor's certificate, and whose they are.
import type { CertificateCache } from '../../config/certificate-cache.ts';
import type { Ledger } from '../../config/ledger.ts';
import type { StateOrder } from '../../config/ledger-events.ts';
import { host } from '../../kernel/host.ts';
import type { Context } from '../context.ts';
import { lastingAddress } from '../service-address.ts';

export interface DsrMemory {
  ledger: Ledger;
  certificates: CertificateCache;
  /** What every ledger line of a request from here says. */
  sender: { by: string; profile: string | null; address: string; workspace_id: string };
  vendorDomain: string;
  /** Neutral word -> the deployment's. */
  names: Readonly<Record<string, string>>;
}

/** The ledger alone: it can be read without any profile. */
export async function openLedgerOf(ctx: Context, isAdvance: StateOrder): Promise<Ledger> {
  const { openLedger } = await import('../../config/ledger.ts');
  return openLedger(ctx.paths.state, { clock: ctx.clock, isAdvance, signal: ctx.signal });
}

export async function openDsrMemory(ctx: Context, isAdvance: StateOrder): Promise<DsrMemory> {
  const [ledger, { openCertificateCache }, settings] = await Promise.all([
    openLedgerOf(ctx, isAdvance),
    import('../../config/certificate-cache.ts'),
    ctx.settings(),
  ]);
  const profile = settings.profile?.value ?? null;
  const address = lastingAddress(settings, 'dsr_base_url');
  return {
    ledger,
    certificates: openCertificateCache(ctx.paths.cache, address),
    sender: { by: host.username(), profile, address, workspace_id: settings.get('workspace_id')?.value ?? '' },
    vendorDomain: settings.need('vendor_domain'),
    names: settings.names,
  };
}
