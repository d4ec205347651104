// What the workflows of data subject requests ask of the world outside.
import type { DsrApi } from '../api/dsr.ts';
import type { HeaderLines } from '../domain/callbacks/verify.ts';
import type { LedgerEvent, LedgerNews, LedgerRequest, StateNews } from '../domain/dsr/ledger.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Tell } from './ports.ts';
import type { VerifiedMessage } from './verify-message.ts';

/** The ledger of one workspace at one address: no other workspace's requests can be read or written through it. */
export interface LedgerPort {
  /** What the ledger states in every line that it writes. */
  readonly actor: { by: string; host: string };
  hash(type: string, value: string): Promise<string>;
  /** On the disk when it resolves; the states that were news. */
  append<State extends StateNews>(states: readonly State[]): Promise<State[]>;
  /** The same without looking: repeats are sorted out when it is read. */
  record(events: readonly LedgerNews[]): Promise<void>;
  /** What is known of these. */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, LedgerRequest>>;
  /** The open requests in parts, most urgent first; `count` sizes each part, `left` more follow. */
  byUrgency(
    urgency: {
      belongs?(event: LedgerEvent): boolean;
      phase(before: string | undefined, event: LedgerEvent): string | undefined;
      isOpen(phase: string | undefined): boolean;
      rank(event: LedgerEvent): number | undefined;
    },
    count: () => number,
  ): AsyncGenerator<{ requests: LedgerRequest[]; left: number }>;
}

/** For whom requests go out: written to the ledger with each. */
export interface Submitter {
  profile: string | null;
  address: string;
  workspace_id: string;
}

/** Checks a signed message of the processor. Undefined when it cannot be checked; why was told. */
export type VerifyMessage = (headers: HeaderLines, body: Buffer) => Promise<VerifiedMessage | undefined>;

export interface DsrPorts {
  /** Runs what a read keeps for later; undefined, after a warning, where the home is read-only or full. */
  keep<T>(work: () => Promise<T>): Promise<T | undefined>;
  api: DsrApi;
  ledger: LedgerPort;
  submitter: Submitter;
  clock: Clock;
  signal: AbortSignal;
  tell: Tell;
}
