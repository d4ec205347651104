// What the registry says of one error.
import type { EXIT } from '../kernel/errors.ts';

export interface ErrorEntry {
  /** The usual exit code, by its name. */
  readonly exit: keyof typeof EXIT;
  readonly summary: string;
  readonly explanation: string;
  readonly fix: string;
}
