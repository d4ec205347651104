// What the workflows of data subject requests ask of the world outside.
import type { DsrApi } from '../api/dsr.ts';
import type { HeaderLines, Verdict } from '../domain/callbacks/verify.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Tell } from './ports.ts';

/** A line of the ledger (see `config/ledger-events.ts`). */
export type LedgerNews =
  | {
      event: 'submitted';
      id: string;
      at: string;
      by: string;
      profile: string | null;
      address: string;
      workspace_id: string;
      regulation: string;
      subject_request_type: string;
      submitted_time: string;
      skip_waiting_period: boolean;
      group_id: string | null;
      identities: Record<string, string>;
      status?: string;
      expected_completion_time?: string | null;
      received_time?: string | null;
    }
  | {
      event: 'state';
      id: string;
      at: string;
      status: string;
      source: 'submit' | 'status' | 'cancel' | 'callback';
      expected_completion_time?: string | null;
      received_time?: string | null;
    };

/** What the ledger knows of a request. Everything but the id may be missing: some are known by a callback only. */
export interface LedgerEntry extends Partial<Omit<Extract<LedgerNews, { event: 'submitted' }>, 'event'>> {
  id: string;
  states: { status: string; at: string; source: string }[];
}

/** The ledger of one workspace at one address: no other workspace's requests can be read or written through it. */
export interface LedgerPort {
  hash(type: string, value: string): Promise<string>;
  /** On the disk when it resolves; how many of the states told anything new. */
  append(states: readonly Extract<LedgerNews, { event: 'state' }>[]): Promise<number>;
  /** The same without looking: repeats are sorted out when it is read. */
  record(events: readonly LedgerNews[]): Promise<void>;
  /** What is known of these. */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, LedgerEntry>>;
  /** The open requests in parts, most urgent first; `count` sizes each part, `left` more follow. */
  byUrgency(
    urgency: {
      belongs?(event: Extract<LedgerNews, { event: 'submitted' }>): boolean;
      isOpen(status: string | undefined): boolean;
      rank(event: Extract<LedgerNews, { event: 'submitted' }>): number;
    },
    count: () => number,
  ): AsyncGenerator<{ requests: LedgerEntry[]; left: number }>;
}

/** Under whose name requests go out: written to the ledger with each. */
export interface Submitter {
  by: string;
  profile: string | null;
  address: string;
  workspace_id: string;
}

/** Checks a signed message of the processor. Undefined when it cannot be checked; why was told. */
export type VerifyMessage = (headers: HeaderLines, body: Buffer) => Promise<Verdict | undefined>;

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
