// Reads one user's body exactly: parsed, in neutral words, checked by the contract. Slower than the byte check, and the
// one that says what is wrong.
import { explainIssues, type FieldIssue } from '../../contract/explain.ts';
import { NameCollision, pathAsWritten, type WireNames } from '../../contract/names.ts';
import { SEED_NAMES, SingleSeed } from '../../contract/seeding.ts';
import { holdsEachKey } from '../../kernel/json-keys.ts';
import { JsonError, parseJson, stringifyJson } from '../../kernel/json.ts';

/** A row as it is sent, or what is wrong with it. */
export type ReadRow = { text: string } | { issues: FieldIssue[] };

/** Reads the JSON text of a row. */
export function readRow(text: string, names: WireNames): ReadRow {
  try {
    const value = parseJson(text);
    // Of a key that stands twice the last one would be taken in silence, and `xpid` says whom a seed is for.
    if (!holdsEachKey(value, text)) {
      return { issues: [{ path: [], message: 'a field stands twice in the same place, or is not allowed' }] };
    }
    return checkRow(unwrap(value), names);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const place = error.offset === undefined ? '' : ` (character ${error.offset + 1})`;
    return { issues: [{ path: [], message: `${error.message}${place}` }] };
  }
}

/** A line of a rejects file holds the row it is about, so that the file can be fed back. */
function unwrap(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('rejected' in value)) return value;
  if ('row' in value) return value.row;
  return 'text' in value && typeof value.text === 'string' ? parseJson(value.text) : value;
}

/** Checks a row that is a value already. */
export function checkRow(value: unknown, names: WireNames): ReadRow {
  try {
    const neutral = names.decode(value, SEED_NAMES);
    const result = SingleSeed.safeParse(neutral);
    if (!result.success) {
      const issues = explainIssues(result.error.issues, neutral);
      return { issues: issues.map((issue) => ({ ...issue, path: pathAsWritten(value, issue.path, names) })) };
    }
    return { text: stringifyJson(names.encode(result.data, SEED_NAMES)) };
  } catch (error) {
    if (!(error instanceof NameCollision)) throw error;
    return { issues: [{ path: [], message: error.message }] };
  }
}
