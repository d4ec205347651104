// Opens the clients, the ledger, the stored certificates and the verifier that the `dsr` commands share.
import { NEWEST, type Picker } from '../pick.ts';
import { createWireNames } from '../../lib/contract/names.ts';
import { indexRoots } from '../../lib/domain/callbacks/certificate.ts';
import type { LedgerRequest } from '../../lib/domain/dsr/ledger.ts';
import type { NormalizeOptions } from '../../lib/domain/dsr/normalize.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { host } from '../../lib/kernel/host.ts';
import { lastingAddress } from '../../lib/runtime/target.ts';
import { loadTrustedRoots } from '../../lib/runtime/checks/trusted-roots.ts';
import type { DsrPorts, VerifyMessage } from '../../lib/workflows/dsr-ports.ts';
import { mayPass } from '../../lib/workflows/receive-callback.ts';
import { ofWorkspace } from '../../lib/workflows/dsr-proof.ts';
import { type CertificateSource, createCertificateSource } from '../../lib/workflows/processor-certificate.ts';
import {
  createMessageVerifier,
  inTime,
  type MessageVerifier,
  type VerifyPorts,
} from '../../lib/workflows/verify-message.ts';
import { fail } from '../../lib/errors/fail.ts';
import { isUuid } from '../../lib/kernel/words.ts';
import { KnownError } from '../../lib/kernel/errors.ts';
import { join } from 'node:path';
import { readRecord } from '../../lib/kernel/json.ts';

export interface SubmitSession extends DsrPorts {
  normalize: NormalizeOptions;
}

/** Opens the ledger of all workspaces. Reading it needs no profile. */
export async function openLedgerOf(ctx: Context) {
  const { openLedger } = await import('../../lib/workflows/ledger.ts');
  const waits = () => ctx.out.waits({ text: 'Reading the ledger' });
  const actor = { by: host.username(), host: host.hostname() };
  return openLedger(ctx.paths.state, { actor, clock: ctx.clock, signal: ctx.signal, waits });
}

/** Opens this workspace's ledger. Throws usage (2) if the workspace or the DSR address is not configured (D225). */
export async function openDsrMemory(ctx: Context): Promise<Pick<DsrPorts, 'ledger' | 'submitter'>> {
  const [ledger, settings] = await Promise.all([openLedgerOf(ctx), ctx.settings()]);
  const scope = { address: lastingAddress(settings, 'dsr_base_url'), workspace_id: settings.need('workspace_id') };
  return { ledger: ledger.in(scope), submitter: { profile: settings.profile?.value ?? null, ...scope } };
}

/** Opens the ledger and the clients. Sends nothing. */
export async function openDsr(ctx: Context): Promise<DsrPorts> {
  const memory = await openDsrMemory(ctx);
  return {
    api: ofWorkspace((await ctx.api()).dsr, memory.submitter.workspace_id),
    ...memory,
    clock: ctx.clock,
    signal: ctx.signal,
    out: ctx.out,
    flags: ctx.flags,
    keep: (work) => ctx.cacheFiles.attempt(work),
  };
}

/** Opens a session for commands that build a body. Throws usage (2) if the vendor domain is not configured. */
export async function openSubmit(ctx: Context): Promise<SubmitSession> {
  return { ...(await openDsr(ctx)), normalize: await normalizeOptionsOf(ctx) };
}

export async function normalizeOptionsOf(ctx: Context): Promise<NormalizeOptions> {
  const settings = await ctx.settings();
  return { vendorDomain: settings.need('vendor_domain'), names: createWireNames(settings.names) };
}

interface Verification {
  /** Processor domains that may sign. Default: the vendor's domains, or else the names in the certificate. */
  allow?: readonly string[] | undefined;
  /** Default: the certificate named by discovery at the DSR address. */
  certificates?: CertificateSource;
  patienceMs?: number;
}

/** Opens a verifier for the processor's messages (decision: D226). */
export async function openVerifier(
  ctx: Context,
  { allow, certificates, patienceMs }: Verification = {},
): Promise<MessageVerifier> {
  const vendorDomain = (await ctx.settings()).get('vendor_domain')?.value;
  let loaded: ReturnType<VerifyPorts['roots']> | undefined;
  const roots = () => (loaded ??= loadTrustedRoots(ctx).then(indexRoots));
  const chains = await openChains(ctx);
  const { clock, signal } = ctx;
  const discovered = async () =>
    createCertificateSource({ api: (await ctx.api()).dsr, cache: await openCertificates(ctx), clock, signal });
  const source = certificates ?? (await discovered());
  const ports: VerifyPorts = {
    // The vendor domain, and its subdomain with the name of the protocol (decision: D57).
    allow: allow ?? (vendorDomain === undefined ? undefined : [`opendsr.${vendorDomain}`, vendorDomain]),
    certificates: source,
    roots,
    ...(certificates === undefined && { storeChain: chains.write }),
    clock,
    patienceMs,
  };
  // Before its first message, a listener reads the roots and the certificate, so that it reports errors immediately.
  if (patienceMs !== undefined) {
    await roots();
    inTime(source.get(), ports).catch((error: unknown) => {
      if (ctx.signal.aborted || !(error instanceof KnownError)) return;
      const what = mayPass(error) ? 'cannot be verified now (503)' : 'are rejected (401) until this is fixed';
      ctx.out.warn(`Callbacks ${what}: ${error.message}`);
    });
  }
  return createMessageVerifier(ports);
}

