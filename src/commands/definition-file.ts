// Reads a definition from a file or standard input.
import type { Endpoint } from '../lib/contract/endpoint.ts';
import { invalidDocument, loadDocument, withoutSchemaHint } from '../lib/files/load.ts';
import { isRecord } from '../lib/kernel/json.ts';
import type { Context } from '../lib/runtime/context.ts';
import { inNeutralWords } from '../lib/runtime/neutral-words.ts';

/** Returns the document and its unchecked value, with neutral words and without `$schema`. */
export async function loadDefinition(ctx: Context, path: string, endpoint: Endpoint, what: string) {
  const document = await loadDocument(path, ctx);
  const value = await inNeutralWords(ctx, endpoint, withoutSchemaHint(document.value));
  if (!isRecord(value)) {
    throw invalidDocument(document, what, [{ path: [], message: `a ${what} must be a map of fields` }]);
  }
  return { document, value };
}
