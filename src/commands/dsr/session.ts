// What the commands of data subject requests share: clients, ledger and checks of the workspace at hand.
import type { Api } from '../../lib/api/index.ts';
import { createWireNames } from '../../lib/contract/names.ts';
import { indexRoots } from '../../lib/domain/callbacks/certificate.ts';
import type { SettleOptions } from '../../lib/domain/dsr/settle.ts';
import { isAdvance } from '../../lib/domain/dsr/statuses.ts';
import { CliError, EXIT } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { type DsrMemory, openDsrMemory } from '../../lib/runtime/memory/dsr.ts';
import { loadTrustedRoots } from '../../lib/runtime/checks/trusted-roots.ts';
import type { DsrPorts, VerifyMessage } from '../../lib/workflows/dsr-ports.ts';
import { createCertificateSource } from '../../lib/workflows/processor-certificate.ts';
import { createMessageVerifier, type VerifyPorts } from '../../lib/workflows/verify-message.ts';

export interface DsrSession extends DsrPorts {
  memory: DsrMemory;
  client: Api['client'];
  /** How bodies are checked for this profile. */
  settle: SettleOptions;
}

/** Opens the ledger and the clients. Nothing is sent yet. */
export async function openDsr(ctx: Context): Promise<DsrSession> {
  const memory = await openDsrMemory(ctx, isAdvance);
  const api = await ctx.api();
  return {
    api: api.dsr,
    client: api.client,
    memory,
    ledger: memory.ledger,
    sender: memory.sender,
    settle: { vendorDomain: memory.vendorDomain, names: createWireNames(memory.names) },
    clock: ctx.clock,
    signal: ctx.signal,
    tell: ctx.out,
  };
}

/** What messages of this workspace's processor are checked with; `allow` replaces the vendor's own domains. */
export function verificationOf(ctx: Context, session: DsrSession, allow: readonly string[] = []): VerifyPorts {
  const { api, clock, memory, signal } = session;
  let roots: ReturnType<VerifyPorts['roots']> | undefined;
  return {
    allow: allow.length > 0 ? allow : vendorDomains(memory.vendorDomain),
    certificates: createCertificateSource({ api, cache: memory.certificates, clock, signal }),
    roots: () => (roots ??= loadTrustedRoots(ctx).then(indexRoots)),
    clock,
  };
}

/** The processor goes by the vendor's domain, with or without the word of the protocol before it (decision: D57). */
function vendorDomains(vendorDomain: string): string[] {
  return [`opendsr.${vendorDomain}`, vendorDomain];
}

/** Checks the signature of an answer; where that cannot be done, it is said once and nothing is concluded. */
export function answerVerifier(ctx: Context, session: DsrSession): VerifyMessage {
  const verify = createMessageVerifier(verificationOf(ctx, session));
  let told = false;
  return async (headers, body) => {
    const verdict = await verify(headers, body);
    if (!verdict.unreachable) return verdict;
    if (!told) ctx.out.warn(`The answer's signature could not be checked: ${verdict.unreachable.message}`);
    told = true;
    return undefined;
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Ids of requests as the platform writes them. Throws usage (2) for what is none. */
export function requestIds(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.trim().toLowerCase()))].map((id) => {
    if (UUID.test(id)) return id;
    throw new CliError({
      code: 'usage',
      message: `\`${id}\` is no id of a request.`,
      hint: 'Ids are UUIDs such as 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c11; `cdpadm dsr list` shows them.',
      exit: EXIT.usage,
    });
  });
}
