// Schemas of results of the auth commands.
import { enum as oneOf } from 'zod/mini';

/** A secret that a profile may hold. */
export function secretName() {
  return oneOf(['client_id', 'client_secret', 'workspace_key', 'workspace_secret']);
}
