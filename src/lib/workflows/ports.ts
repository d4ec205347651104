// What a workflow asks of the world outside: answers from a person, a memory, and a way to tell what goes on.
import type { ManifestReply } from '../contract/roles.ts';

/** Questions that only a person, or a flag in their place, can answer. Each throws the KnownError of a refusal. */
export interface Ask {
  /** Whether a person can be asked at all. */
  readonly possible: boolean;
  /** Begins a write: shows where it goes, or throws guard (12) where only reads are allowed. */
  startWrite(): Promise<unknown>;
  /** Asks before a write; the answer no is a KnownError guard (12). */
  confirmWrite(question: string): Promise<void>;
  /** Wants `expected` to be typed; anything else is a KnownError guard (12). */
  typed(question: string, expected: string): Promise<void>;
  /** A plain yes or no; false where nobody can be asked. */
  offer(question: string): Promise<boolean>;
}

export interface Tell {
  /** What was done, or what comes next. */
  note(text: string): void;
  warn(text: string): void;
}

/** The memory of one organization's manifest (see `config/roles-store.ts`). */
export interface RolesMemory {
  /** Remembers a manifest that a file stands for. What cannot be kept is only told. */
  saveBase(manifest: ManifestReply): Promise<void>;
  bases(stamp: { last_modified_on: string | null; last_modified_by: string | null }): ManifestReply[];
  saveRevision(entry: { reason: string; profile: string | null; plan: string; manifest: ManifestReply }): string;
  exclusively<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}