/** Returns a function that checks a response's signature. If it cannot do so, it warns once and returns undefined. */
export function answerVerifier(ctx: Context): VerifyMessage {
  let verifier: Promise<MessageVerifier> | undefined;
  let isWarned = false;
  return async (headers, body) => {
    const verdict = await (await (verifier ??= openVerifier(ctx)))(headers, body);
    if (!verdict.unreachable) return verdict;
    if (!isWarned) ctx.out.warn(`The signature of the response could not be verified: ${verdict.unreachable.message}`);
    isWarned = true;
    return undefined;
  };
}

/** Checks that request ids have the platform's form. Throws usage (2) for any other text. */
export function requestIds(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.trim().toLowerCase()))].map((id) => {
    if (isUuid(id)) return id;
    throw fail('usage', {
      message: `\`${id}\` is not a request id.`,
      hint: {
        text: 'Ids are UUIDs such as 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11. To list them:',
        command: 'cdpadm dsr list',
      },
    });
  });
}

export function notInLedger(id: string, hint: string): Error {
  return fail('dsr.not_in_ledger', {
    message: `The ledger on this machine has no request ${id} in this workspace.`,
    hint,
  });
}

function requestPicker(offer: (requests: LedgerRequest[]) => LedgerRequest[]): Picker {
  return {
    question: 'Request',
    newest: NEWEST,
    list: 'cdpadm dsr list',
    choices: async (ctx, _args, { from, groupId, to }) => {
      if ((from ?? groupId ?? to) !== undefined) return undefined;
      const { requests } = await (await openDsrMemory(ctx)).ledger.newest(NEWEST * 10);
      return offer(requests)
        .slice(0, NEWEST)
        .map(({ at = '', id, status = '', subject_request_type: type = '' }) => {
          const label = `${at.slice(0, 16).replace('T', ' ')}  ${type.padEnd(11)}  ${status}`.trimEnd();
          return { value: id, label, hint: id };
        });
    },
  };
}

export const pickRequest = requestPicker((requests) => requests);
export const pickPending = requestPicker((requests) => requests.filter(({ status }) => status === 'pending'));

export const pickResults = requestPicker((requests) =>
  requests.filter(({ status, subject_request_type: type }) => type !== 'erasure' && status !== 'cancelled'),
);

/** Opens the store of certificate chains of verified messages, keyed by the first certificate's fingerprint. */
export async function openChains(ctx: Context) {
  const { X509Certificate } = await import('node:crypto');
  const { readPrivateFile, writePrivateFile } = await import('../../lib/kernel/durable.ts');
  const pathOf = (fingerprint: string): string => join(ctx.paths.state, 'dsr', 'certificates', `${fingerprint}.pem`);
  /** Checks only the fingerprint of the first certificate: `openssl verify` checks the chain. */
  const read = (fingerprint: string): { pem: string; problem?: undefined } | { pem?: undefined; problem: string } => {
    const pem = readPrivateFile(pathOf(fingerprint));
    try {
      if (pem === undefined) return { problem: 'missing' };
      if (new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase() === fingerprint) return { pem };
    } catch {
      // The file is not a certificate.
    }
    return { problem: 'changed: its fingerprint differs' };
  };
  return {
    read,
    /** Writes a missing or changed file. If that fails, warns and resolves to false. */
    write: async (fingerprint: string, pem: string): Promise<boolean> => {
      const stored = ctx.cacheFiles.attempt(() => {
        if (read(fingerprint).pem === undefined) writePrivateFile(pathOf(fingerprint), pem);
        return true;
      });
      return (await stored.catch(() => false)) === true;
    },
  };
}

/** Opens the stored certificate of the current DSR address, so that callbacks can be verified offline. */
async function openCertificates(ctx: Context) {
  const { createHash } = await import('node:crypto');
  // The embedded platform's port changes, but its lasting address is always `local`.
  const address = lastingAddress(await ctx.settings(), 'dsr_base_url');
  const name = createHash('sha256').update(address).digest('hex').slice(0, 24);
  const path = join(ctx.paths.cache, 'certificates', `${name}.json`);
  return {
    // A damaged file counts as missing, so that the certificate is fetched again.
    read: () => {
      const { pem, url } = readRecord<{ url: string; pem: string }>(ctx.cacheFiles.read(path)) ?? {};
      return typeof url === 'string' && typeof pem === 'string' ? { url, pem } : undefined;
    },
    write: (certificate: { url: string; pem: string }): void =>
      ctx.cacheFiles.write(path, `${JSON.stringify(certificate)}\n`),
  };
}
