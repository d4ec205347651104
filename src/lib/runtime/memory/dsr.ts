// Opens what this machine stores about data subject requests: the ledger and the processor's certificate.
import type { CertificateCache } from '../../config/certificate-cache.ts';
import type { Ledger, ScopedLedger } from '../../config/ledger.ts';
import type { StoredEvent } from '../../config/ledger-lines.ts';
import type { LedgerRules } from '../../config/ledger-readings.ts';
import { join } from 'node:path';
import { host } from '../../kernel/host.ts';
import type { Context } from '../context.ts';
import { lastingAddress } from '../service-address.ts';

export interface DsrMemory<Event extends StoredEvent, Request> {
  /** Of the workspace in use. */
  ledger: ScopedLedger<Event, Request>;
  /** For whom requests are sent now. */
  submitter: { profile: string | null; address: string; workspace_id: string };
}

/** The ledger of all workspaces; needs no profile. */
export async function openLedgerOf<Event extends StoredEvent, Request>(
  ctx: Context,
  rules: LedgerRules<Event, Request>,
): Promise<Ledger<Event, Request>> {
  const { openLedger } = await import('../../config/ledger.ts');
  const actor = { by: host.username(), host: host.hostname() };
  return openLedger(ctx.paths.state, { actor, clock: ctx.clock, rules, signal: ctx.signal });
}

/** Throws usage (2) without a DSR address or a workspace: they are part of a request's key (decision: D225). */
export async function openDsrMemory<Event extends StoredEvent, Request>(
  ctx: Context,
  rules: LedgerRules<Event, Request>,
): Promise<DsrMemory<Event, Request>> {
  const [ledger, settings] = await Promise.all([openLedgerOf(ctx, rules), ctx.settings()]);
  const profile = settings.profile?.value ?? null;
  const scope = { address: lastingAddress(settings, 'dsr_base_url'), workspace_id: settings.need('workspace_id') };
  return { ledger: ledger.in(scope), submitter: { profile, ...scope } };
}

/** The certificate chains of verified messages, by the fingerprint of their first certificate: evidence of signatures. */
export async function openChains(ctx: Context) {
  const { readPrivateFile, writePrivateFile } = await import('../../kernel/durable.ts');
  const pathOf = (fingerprint: string): string => join(ctx.paths.state, 'dsr', 'certificates', `${fingerprint}.pem`);
  const read = (fingerprint: string): string | undefined => readPrivateFile(pathOf(fingerprint));
  return {
    read,
    write: (fingerprint: string, pem: string): void => {
      const path = pathOf(fingerprint);
      void ctx.cacheFiles.attempt(() => {
        if (read(fingerprint) === undefined) writePrivateFile(path, pem);
        return Promise.resolve();
      });
    },
  };
}

/** The certificate kept for the DSR address in use. */
export async function openCertificates(ctx: Context): Promise<CertificateCache> {
  const { openCertificateCache } = await import('../../config/certificate-cache.ts');
  return openCertificateCache(ctx.paths.cache, lastingAddress(await ctx.settings(), 'dsr_base_url'), ctx.cacheFiles);
}
