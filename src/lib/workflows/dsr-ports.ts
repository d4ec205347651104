// Ports of the data subject request workflows.
import type { DsrApi } from '../api/dsr.ts';
import type { HeaderLines } from '../domain/callbacks/verify.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Messages } from './confirm-write.ts';
import type { Ledger } from './ledger.ts';
import type { VerifiedMessage } from './verify-message.ts';

/** The ledger of one workspace at one address. The port never reads or writes other requests. */
export type LedgerPort = ReturnType<Ledger['in']>;

/** The profile and workspace that submit a request. The ledger stores them with the request. */
export interface Submitter {
  profile: string | null;
  address: string;
  workspace_id: string;
}

/** Verifies a message signed by the processor. Warns and returns undefined if verification is impossible. */
export type VerifyMessage = (headers: HeaderLines, body: Buffer) => Promise<VerifiedMessage | undefined>;

export interface DsrPorts {
  /** Writes to local state on this machine. Warns and returns undefined if the home folder is read-only or full. */
  keep<T>(work: () => Promise<T>): Promise<T | undefined>;
  api: DsrApi;
  ledger: LedgerPort;
  submitter: Submitter;
  clock: Clock;
  signal: AbortSignal;
  out: Messages;
  flags: { readonly retries: number };
}
